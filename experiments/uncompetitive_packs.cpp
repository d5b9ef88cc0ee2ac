// The pack methods that are not competitive, and the baseline to compare them with (thesis Table
// 5.1). Names: construct/<split>_<pack>/<distribution>/<N> with the rows per section that the
// method prefers, and pack/<split>_<pack>[_masses]/<distribution>/<N>/rows:<rows>. Weights that are
// all equal are there for the method that refuses most others.
#include <utility>

#include "experiments/common/gpu_builds.hpp"

namespace wrsgpu::experiments {
namespace {

/// Of equal weights, of which no sections overlap, whatever the distributions asked for.
Series of_equal_weights(Series series) {
  series.add = [add = std::move(series.add)](Axes axes) {
    axes.distributions = {"heavy_fraction_0"};
    add(axes);
  };
  return series;
}

Series construct_series(const pack::PackMethod& pack) {
  const GpuBuild build = gpu_build({.pack = pack.name, .elements = pack::ElementKind::index});
  if (!pack.refuses_weights) return gpu_build_series(build);
  const GpuBuild baseline = gpu_build({.pack = "baseline", .elements = pack::ElementKind::index});
  return of_equal_weights({build.name, pack.name, [build, baseline](const Axes& axes) {
                             gpu_build_series(build).add(axes);
                             gpu_build_series(baseline).add(axes);
                           }});
}

void add_by_rows(Experiment& what, const pack::PackMethod& pack) {
  const bool is_baseline = pack.name == "baseline";
  for (const pack::ElementKind elements : pack.elements) {
    Series series = pack_by_rows_series(gpu_build({.pack = pack.name, .elements = elements}));
    if (!pack.refuses_weights) what.series.push_back(series);
    if (!pack.refuses_weights && !is_baseline) continue;
    series.name += "_of_equal_weights";
    what.series.push_back(of_equal_weights(series));
  }
}

}  // namespace

Experiment experiment() {
  Experiment what{
      .name = "uncompetitive_packs",
      .summary = "pack methods that are not competitive",
      .needs_gpu = true,
      .defaults = {.sizes = {10'000'000}, .distributions = {"uniform"}, .rows = section_rows}};
  for (const pack::PackMethod& pack : pack::methods()) {
    const bool is_baseline = pack.name == "baseline";
    if (pack.competitive && !is_baseline && pack.name != "baseline_branched") continue;
    if (is_baseline || !pack.competitive) what.series.push_back(construct_series(pack));
    add_by_rows(what, pack);
  }
  return what;
}

}  // namespace wrsgpu::experiments
