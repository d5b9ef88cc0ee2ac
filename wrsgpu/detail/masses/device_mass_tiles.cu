#include "wrsgpu/detail/masses/device_mass_tiles.cuh"

#include <limits>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/masses/two_words.cuh"
#include "wrsgpu/detail/masses/warp_pairing.hpp"

namespace wrsgpu {
namespace {

/// Bit pattern of a weight, ordered like valid weights; the patterns of invalid weights are
/// greater.
[[nodiscard]] __device__ std::uint32_t bits_of(float weight) { return __float_as_uint(weight); }
[[nodiscard]] __device__ std::uint64_t bits_of(double weight) {
  return static_cast<std::uint64_t>(__double_as_longlong(weight));
}

[[nodiscard]] __device__ double weight_of(std::uint32_t bits) { return __uint_as_float(bits); }
[[nodiscard]] __device__ double weight_of(std::uint64_t bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}

template <class Bits>
[[nodiscard]] __device__ Bits greater_of(Bits a, Bits b) {
  return a > b ? a : b;
}

/// Finds the heaviest item of each group of eight neighbours. If a thread has loaded four of them
/// at a time, they are in `weight`; otherwise they are read once more.
template <class T, int thread_items>
__device__ void find_candidates(const T* weights, std::uint64_t left,
                                const T (&weight)[thread_items], std::uint8_t* candidates) {
  using Bits = decltype(bits_of(T{}));
  constexpr int threads = mass_tile_items / thread_items;
  static_assert(threads == 128);
  const Index thread = threadIdx.x;
  if constexpr (std::is_same_v<T, float>) {
    if (loads_vectors(weights, left)) {
      // A pair of threads shares group v * 64 + thread / 2 of each vector v. The first thread keeps
      // the groups of vectors 0 and 1, the second one those of 2 and 3: each pair of groups is one
      // byte.
      constexpr int vectors = thread_items / 4;
      static_assert(vectors == 4);
      const bool is_second = thread % 2 != 0;
      Bits key[vectors];
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        key[v] = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          key[v] = greater_of(
              key[v], warp_pairing::group_key(bits_of(weight[v * 4 + k]), static_cast<Index>(k)));
        }
        key[v] |= is_second ? 4 : 0;
      }
      Bits kept[2];
#pragma unroll
      for (int v = 0; v < 2; ++v) {
        const Bits other = __shfl_xor_sync(~0U, is_second ? key[v] : key[v + 2], 1);
        kept[v] = greater_of(other, is_second ? key[v + 2] : key[v]);
      }
      const Index byte = (is_second ? 64 : 0) + thread / 2;
      candidates[byte] = warp_pairing::candidates_of(warp_pairing::place_of(kept[0]),
                                                     warp_pairing::place_of(kept[1]));
      return;
    }
  }
  Index place[2];
#pragma unroll
  for (Index half = 0; half < 2; ++half) {
    const Index group = warp_pairing::candidate_group(thread, half);
    Bits key = 0;
    for (Index k = 0; k < warp_pairing::group_items; ++k) {
      const Index item = group * warp_pairing::group_items + k;
      if (item >= left) break;
      const T w = weights[item];
      key = greater_of(key, warp_pairing::group_key(w > 0 ? bits_of(w) : Bits{0}, k));
    }
    place[half] = warp_pairing::place_of(key);
  }
  candidates[thread] = warp_pairing::candidates_of(place[0], place[1]);
}

/// Step 1 of wrsgpu/detail/masses/mass_tiles.hpp. One block per tile.
template <class T, int threads, bool is_warp_parallel>
__global__ void __launch_bounds__(threads)
    sum_tiles(const T* weights, Index size, SummedTile* tiles, SweepStart sweep) {
  constexpr int thread_items = mass_tile_items / threads;
  constexpr int warps = threads / 32;
  using Bits = decltype(bits_of(T{}));
  __shared__ Bits warp_largest[warps];
  __shared__ TwoWords<std::uint32_t> warp_sum[warps];
  __shared__ unsigned long long first_invalid;
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * mass_tile_items;
  T weight[thread_items];
  load_tile<TileOrder::striped>(weights + begin, size - begin, weight);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  Bits bits = 0;
#pragma unroll
  for (int k = 0; k < thread_items; ++k) {
    bits = greater_of(bits, bits_of(weight[k]));
  }
  bits = warp_max(bits);
  if (threadIdx.x % 32 == 0) warp_largest[warp] = bits;
  if (threadIdx.x == 0) first_invalid = ~0ULL;
  __syncthreads();
#pragma unroll
  for (int w = 0; w < warps; ++w) bits = greater_of(bits, warp_largest[w]);
  // The sum of invalid weights is irrelevant; -0 is valid.
  if (bits > bits_of(std::numeric_limits<T>::max())) {
    __syncthreads();  // all threads have read warp_largest
    for (std::uint64_t i = begin + threadIdx.x; i < size && i < begin + mass_tile_items;
         i += threads) {
      const bool is_valid = weights[i] >= 0 && weights[i] <= std::numeric_limits<T>::max();
      if (!is_valid) atomicMin(&first_invalid, static_cast<unsigned long long>(i));
    }
    T largest = 0;
#pragma unroll
    for (int k = 0; k < thread_items; ++k) {
      const bool is_valid = weight[k] >= 0 && weight[k] <= std::numeric_limits<T>::max();
      if (!is_valid || weight[k] == 0) weight[k] = 0;  // also replaces -0
      largest = weight[k] > largest ? weight[k] : largest;
    }
    bits = warp_max(bits_of(largest));
    if (threadIdx.x % 32 == 0) warp_largest[warp] = bits;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < warps; ++w) bits = greater_of(bits, warp_largest[w]);
  }
  if constexpr (is_warp_parallel) {
    find_candidates(weights + begin, size - begin, weight,
                    sweep.candidates + std::size_t{blockIdx.x} * warp_pairing::candidate_bytes);
    if (blockIdx.x == 0 && threadIdx.x == 0) *sweep.taken = 0;
  }
  const double largest = weight_of(bits);
  const int shift = bits == 0 ? 0 : largest_shift(largest);
  const IntegerWeight<T> integer(shift);
  TwoWords<std::uint32_t> sum{0, 0};
#pragma unroll
  for (int k = 0; k < thread_items; ++k) sum.add(integer.floor(weight[k]));
  for (int lane = 16; lane > 0; lane /= 2) {
    const std::uint64_t low = __shfl_xor_sync(~0U, sum.low, lane);
    sum.add(low, __shfl_xor_sync(~0U, sum.high, lane));
  }
  if (threadIdx.x % 32 == 0) warp_sum[warp] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < warps; ++w) sum.add(warp_sum[w].low, warp_sum[w].high);
  tiles[blockIdx.x] = {bits == 0 ? TileSum{0, SummedTile::no_shift} : normalised(sum.sum(), shift),
                       largest, first_invalid};
}

}  // namespace

template <class T>
SummedTile* sum_tiles_on_device(std::span<const T> weights, DeviceArena& arena, cudaStream_t stream,
                                const SweepStart* sweep) {
  const auto size = static_cast<Index>(weights.size());
  const Index count = mass_tile_count(size);
  auto* tiles = arena.take<SummedTile>(count);
  if (!arena.has_block()) return tiles;
  if (sweep != nullptr) {
    sum_tiles<T, mass_tile_threads, true>
        <<<count, mass_tile_threads, 0, stream>>>(weights.data(), size, tiles, *sweep);
  } else if (are_few(count)) {
    sum_tiles<T, few_tiles_threads, false>
        <<<count, few_tiles_threads, 0, stream>>>(weights.data(), size, tiles, SweepStart{});
  } else {
    sum_tiles<T, mass_tile_threads, false>
        <<<count, mass_tile_threads, 0, stream>>>(weights.data(), size, tiles, SweepStart{});
  }
  check_launch("sum_tiles");
  return tiles;
}

template SummedTile* sum_tiles_on_device(std::span<const float>, DeviceArena&, cudaStream_t,
                                         const SweepStart*);
template SummedTile* sum_tiles_on_device(std::span<const double>, DeviceArena&, cudaStream_t,
                                         const SweepStart*);

}  // namespace wrsgpu
