// The best sampler by table size and number of samples (thesis Figure 5.9, report Figure 5), from
// which the automatic choice is derived. Names:
// sample/<sampler>[_xorwow_subsequence_no_output]/<distribution>/<N>/<samples>.
#include "experiments/common/gpu_draws.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{.name = "sampler_heatmap",
                  .summary = "samplers by table size and number of samples",
                  .needs_gpu = true,
                  .defaults = {.sizes = {1'000, 10'000, 100'000, 300'000, 1'000'000, 3'000'000,
                                         10'000'000, 30'000'000, 100'000'000},
                               .distributions = {"uniform"},
                               .samples = {10'000, 100'000, 1'000'000, 3'000'000, 10'000'000,
                                           30'000'000, 100'000'000, 1'000'000'000}}};
  for (const char* sampler : {"baseline", "cached", "cached_limited", "shared_memory"}) {
    what.series.push_back(gpu_draw_series({.name = sampler, .sampler = sampler}));
    what.series.push_back(gpu_draw_series(thesis_draw(sampler)));
  }
  return what;
}

}  // namespace wrsgpu::experiments
