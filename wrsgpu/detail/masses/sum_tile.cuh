// Step 1 of wrsgpu/detail/masses/mass_tiles.hpp by a block.
#pragma once

#include <limits>

#include "wrsgpu/detail/masses/device_mass_tiles.cuh"
#include "wrsgpu/detail/masses/two_words.cuh"
#include "wrsgpu/detail/masses/weight_bits.cuh"

namespace wrsgpu {

/// Checks and sums the weights of a tile, by a block of `threads` threads.
template <class T, int threads>
class TileSummation {
  static constexpr int thread_items = mass_tile_items / threads;
  static constexpr int warps = threads / 32;
  using Bits = decltype(bits_of(T{}));

 public:
  struct Storage {
    Bits warp_largest[warps];
    TwoWords<std::uint32_t> warp_sum[warps];
    unsigned long long first_invalid;
  };

  /// Of the tile of these items, whose weights the threads have loaded in any order, 0 beyond the
  /// last one. Replaces invalid weights in the registers by 0, and then calls `use`. Returned
  /// to the first thread.
  template <class Items, class Use>
  [[nodiscard]] static __device__ SummedTile of(Storage& storage, const T* weights,
                                                const Items& items, T (&weight)[thread_items],
                                                const Use& use) {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const auto largest_of_block = [&](Bits own) {
      Bits bits = warp_max(own);
      if (threadIdx.x % 32 == 0) storage.warp_largest[warp] = bits;
      __syncthreads();
#pragma unroll
      for (int w = 0; w < warps; ++w) bits = greater_of(bits, storage.warp_largest[w]);
      return bits;
    };
    Bits bits = 0;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) bits = greater_of(bits, bits_of(weight[k]));
    if (threadIdx.x == 0) storage.first_invalid = ~0ULL;
    bits = largest_of_block(bits);
    // The sum of invalid weights is irrelevant; -0 is valid.
    if (bits > bits_of(std::numeric_limits<T>::max())) {
      __syncthreads();  // all threads have read the largest of the warps
      for (Index place = threadIdx.x; place < items.size(); place += threads) {
        const Index i = items(place);
        const bool is_valid = weights[i] >= 0 && weights[i] <= std::numeric_limits<T>::max();
        if (!is_valid) atomicMin(&storage.first_invalid, 0ULL + i);
      }
      T largest = 0;
#pragma unroll
      for (int k = 0; k < thread_items; ++k) {
        const bool is_valid = weight[k] >= 0 && weight[k] <= std::numeric_limits<T>::max();
        if (!is_valid || weight[k] == 0) weight[k] = 0;  // also replaces -0
        largest = weight[k] > largest ? weight[k] : largest;
      }
      bits = largest_of_block(bits_of(largest));
    }
    use();
    const int shift = bits == 0 ? 0 : largest_shift(weight_of(bits));
    const IntegerWeight<T> integer(shift);
    TwoWords<std::uint32_t> sum{0, 0};
#pragma unroll
    for (int k = 0; k < thread_items; ++k) sum.add(integer.floor(weight[k]));
    for (int lane = 16; lane > 0; lane /= 2) {
      const std::uint64_t low = __shfl_xor_sync(~0U, sum.low, lane);
      sum.add(low, __shfl_xor_sync(~0U, sum.high, lane));
    }
    if (threadIdx.x % 32 == 0) storage.warp_sum[warp] = sum;
    __syncthreads();
    if (threadIdx.x > 0) return SummedTile::identity();
    for (int w = 1; w < warps; ++w) sum.add(storage.warp_sum[w].low, storage.warp_sum[w].high);
    return {bits == 0 ? TileSum{0, SummedTile::no_shift} : normalised(sum.sum(), shift),
            weight_of(bits), storage.first_invalid};
  }
};

}  // namespace wrsgpu
