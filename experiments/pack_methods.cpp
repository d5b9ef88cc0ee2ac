// The competitive pack methods, with partial p-ary split (thesis Figure 5.2). Times are of the
// whole construction, because the pack method decides how many splits there are. Names:
// construct/<split>_<pack>[_masses][_sections_of_<rows>]/<distribution>/<N> with the rows per
// section that the method prefers, and pack/<split>_<pack>[_masses]/<distribution>/<N>/rows:<rows>.
#include <algorithm>
#include <array>
#include <string_view>

#include "experiments/common/gpu_builds.hpp"

namespace wrsgpu::experiments {
namespace {

/// 1 to 20 million items, as in the figure.
std::vector<std::uint64_t> sizes_of_figure() {
  std::vector<std::uint64_t> sizes(20);
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = (i + 1) * 1'000'000;
  return sizes;
}

/// Over all sizes if the figure has the pack method, otherwise over some.
Series construct_series(const GpuBuild& build) {
  constexpr std::array<std::string_view, 4> in_figure{"baseline", "shared_memory", "chunked",
                                                      "chunked_tuned"};
  const bool has_default_sections = build.method.section_items == 0;
  Series series = gpu_build_series(build);
  if (!has_default_sections ||
      std::find(in_figure.begin(), in_figure.end(), build.method.pack) == in_figure.end()) {
    series.defaults.sizes = {1'000'000, 2'000'000, 5'000'000, 10'000'000, 15'000'000, 20'000'000};
  }
  return series;
}

}  // namespace

Experiment experiment() {
  Experiment what{
      .name = "pack_methods",
      .summary = "pack methods on the GPU, split included",
      .needs_gpu = true,
      .defaults = {.sizes = sizes_of_figure(), .distributions = {"uniform"}, .rows = section_rows}};
  for (const pack::PackMethod& pack : pack::methods()) {
    if (!pack.competitive) continue;
    for (const pack::ElementKind elements : pack.elements) {
      const GpuBuild build = gpu_build({.pack = pack.name, .elements = elements});
      what.series.push_back(construct_series(build));
      what.series.push_back(pack_by_rows_series(build));
    }
  }
  // Longer sections mean fewer splits, which chunks allow and shared memory bounds.
  for (const char* pack : {"shared_memory", "chunked"}) {
    for (const Index rows : {32U, 128U, 256U, 512U}) {
      if (rows == 512 && std::string_view(pack) == "shared_memory") continue;  // do not fit
      GpuBuild build = gpu_build({.pack = pack, .section_items = rows});
      build.name += "_sections_of_" + std::to_string(rows);
      what.series.push_back(construct_series(build));
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
