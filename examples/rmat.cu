// R-MAT edges on the GPU: one thread per edge, which draws from a view of the sampler.
#include "rmat.hpp"

#include <exception>
#include <utility>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/gpu_weighted_sampler.cuh"

namespace {

constexpr unsigned threads = 256;

__global__ void make_edges(wrsgpu::SamplerView paths, std::uint64_t seed, int scale,
                           rmat::Edge* edges, std::uint64_t count) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (k < count) edges[k] = rmat::make_edge(paths, seed, k, scale);
}

bool run(const rmat::Arguments& arguments) {
  const rmat::Quadrants quadrants;
  const wrsgpu::GpuWeightedSampler sampler(rmat::path_weights(quadrants));
  wrsgpu::DeviceBuffer<rmat::Edge> on_device(arguments.edges);
  make_edges<<<wrsgpu::blocks_for(arguments.edges, threads), threads>>>(
      sampler.view(), 7, arguments.scale, on_device.data(), arguments.edges);
  wrsgpu::check_launch("make_edges");
  std::vector<rmat::Edge> edges(arguments.edges);
  wrsgpu::copy_to_host(std::as_const(on_device).data(), std::span(edges));
  return rmat::degrees_match(edges, arguments.scale, quadrants);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(rmat::parse(argc, argv)) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
