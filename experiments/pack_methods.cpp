// The competitive pack methods, with partial p-ary split (thesis Figure 5.2). Times are of the
// whole construction, because the pack method decides how many splits there are. Names:
// construct/<split>_<pack>[_masses][_sections_of_<rows>]/<distribution>/<N>.
#include "experiments/common/gpu_builds.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{
      .name = "pack_methods",
      .summary = "pack methods on the GPU, split included",
      .needs_gpu = true,
      .defaults = {.sizes = {1'000'000, 2'000'000, 5'000'000, 10'000'000, 15'000'000, 20'000'000},
                   .distributions = {"uniform"}}};
  for (const pack::PackMethod& pack : pack::methods()) {
    if (!pack.competitive) continue;
    for (const pack::ElementKind elements : pack.elements) {
      what.series.push_back(gpu_build_series(gpu_build({.pack = pack.name, .elements = elements})));
    }
  }
  // Longer sections mean fewer splits, which chunks allow and shared memory bounds.
  for (const char* pack : {"shared_memory", "chunked"}) {
    for (const Index rows : {32U, 128U, 256U, 512U}) {
      if (rows == 512 && std::string_view(pack) == "shared_memory") continue;  // do not fit
      GpuBuild build = gpu_build({.pack = pack, .section_items = rows});
      build.name += "_sections_of_" + std::to_string(rows);
      what.series.push_back(gpu_build_series(build));
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
