// The milestones of the thesis (Figure 5.5): each series adds one idea to the one before it.
// Names: construct/<milestone>/<distribution>/<N> with the rows per section that the pack method
// prefers, and pack/<milestone>/<distribution>/<N>/rows:<rows>.
#include "experiments/common/gpu_builds.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  using pack::ElementKind;
  Experiment what{
      .name = "progress",
      .summary = "the milestones of the thesis",
      .needs_gpu = true,
      .defaults = {.sizes = {10'000'000}, .distributions = {"uniform"}, .rows = section_rows}};
  const std::vector<GpuBuild> milestones{
      {.name = "1_branched_reads",
       .method = {.split = "baseline",
                  .pack = "baseline_branched",
                  .elements = ElementKind::index,
                  .partition = "classification_kernel"}},
      {.name = "2_pointer_arithmetic",
       .method = {.split = "baseline",
                  .pack = "baseline",
                  .elements = ElementKind::index,
                  .partition = "classification_kernel"}},
      {.name = "3_cub_partition",
       .method = {.split = "baseline", .pack = "baseline", .elements = ElementKind::index}},
      {.name = "4_partial_p_ary_split",
       .method = {.pack = "baseline", .elements = ElementKind::index}},
      {.name = "5_shared_memory",
       .method = {.pack = "shared_memory", .elements = ElementKind::index}},
      {.name = "6_masses_in_l_and_h", .method = {.pack = "shared_memory"}},
      {.name = "7_chunked", .method = {.pack = "chunked"}},
      {.name = "8_psa_plus", .method = {.pack = "chunked", .psa_plus = true}},
  };
  for (const GpuBuild& milestone : milestones) {
    what.series.push_back(gpu_build_series(milestone));
    what.series.push_back(pack_by_rows_series(milestone));
  }
  return what;
}

}  // namespace wrsgpu::experiments
