// The exact construction: float weights, compact rows (and 16-byte rows to compare), in the form
// that the number of items decides, and in either; and what is the fastest of PSA and PSA+ for some
// input, from the same weights into 16-byte rows, and by fixed-point arithmetic into compact ones.
// Names: construct/merge[_wide]/<distribution>/<N>, construct/{merged,swept}/<distribution>/<N>,
// construct/<split>_<pack>_masses[_psa_plus][_compact]/<distribution>/<N>.
#include <memory>
#include <string>
#include <vector>

#include "common/exact_builds.hpp"
#include "common/gpu_builds.hpp"
#include "wrsgpu/construction/alias_table_merge_gpu.cuh"

namespace wrsgpu::experiments {
namespace {

constexpr TableOptions compact{Arithmetic::fixed_point, Layout::compact_rows, 0};
constexpr TableOptions wide{Arithmetic::fixed_point, Layout::wide_rows, 0};

Series series(const std::string& name, const TableOptions& options, TableForm form) {
  return exact_build_series(name, "merge",
                            [=] { return std::make_unique<AliasTableMergeGpu>(options, form); });
}

/// Adds PSA and PSA+ by the pack methods that are the fastest for some input.
void add_psa(std::vector<Series>& all, const TableOptions& table, const std::string& suffix) {
  for (const bool psa_plus : {false, true}) {
    for (const char* pack : {"shared_memory", "chunked"}) {
      GpuBuild build = gpu_build({.pack = pack, .psa_plus = psa_plus});
      build.name += suffix;
      build.table = table;
      build.weights = WeightsView::Type::float32;
      all.push_back(without_largest(gpu_build_series(build)));
    }
  }
}

}  // namespace

Experiment experiment() {
  Experiment what{
      .name = "beyond_construction",
      .summary = "exact construction on the GPU, by a merge and by sweeps",
      .needs_gpu = true,
      .hides_launches = true,
      .defaults = {.sizes = {1'000'000, 10'000'000, 100'000'000, 1'000'000'000},
                   .distributions = {"uniform", "powerlaw_0.5_shuffled", "powerlaw_1_shuffled",
                                     "powerlaw_1", "powerlaw_2", "ramp", "words", "sine",
                                     "one_light", "heavy_fraction_90_leading"}},
      .series = {series("merge", compact, TableForm::by_size),
                 series("merge_wide", wide, TableForm::by_size),
                 without_largest(series("merged", compact, TableForm::merged)),
                 without_largest(series("swept", compact, TableForm::swept))}};
  add_psa(what.series, {}, "");
  add_psa(what.series, compact, "_compact");
  return what;
}

}  // namespace wrsgpu::experiments
