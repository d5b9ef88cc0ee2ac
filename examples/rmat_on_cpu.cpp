// R-MAT edges on the host; rmat.cu generates the same edges on the GPU.
#include "rmat.hpp"

#include <exception>

#include "wrsgpu/weighted_sampler.hpp"

namespace {

bool run(const rmat::Arguments& arguments) {
  const rmat::Quadrants quadrants;
  const wrsgpu::WeightedSampler sampler(rmat::path_weights(quadrants));
  const wrsgpu::SamplerView paths = sampler.view();
  std::vector<rmat::Edge> edges(arguments.edges);
  for (std::uint64_t k = 0; k < edges.size(); ++k) {
    edges[k] = rmat::make_edge(paths, 7, k, arguments.scale);
  }
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
