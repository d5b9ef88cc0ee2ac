// Construction on the GPU (thesis Table 5.2, report Table 2); of 10^9 items by the fastest methods.
// Names: construct/<split>_<pack>[_masses][_psa_plus]/<distribution>/<N>.
#include "common/gpu_builds.hpp"

namespace wrsgpu::experiments {
namespace {

// Verifying larger tables takes a quarter of a minute each.
constexpr std::uint64_t most_of_all_methods = 100'000'000;

Series series(const SplitGpuOptions& method) {
  return without_larger(gpu_build_series(gpu_build(method)), most_of_all_methods);
}

}  // namespace

Experiment experiment() {
  Experiment what{
      .name = "construction",
      .summary = "building alias tables on the GPU",
      .needs_gpu = true,
      .defaults = {.sizes = {1'000'000, 10'000'000, most_of_all_methods, 1'000'000'000},
                   .distributions = {"uniform", "powerlaw_0.5_shuffled", "powerlaw_1_shuffled",
                                     "powerlaw_1", "powerlaw_2", "ramp", "words"}}};
  what.series.push_back(
      series({.split = "baseline", .pack = "baseline", .elements = pack::ElementKind::index}));
  // Of PSA and PSA+ one each for the largest tables.
  const auto has_largest = [](const std::string& pack, bool psa_plus) {
    return pack == (psa_plus ? "chunked" : "shared_memory");
  };
  for (const bool psa_plus : {false, true}) {
    for (const char* pack : {"shared_memory", "chunked", "chunked_async"}) {
      const SplitGpuOptions method{.pack = pack, .psa_plus = psa_plus};
      what.series.push_back(has_largest(pack, psa_plus) ? gpu_build_series(gpu_build(method))
                                                        : series(method));
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
