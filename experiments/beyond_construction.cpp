// The exact construction: float weights, compact rows (and 16-byte rows to compare), in the form
// that the number of items decides, and in either; and what is the fastest of PSA and PSA+ for some
// input, from the same weights into 16-byte rows. Names: construct/merge[_wide]/<distribution>/<N>,
// construct/{merged,swept}/<distribution>/<N>,
// construct/<split>_<pack>[_masses][_psa_plus]/<distribution>/<N>.
#include <memory>
#include <string>

#include "common/exact_builds.hpp"
#include "common/gpu_builds.hpp"
#include "wrsgpu/construction/alias_table_merge_gpu.cuh"

namespace wrsgpu::experiments {
namespace {

Series series(const std::string& name, Layout layout, TableForm form) {
  return exact_build_series(name, "merge", [=] {
    return std::make_unique<AliasTableMergeGpu>(TableOptions{Arithmetic::fixed_point, layout, 0},
                                                form);
  });
}

Series psa_series(const char* pack, bool psa_plus) {
  GpuBuild build = gpu_build({.pack = pack, .psa_plus = psa_plus});
  build.weights = WeightsView::Type::float32;
  return without_largest(gpu_build_series(build));
}

}  // namespace

Experiment experiment() {
  return {.name = "beyond_construction",
          .summary = "exact construction on the GPU, by a merge and by sweeps",
          .needs_gpu = true,
          .hides_launches = true,
          .defaults = {.sizes = {1'000'000, 10'000'000, 100'000'000, 1'000'000'000},
                       .distributions = {"uniform", "powerlaw_0.5_shuffled", "powerlaw_1_shuffled",
                                         "powerlaw_1", "powerlaw_2", "ramp", "words", "sine",
                                         "one_light", "heavy_fraction_90_leading"}},
          .series = {series("merge", Layout::compact_rows, TableForm::by_size),
                     series("merge_wide", Layout::wide_rows, TableForm::by_size),
                     without_largest(series("merged", Layout::compact_rows, TableForm::merged)),
                     without_largest(series("swept", Layout::compact_rows, TableForm::swept)),
                     psa_series("shared_memory", false), psa_series("chunked", false),
                     psa_series("shared_memory", true), psa_series("chunked", true)}};
}

}  // namespace wrsgpu::experiments
