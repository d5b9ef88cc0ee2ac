// Low-latency block-wide exclusive scan, for results on which all other work depends.
#pragma once

#include <cuda_runtime_api.h>

namespace wrsgpu {

/// The exclusive prefix of a thread, and the total of the block.
template <class Sum>
struct BlockSum {
  Sum before;
  Sum all;
};

/// For blocks of at most `threads` threads, which is at most 1024; both are multiples of 32. `Sum`
/// has
///   Sum{}               the identity
///   a + b
///   shuffled(shuffle)   the sum of another lane: `shuffle` applied to each of its numbers
/// and may have
///   add_below(distance) adds that of the lane so far below, if there is one, in fewer instructions
/// Each warp scans its values, then every warp scans the totals of all warps. cub::BlockScan visits
/// the warps one by one, which takes three times as long for sums of 16 bytes. Sums in local memory
/// take even longer, so there is no shuffle of raw bytes.
template <class Sum, unsigned threads>
class BlockScan {
 public:
  struct Storage {
    Sum of_warp[threads / 32];
  };

  /// All threads of the block must call it. The storage may be reused after the next barrier.
  [[nodiscard]] static __device__ BlockSum<Sum> exclusive(Storage& storage, const Sum& own) {
    constexpr unsigned warps = threads / 32;
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    const Sum inclusive_sum = inclusive<32>(own, lane);
    if (lane == 31) storage.of_warp[warp] = inclusive_sum;
    __syncthreads();
    const Sum of_warps =
        inclusive<warps>(lane < blockDim.x / 32 ? storage.of_warp[lane] : Sum{}, lane);
    const Sum lanes_before =
        inclusive_sum.shuffled([](auto number) { return __shfl_up_sync(~0U, number, 1U); });
    const Sum warps_before = of_lane(of_warps, warp == 0 ? 0 : warp - 1);
    const Sum before = warp == 0 ? Sum{} : warps_before;
    return {lane == 0 ? before : before + lanes_before, of_lane(of_warps, warps - 1)};
  }

  /// Sums over the first `lanes` lanes of a warp, returned to all of its threads: the exclusive
  /// prefix of lane `of`, and the total.
  template <unsigned lanes>
  [[nodiscard]] static __device__ BlockSum<Sum> of_lanes(const Sum& own, unsigned of) {
    const Sum inclusive_sum = inclusive<lanes>(own, threadIdx.x % 32);
    const Sum before = of_lane(inclusive_sum, of == 0 ? 0 : of - 1);
    return {of == 0 ? Sum{} : before, of_lane(inclusive_sum, lanes - 1)};
  }

 private:
  template <unsigned lanes>
  [[nodiscard]] static __device__ Sum inclusive(Sum sum, unsigned lane) {
#pragma unroll
    for (unsigned distance = 1; distance < lanes; distance *= 2) {
      if constexpr (requires { sum.add_below(distance); }) {
        sum.add_below(distance);
      } else {
        const Sum other =
            sum.shuffled([&](auto number) { return __shfl_up_sync(~0U, number, distance); });
        if (lane >= distance) sum = other + sum;
      }
    }
    return sum;
  }
  [[nodiscard]] static __device__ Sum of_lane(const Sum& sum, unsigned lane) {
    return sum.shuffled([&](auto number) { return __shfl_sync(~0U, number, lane); });
  }
};

}  // namespace wrsgpu
