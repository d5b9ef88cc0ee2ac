// Time of each step of PSA and of PSA+ (thesis Figure 5.3). Names as in `construction`; the
// counters <step>_us are medians of separate runs.
#include "experiments/common/gpu_builds.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{
      .name = "psa_plus_profile",
      .summary = "time of the steps of PSA and PSA+",
      .needs_gpu = true,
      .defaults = {.sizes = {10'000'000},
                   .distributions = {"uniform", "powerlaw_0.5_shuffled", "powerlaw_1_shuffled",
                                     "powerlaw_1", "powerlaw_2"}}};
  for (const char* pack : {"shared_memory", "chunked"}) {
    for (const bool psa_plus : {false, true}) {
      GpuBuild build = gpu_build({.pack = pack, .psa_plus = psa_plus});
      build.profile = true;
      what.series.push_back(gpu_build_series(build));
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
