// Construction on the GPU (thesis Table 5.2, report Table 2).
// Names: construct/<split>_<pack>[_masses][_psa_plus]/<distribution>/<N>.
#include "common/gpu_builds.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{
      .name = "construction",
      .summary = "building alias tables on the GPU",
      .needs_gpu = true,
      .defaults = {.sizes = {1'000'000, 10'000'000, 100'000'000},
                   .distributions = {"uniform", "powerlaw_0.5_shuffled", "powerlaw_1_shuffled",
                                     "powerlaw_1", "powerlaw_2", "ramp", "words"}}};
  what.series.push_back(gpu_build_series(
      gpu_build({.split = "baseline", .pack = "baseline", .elements = pack::ElementKind::index})));
  for (const bool psa_plus : {false, true}) {
    for (const char* pack : {"shared_memory", "chunked", "chunked_async"}) {
      what.series.push_back(gpu_build_series(gpu_build({.pack = pack, .psa_plus = psa_plus})));
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
