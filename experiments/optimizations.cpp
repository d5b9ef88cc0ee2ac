// The variations of thesis 4.8 that are switches of one construction: stores of 128 bits, prefix
// sums on two streams, interleaved split and pack, cache configuration, managed memory. Names:
// construct/<variation>/<distribution>/<N> with the rows per section that the pack method prefers,
// and pack/<variation>/<distribution>/<N>/rows:<rows>. Interleaving needs fixed-point arithmetic,
// so its own baseline is there.
#include <algorithm>
#include <array>

#include "experiments/common/gpu_builds.hpp"

namespace wrsgpu::experiments {
namespace {

/// Also those of 580,000 sections of 5 * 10^7 rows, for which the thesis counts what stores move
/// (4.8.2).
std::vector<std::uint64_t> rows_per_section() {
  std::vector<std::uint64_t> all(section_rows.size() + 1);
  std::ranges::merge(section_rows, std::array<std::uint64_t, 1>{86}, all.begin());
  return all;
}

}  // namespace

Experiment experiment() {
  Experiment what{.name = "optimizations",
                  .summary = "the variations of thesis 4.8",
                  .needs_gpu = true,
                  .defaults = {.sizes = {10'000'000, 100'000'000},
                               .distributions = {"uniform", "powerlaw_1_shuffled"},
                               .rows = rows_per_section()}};
  const TableOptions fixed{Arithmetic::fixed_point, Layout::wide_rows, 0};
  const std::vector<GpuBuild> variations{
      {.name = "stores_128", .profile = true},
      {.name = "stores_64", .method = {.narrow_stores = true}, .profile = true},
      {.name = "sums_one_by_one", .method = {.prefix_sums = PrefixSums::one_by_one}},
      {.name = "sums_two_streams", .method = {.prefix_sums = PrefixSums::two_streams}},
      {.name = "split_then_pack", .table = fixed},
      {.name = "interleaved_10", .method = {.interleaved_parts = 10}, .table = fixed},
      {.name = "prefer_l1", .method = {.cache = Cache::prefer_l1}},
      {.name = "prefer_shared", .method = {.cache = Cache::prefer_shared}},
      {.name = "baseline_no_preference", .method = {.pack = "baseline"}},
      {.name = "baseline_prefer_l1", .method = {.pack = "baseline", .cache = Cache::prefer_l1}},
      // Its pages are on the device by then; with their migration: transfer/both_managed.
      {.name = "managed_memory", .managed = true},
  };
  for (const GpuBuild& variation : variations) {
    what.series.push_back(gpu_build_series(variation));
    what.series.push_back(pack_by_rows_series(variation));
  }
  return what;
}

}  // namespace wrsgpu::experiments
