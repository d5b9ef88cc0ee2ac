#include "wrsgpu/detail/masses/gpu_mass_prefixes.cuh"

#include "wrsgpu/detail/masses/balance.cuh"

namespace wrsgpu {

template <class T>
PrefixedTiles find_prefixed_tiles(std::span<const T> weights, DeviceWeightSummary* summary,
                                  DeviceArena& arena, cudaStream_t stream) {
  const auto [tiles, balance] = merge::balance_tiles(weights, summary, arena, stream, nullptr,
                                                     merge::BalanceFor::prefix_sums);
  return {tiles, balance.mass_before, &balance.counters->order_taken};
}

template PrefixedTiles find_prefixed_tiles(std::span<const float>, DeviceWeightSummary*,
                                           DeviceArena&, cudaStream_t);
template PrefixedTiles find_prefixed_tiles(std::span<const double>, DeviceWeightSummary*,
                                           DeviceArena&, cudaStream_t);

}  // namespace wrsgpu
