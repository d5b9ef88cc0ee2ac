// R-MAT edges on the GPU: one thread per edge, which draws from a view of the sampler.
#include "rmat.hpp"

#include <thrust/copy.h>
#include <thrust/device_vector.h>

#include <exception>
#include <stdexcept>

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
  thrust::device_vector<rmat::Edge> on_device(arguments.edges);
  const auto blocks = static_cast<unsigned>((arguments.edges + threads - 1) / threads);
  make_edges<<<blocks, threads>>>(sampler.view(), 7, arguments.scale,
                                  thrust::raw_pointer_cast(on_device.data()), arguments.edges);
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) {
    throw std::runtime_error(cudaGetErrorString(status));
  }
  std::vector<rmat::Edge> edges(arguments.edges);
  thrust::copy(on_device.begin(), on_device.end(), edges.begin());
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
