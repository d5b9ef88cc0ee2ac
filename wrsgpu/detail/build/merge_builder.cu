#include "wrsgpu/detail/build/merge_builder.cuh"

#include <string>
#include <utility>

#include "wrsgpu/detail/build/merge_rows.cuh"
#include "wrsgpu/detail/masses/gpu_item_probabilities.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

namespace {

constexpr auto compact = [](DeviceTable& table, const auto& use) { use(table.compact_rows()); };

}  // namespace

DeviceTableBuilder::WriteRows MergeBuilder::launch_sums(WeightsView weights,
                                                        DeviceWeightSummary* summary,
                                                        DeviceArena& arena,
                                                        cudaStream_t stream) const {
  const auto sums = detail::launch_merge_sums_for(compact, form_, weights, summary, arena, stream);
  return [=, this](DeviceTable& table, DeviceArena& more) {
    sums.write_rows(table, more);
    if (more.has_block()) launch_extras(weights, sums.tiles, summary, stream);
  };
}

void MergeBuilder::launch_extras(WeightsView weights, const DeviceMassTiles& tiles,
                                 const DeviceWeightSummary* summary, cudaStream_t stream) const {
  if (kept_.tiles != nullptr) keep_mass_tiles(tiles, summary, kept_, stream);
  if (probabilities_ != nullptr) {
    write_probabilities_on_device(weights, tiles, summary, probabilities_, stream);
  }
}

void MergeBuilder::launch(WeightsView weights, DeviceTable& table, DeviceWeightSummary* summary,
                          DeviceArena& arena, cudaStream_t stream) const {
  const MassTile* const tile =
      detail::launch_single_tile_for(compact, form_, weights, table, summary, arena, stream);
  if (tile == nullptr) {
    DeviceTableBuilder::launch(weights, table, summary, arena, stream);
  } else {
    launch_extras(weights, {tile, {static_cast<Index>(weights.size())}}, summary, stream);
  }
}

MergeBuilder::MergeBuilder(unsigned threads, TableForm form)
    : DeviceTableBuilder({Arithmetic::fixed_point, Layout::compact_rows, threads}), form_(form) {}

}  // namespace wrsgpu
