// R-MAT edges on the GPU: one thread per edge, which draws from a view of the sampler.
#include "rmat.hpp"

#include <exception>

#include "examples/device_memory.cuh"
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
  const auto edges = example::allocate<rmat::Edge>(arguments.edges);
  const auto blocks = static_cast<unsigned>((arguments.edges + threads - 1) / threads);
  make_edges<<<blocks, threads>>>(sampler.view(), 7, arguments.scale, edges.get(), arguments.edges);
  example::check(cudaGetLastError());
  return rmat::degrees_match(example::to_host(edges, arguments.edges), arguments.scale, quadrants);
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
