// The competitive pack methods, with partial p-ary split (thesis Figure 5.2). Times are of the
// whole construction, because the pack method decides how many splits there are. Names:
// construct/<split>_<pack>[_masses]/<distribution>/<N>.
#include "common/gpu_builds.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{
      .name = "pack_methods",
      .summary = "pack methods on the GPU, split included",
      .needs_gpu = true,
      .defaults = {.sizes = {1'000'000, 2'000'000, 5'000'000, 10'000'000, 15'000'000, 20'000'000},
                   .distributions = {"uniform"}}};
  for (const pack::Method& pack : pack::methods()) {
    if (!pack.competitive) continue;
    for (const pack::ElementKind elements : pack.elements) {
      what.series.push_back(gpu_build_series(gpu_build({.pack = pack.name, .elements = elements})));
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
