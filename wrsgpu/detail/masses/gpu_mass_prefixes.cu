#include "wrsgpu/detail/masses/gpu_mass_prefixes.cuh"

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/exclusive_scan.cuh"
#include "wrsgpu/detail/masses/balance.cuh"

namespace wrsgpu {
namespace {

__global__ void copy_tile_masses(const MassTile* tiles, Index count, std::uint64_t* masses) {
  const std::uint64_t tile = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (tile <= count) masses[tile] = tile < count ? tiles[tile].mass : 0;
}

}  // namespace

template <class T>
PrefixedTiles find_prefixed_tiles(std::span<const T> weights, DeviceWeightSummary* summary,
                                  DeviceArena& arena, cudaStream_t stream) {
  const Index count = mass_tile_count(weights.size());
  auto* const mass_before = arena.take<std::uint64_t>(std::size_t{count} + 1);
  const MassTile* const tiles = merge::balance_tiles(weights, summary, arena, stream).tiles;
  if (arena.has_block()) {
    constexpr unsigned threads = 256;
    copy_tile_masses<<<blocks_for(std::uint64_t{count} + 1, threads), threads, 0, stream>>>(
        tiles, count, mass_before);
    check_launch("copy_tile_masses");
  }
  exclusive_scan(mass_before, std::uint64_t{count} + 1, arena, stream);
  return {tiles, mass_before};
}

template PrefixedTiles find_prefixed_tiles(std::span<const float>, DeviceWeightSummary*,
                                           DeviceArena&, cudaStream_t);
template PrefixedTiles find_prefixed_tiles(std::span<const double>, DeviceWeightSummary*,
                                           DeviceArena&, cudaStream_t);

}  // namespace wrsgpu
