// Weights 1 and 2 in any proportion, the heavy items at random or leading (thesis Figure 5.4).
// Names: construct/<method>/heavy_fraction_<percent>_<random or leading>/<N>; counters as in
// `psa_plus_profile`.
#include "experiments/common/gpu_builds.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{.name = "heavy_fraction",
                  .summary = "construction by the fraction of heavy items",
                  .needs_gpu = true,
                  .defaults = {.sizes = {10'000'000}, .distributions = {}}};
  for (const char* place : {"_random", "_leading"}) {
    for (const int percent : {1,  2,  4,  7,  10, 15, 20, 25, 30, 35, 40, 45, 50,
                              55, 60, 65, 70, 75, 80, 85, 90, 93, 96, 98, 99}) {
      what.defaults.distributions.push_back("heavy_fraction_" + std::to_string(percent) + place);
    }
  }
  for (const bool psa_plus : {false, true}) {
    GpuBuild build = gpu_build({.pack = "chunked", .psa_plus = psa_plus});
    build.profile = true;
    what.series.push_back(gpu_build_series(build));
  }
  return what;
}

}  // namespace wrsgpu::experiments
