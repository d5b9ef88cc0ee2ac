// The pack methods that are not competitive, and the baseline to compare them with (thesis Table
// 5.1). Names: construct/<split>_<pack>/<distribution>/<N>. Weights that are all equal are there
// for the method that refuses most others.
#include "experiments/common/gpu_builds.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{.name = "uncompetitive_packs",
                  .summary = "pack methods that are not competitive",
                  .needs_gpu = true,
                  .defaults = {.sizes = {10'000'000}, .distributions = {"uniform"}}};
  for (const pack::PackMethod& pack : pack::methods()) {
    if (pack.competitive && pack.name != "baseline") continue;
    const GpuBuild build = gpu_build({.pack = pack.name, .elements = pack::ElementKind::index});
    if (!pack.refuses_weights) {
      what.series.push_back(gpu_build_series(build));
      continue;
    }
    // These pack where no section overlaps, so the baseline is measured there too.
    GpuBuild baseline = gpu_build({.pack = "baseline", .elements = pack::ElementKind::index});
    what.series.push_back({build.name, pack.name, [build, baseline](const Axes& axes) {
                             for (const std::uint64_t n : axes.sizes) {
                               add_gpu_build(build, "construct", "heavy_fraction_0", n);
                               add_gpu_build(baseline, "construct", "heavy_fraction_0", n);
                             }
                           }});
  }
  return what;
}

}  // namespace wrsgpu::experiments
