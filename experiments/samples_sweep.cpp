// The samplers against the number of samples (thesis Figures 5.7 and 5.8, report Figure 4).
// Names: sample/<sampler>[_xorwow_subsequence][_no_output]/<distribution>/<N>/<samples>.
#include "experiments/common/gpu_draws.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{.name = "samples_sweep",
                  .summary = "samplers by the number of samples",
                  .needs_gpu = true,
                  .defaults = {.sizes = {1'000'000, 10'000'000},
                               .distributions = {"uniform"},
                               .samples = {10'000, 30'000, 100'000, 300'000, 1'000'000, 3'000'000,
                                           10'000'000, 30'000'000, 100'000'000, 300'000'000,
                                           1'000'000'000, 10'000'000'000}}};
  for (const char* sampler : {"baseline", "cached", "cached_limited", "shared_memory"}) {
    for (const GpuDraw& draw : with_and_without_output({.name = sampler, .sampler = sampler})) {
      what.series.push_back(gpu_draw_series(draw));
    }
    what.series.push_back(gpu_draw_series(thesis_draw(sampler)));
  }
  return what;
}

}  // namespace wrsgpu::experiments
