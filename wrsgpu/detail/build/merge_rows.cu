#include "wrsgpu/detail/build/merge_rows.cuh"

namespace wrsgpu::detail {
namespace {

template <class T>
[[nodiscard]] TilesToSweep find_tiles(std::span<const T> w, DeviceWeightSummary* summary,
                                      DeviceArena& arena, cudaStream_t stream) {
  const Index count = mass_tile_count(w.size());
  const SweepStart start{
      arena.take<std::uint8_t>(std::size_t{count} * warp_pairing::candidate_bytes),
      arena.take<Index>(1)};
  auto* const exported_mask =
      arena.take<warp_pairing::RowMask>(std::size_t{count} * warp_pairing::tile_masks);
  auto* const overflow_tiles =
      arena.take<warp_pairing::PairingTask>(warp_pairing::max_overflow_tiles(count));
  return {start, exported_mask, overflow_tiles,
          merge::balance_tiles(w, summary, arena, stream, &start)};
}

}  // namespace

TilesToSweep tiles_to_sweep(std::span<const float> w, DeviceWeightSummary* summary,
                            DeviceArena& arena, cudaStream_t stream) {
  return find_tiles(w, summary, arena, stream);
}
TilesToSweep tiles_to_sweep(std::span<const double> w, DeviceWeightSummary* summary,
                            DeviceArena& arena, cudaStream_t stream) {
  return find_tiles(w, summary, arena, stream);
}

template void merge_rows<float, CompactRows>(std::span<const float>, const merge::BalancedTiles&,
                                             const merge::MergeExports&, const DeviceWeightSummary*,
                                             const CompactRows&, cudaStream_t);
template void merge_rows<double, CompactRows>(std::span<const double>, const merge::BalancedTiles&,
                                              const merge::MergeExports&,
                                              const DeviceWeightSummary*, const CompactRows&,
                                              cudaStream_t);
template void sweep_rows<float, CompactRows>(std::span<const float>, const TilesToSweep&,
                                             std::byte*, const DeviceWeightSummary*,
                                             const CompactRows&, cudaStream_t);
template void sweep_rows<double, CompactRows>(std::span<const double>, const TilesToSweep&,
                                              std::byte*, const DeviceWeightSummary*,
                                              const CompactRows&, cudaStream_t);

}  // namespace wrsgpu::detail
