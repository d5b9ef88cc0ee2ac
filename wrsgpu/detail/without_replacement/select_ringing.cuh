// The k-th clock by its digits, for when the estimate of the threshold misled.
#pragma once

#include <cooperative_groups.h>

#include <cub/block/block_scan.cuh>

#include "wrsgpu/detail/without_replacement/choose_state.cuh"
#include "wrsgpu/detail/without_replacement/find_ringing.cuh"

namespace wrsgpu::detail {

/// Where the k-th clock is, given how many have each digit.
struct DigitOfClock {
  unsigned digit;
  unsigned before;  ///< clocks of smaller digits
  unsigned own;     ///< clocks of this digit
};

/// Finds the digit of the `rank`-th clock, counted from 1; digit `ClockDigits::count` if
/// there are fewer.
__device__ inline DigitOfClock find_digit(const unsigned* histogram, unsigned rank) {
  using Scan = cub::BlockScan<unsigned, choose_threads>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ DigitOfClock result;
  constexpr unsigned thread_digits = ClockDigits::count / choose_threads;
  const unsigned first = threadIdx.x * thread_digits;
  unsigned own = 0;
  for (unsigned d = 0; d < thread_digits; ++d) own += __ldcg(histogram + first + d);
  unsigned before = 0;
  if (threadIdx.x == 0) result = {ClockDigits::count, 0, 0};
  Scan(storage).ExclusiveSum(own, before);  // has a barrier
  __syncthreads();
  if (before < rank && rank - before <= own) {
    unsigned digit = first;
    while (rank - before > __ldcg(histogram + digit)) before += __ldcg(histogram + digit++);
    result = {digit, before, __ldcg(histogram + digit)};
  }
  __syncthreads();
  return result;
}

/// Whether the pass found too few clocks or more than fit.
[[nodiscard]] __device__ inline bool must_select(const ChooseOutcome& outcome, Index chosen,
                                                 Index capacity) {
  if (outcome.invalid_complement != 0) return false;
  const bool are_all = outcome.threshold() == never;
  return outcome.found > capacity || (outcome.found < chosen && !are_all);
}

/// Shared memory of `select_ringing`.
template <class T>
struct SelectStorage {
  CandidateQueue<T> queues[choose_warps];
  typename QuadReader<T>::Storage quads;
  unsigned histogram[ClockDigits::count];
};

/// Finds a threshold before which at least `chosen` and at most `capacity` clocks ring, by
/// histograms of their digits, and stores those. By all blocks of a cooperative grid.
template <class T>
__device__ void select_ringing(SelectStorage<T>& storage, QuadReader<T> reader, Index chosen,
                               RandomState random, const Clocks& found, Index capacity,
                               ChooseState* state) {
  namespace cg = cooperative_groups;
  ChooseOutcome& outcome = state->outcome;
  ClockKey prefix = 0;  // digits of the k-th clock so far
  unsigned before = 0;  // clocks of smaller ones
  ClockKey threshold = never;
  for (int level = 0; level < ClockDigits::levels; ++level) {
    const int shift = 64 - (level + 1) * ClockDigits::bits;
    for (unsigned d = threadIdx.x; d < ClockDigits::count; d += choose_threads)
      storage.histogram[d] = 0;
    __syncthreads();
    reader.prefetch();
    for_each_candidate(reader, random, never, storage.queues, &outcome,
                       [&](bool is_active, ClockKey key, Index /*item*/) {
                         if (!is_active) return;
                         if (level > 0 && (key ^ prefix) >> (shift + ClockDigits::bits) != 0)
                           return;
                         atomicAdd(storage.histogram + (key >> shift) % ClockDigits::count, 1U);
                       });
    __syncthreads();
    for (unsigned d = threadIdx.x; d < ClockDigits::count; d += choose_threads) {
      if (storage.histogram[d] > 0) atomicAdd(&state->histogram[level][d], storage.histogram[d]);
    }
    cg::this_grid().sync();
    const DigitOfClock digit = find_digit(state->histogram[level], chosen - before);
    if (digit.digit == ClockDigits::count) break;  // fewer than `chosen` are positive
    before += digit.before;
    prefix |= ClockKey{digit.digit} << shift;
    threshold = prefix + (ClockKey{1} << shift);
    if (before + digit.own <= capacity) break;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    outcome.found = 0;
    outcome.threshold_complement = ~threshold;
  }
  for (unsigned octave = blockIdx.x * choose_threads + threadIdx.x; octave < ClockCells::octaves;
       octave += gridDim.x * choose_threads) {
    state->octaves_of_clocks[octave] = 0;
  }
  cg::this_grid().sync();
  static_assert(ClockCells::octaves <= ClockDigits::count);
  reader.prefetch();
  store_ringing(reader, random, threshold, storage.queues, storage.histogram, found, capacity,
                state);
  cg::this_grid().sync();
}

}  // namespace wrsgpu::detail
