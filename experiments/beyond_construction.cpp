// The exact construction from float and from double weights into compact rows (and into 16-byte
// rows for comparison), in the form that the number of items selects and in either form; and the
// methods of PSA and PSA+ that are the fastest for some input, from the same weights into 16-byte
// rows, and in fixed-point arithmetic into compact ones (other splits and packs were slower in
// unrecorded runs). Names: construct/merge[_wide][_double]/<distribution>/<N>,
// construct/{merged,swept}/<distribution>/<N>,
// construct/<split>_<pack>_masses[_psa_plus][_compact][_double]/<distribution>/<N>.
#include <cstdint>
#include <memory>
#include <string>

#include "construction/alias_table_merge_gpu.cuh"
#include "experiments/common/exact_builds.hpp"
#include "experiments/common/gpu_builds.hpp"

namespace wrsgpu::experiments {
namespace {

constexpr TableOptions compact{Arithmetic::fixed_point, Layout::compact_rows, 0};
constexpr TableOptions wide{Arithmetic::fixed_point, Layout::wide_rows, 0};

Series series(const std::string& name, WeightsView::Type weights, const TableOptions& options,
              TableForm form) {
  return exact_build_series(name, "merge", weights,
                            [=] { return std::make_unique<AliasTableMergeGpu>(options, form); });
}

Series psa(const SplitGpuOptions& method, WeightsView::Type weights, const TableOptions& table) {
  GpuBuild build = gpu_build(method);
  if (table.layout == Layout::compact_rows) build.name += "_compact";
  if (weights == WeightsView::Type::float64) build.name += "_double";
  build.table = table;
  build.weights = weights;
  return gpu_build_series(build);
}

/// Weights of periods that meet interleaved tiles: as long as a row of chunks, or as some groups of
/// them.
Series of_periods(Series merge) {
  merge.defaults = {
      .sizes = {100'000'000},
      .distributions = {"square_wave_3124992", "heavy_chunks_3124992", "heavy_chunks_131072"}};
  // The other series of this name measures the distributions that the command line gives.
  merge.add = [own = merge.defaults.distributions, add = merge.add](const Axes& axes) {
    if (axes.distributions == own) add(axes);
  };
  return merge;
}

}  // namespace

Experiment experiment() {
  constexpr auto float32 = WeightsView::Type::float32;
  constexpr auto float64 = WeightsView::Type::float64;
  constexpr std::uint64_t few = 1'000'000;  // beyond these, others of PSA are faster
  constexpr std::uint64_t many = 100'000'000;
  Experiment what{
      .name = "beyond_construction",
      .summary = "exact construction on the GPU, by a merge and by sweeps",
      .needs_gpu = true,
      .hides_launches = true,
      .defaults = {.sizes = {1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000,
                             1'000'000'000},
                   .distributions = {"uniform", "powerlaw_0.5_shuffled", "powerlaw_1_shuffled",
                                     "powerlaw_1", "powerlaw_2", "ramp", "words", "sine",
                                     "one_light", "heavy_fraction_90_leading"}},
      .series = {
          series("merge", float32, compact, TableForm::by_size),
          of_periods(series("merge", float32, compact, TableForm::by_size)),
          series("merge_wide", float32, wide, TableForm::by_size),
          with_max_size(many, series("merge_double", float64, compact, TableForm::by_size)),
          with_max_size(many, series("merge_wide_double", float64, wide, TableForm::by_size)),
          with_max_size(many, series("merged", float32, compact, TableForm::merge_path)),
          with_max_size(many, series("swept", float32, compact, TableForm::warp_parallel))}};
  for (const auto weights : {float32, float64}) {
    // Of 10^9 items what is the fastest for some inputs of 10^8.
    const std::uint64_t maximum = weights == float32 ? 1'000'000'000 : many;
    what.series.push_back(with_max_size(maximum, psa({}, weights, {})));
    what.series.push_back(with_max_size(maximum, psa({.psa_plus = true}, weights, compact)));
    what.series.push_back(with_max_size(many, psa({}, weights, compact)));
    what.series.push_back(with_max_size(few, psa({.psa_plus = true}, weights, {})));
    what.series.push_back(with_max_size(few, psa({.split = "baseline"}, weights, {})));
  }
  return what;
}

}  // namespace wrsgpu::experiments
