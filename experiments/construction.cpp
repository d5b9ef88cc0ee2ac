// Construction on the GPU (thesis Table 5.2, report Table 2); of 10^9 items by one method each of
// PSA and PSA+.
// Names: construct/<split>_<pack>[_masses][_psa_plus]/<distribution>/<N>.
#include "experiments/common/gpu_builds.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{.name = "construction",
                  .summary = "building alias tables on the GPU",
                  .needs_gpu = true,
                  .defaults = {.sizes = {1'000'000, 10'000'000, 100'000'000, 1'000'000'000},
                               .distributions = {"uniform", "powerlaw_0.5_shuffled", "powerlaw_0.5",
                                                 "powerlaw_1_shuffled", "powerlaw_1", "powerlaw_2",
                                                 "ramp", "words"}}};
  constexpr std::uint64_t maximum = 100'000'000;
  what.series.push_back(with_max_size(
      maximum,
      gpu_build_series(gpu_build(
          {.split = "baseline", .pack = "baseline", .elements = pack::ElementKind::index}))));
  for (const bool psa_plus : {false, true}) {
    for (const std::string pack : {"shared_memory", "chunked", "chunked_async"}) {
      const Series series = gpu_build_series(gpu_build({.pack = pack, .psa_plus = psa_plus}));
      // Of PSA and PSA+ one each for the largest tables.
      const bool has_largest = pack == (psa_plus ? "chunked" : "shared_memory");
      what.series.push_back(has_largest ? series : with_max_size(maximum, series));
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
