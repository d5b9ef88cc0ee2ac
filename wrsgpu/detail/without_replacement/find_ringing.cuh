// The second kernel of `GpuChooser`: the pass over the weights, which finds the clocks that ring
// before the threshold.
#pragma once

#include <limits>

#include "wrsgpu/detail/core/in_register.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/masses/valid_weight.hpp"
#include "wrsgpu/detail/masses/weight_bits.cuh"
#include "wrsgpu/detail/random/random_source.cuh"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/without_replacement/choose_state.cuh"
#include "wrsgpu/detail/without_replacement/weight_quads.cuh"

namespace wrsgpu::detail {

/// An item that may ring, and the high half of its word.
template <class T>
struct Candidate {
  T weight;
  Index item;
  std::uint32_t high_half;
};

/// Candidates of a warp: up to 31 that are left, and one of each lane.
template <class T>
struct CandidateQueue {
  static constexpr unsigned capacity = 31 + 32;
  Candidate<T> candidates[capacity];
};

/// Notes the first invalid weight that this thread reads.
template <class T>
__device__ void note_invalid(QuadReader<T> reader, ChooseOutcome* outcome) {
  reader.prefetch();
  reader.for_each([&](const T(&weight)[4]) {
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      if (is_valid_weight(weight[j])) continue;
      atomicMax(&outcome->invalid_complement,
                ~static_cast<unsigned long long>(reader.first_item() + j));
    }
  });
}

/// Calls `use(is_active, key, item)` by whole warps for all items that ring before `threshold`, and
/// for some others, with their clocks. Notes invalid weights. The candidates of each warp are
/// queued in shared memory so that all lanes compute clocks. By a block, after a `prefetch` of the
/// reader.
template <class T, class Use>
__device__ void for_each_candidate(QuadReader<T> reader, RandomState random, ClockKey threshold,
                                   CandidateQueue<T>* queues, ChooseOutcome* outcome,
                                   const Use& use) {
  __shared__ unsigned left[choose_warps];  // in each queue
  const auto words = random::SplitWords<>(random.seed).kept(in_register);
  const MayRingBefore<T> may_ring(threshold);
  const unsigned lane = threadIdx.x % 32;
  const unsigned lanes_before = (1U << lane) - 1;
  CandidateQueue<T>& queue = queues[threadIdx.x / 32];
  unsigned size = 0;  // of the queue
  const auto use_clock_of = [&](const Candidate<T>& candidate) {
    const bool is_active =
        candidate.weight > 0 && candidate.weight <= std::numeric_limits<T>::max();
    ClockKey key = never;
    if (is_active) {
      const std::uint64_t number = random.offset + candidate.item;
      const std::uint32_t low_half = random::select_word(words.low_halves(number >> 2), number & 3);
      key = clock_key(words.joined(candidate.high_half, low_half),
                      static_cast<double>(candidate.weight));
    }
    use(is_active, key, candidate.item);
  };
  using Bits = decltype(bits_of(T{}));
  const QuadReader<T> all = reader;
  Bits greatest = 0;  // bit pattern; those of invalid weights, and that of -0, are greater
  reader.for_each([&](const T(&weight)[4]) {
    // Word numbers wrap around, and quads with them.
    const std::uint64_t number = ((random.offset >> 2) + reader.quad()) & (~std::uint64_t{0} >> 2);
    const random::PhiloxBlock high_halves = words.high_halves(number);
    bool passes_any = false;
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      passes_any = may_ring(high_halves.word[j], weight[j]) || passes_any;
      greatest = greater_of(greatest, bits_of(weight[j]));
    }
    if (__any_sync(~0U, passes_any ? 1 : 0) == 0) return;
    unsigned passing = 0;  // weights of this lane: mostly of one lane one
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      passing |= may_ring(high_halves.word[j], weight[j]) ? 1U << j : 0;
    }
    while (const unsigned lanes = __ballot_sync(~0U, passing != 0 ? 1 : 0)) {
      if (passing != 0) {
        const auto j = static_cast<unsigned>(__ffs(static_cast<int>(passing)) - 1);
        passing &= passing - 1;
        const T even = j < 2 ? weight[0] : weight[2];
        const T odd = j < 2 ? weight[1] : weight[3];
        queue.candidates[size + __popc(lanes & lanes_before)] = {
            j % 2 == 0 ? even : odd, static_cast<Index>(reader.first_item()) + j,
            random::select_word(high_halves, j)};
      }
      size += __popc(lanes);
      if (size < 32) continue;
      size -= 32;
      __syncwarp();
      const Candidate<T> candidate = queue.candidates[size + lane];
      __syncwarp();
      use_clock_of(candidate);
    }
  });
  // What is left in all queues of the block: a candidate a thread.
  if (lane == 0) left[threadIdx.x / 32] = size;
  __syncthreads();
  unsigned warp = 0;
  unsigned place = threadIdx.x;
  while (warp < choose_warps && place >= left[warp]) place -= left[warp++];
  if (__any_sync(~0U, warp < choose_warps ? 1 : 0) != 0) {
    use_clock_of(warp < choose_warps ? queues[warp].candidates[place] : Candidate<T>{});
  }
  if (greatest > bits_of(std::numeric_limits<T>::max())) note_invalid(all, outcome);
}

/// Stores the clocks before `threshold`, and counts them by their octaves, by a block; `octaves` is
/// an array of `ClockCells::octaves` numbers in shared memory.
template <class T>
__device__ void store_ringing(const QuadReader<T>& reader, RandomState random, ClockKey threshold,
                              CandidateQueue<T>* queues, unsigned* octaves, const Clocks& found,
                              Index capacity, ChooseState* state) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned lanes_before = (1U << lane) - 1;
  for (unsigned octave = threadIdx.x; octave < ClockCells::octaves; octave += choose_threads) {
    octaves[octave] = 0;
  }
  __syncthreads();
  for_each_candidate(
      reader, random, threshold, queues, &state->outcome,
      [&](bool /*is_active*/, ClockKey key, Index item) {
        const bool is_found = key < threshold;
        const unsigned all = __ballot_sync(~0U, is_found ? 1 : 0);
        if (all == 0) return;
        unsigned place = 0;
        if (lane == 0) {
          place = atomicAdd(&state->outcome.found, static_cast<unsigned>(__popc(all)));
        }
        place = __shfl_sync(~0U, place, 0) + static_cast<unsigned>(__popc(all & lanes_before));
        if (!is_found) return;
        atomicAdd(octaves + ClockCells::octave_of(key), 1U);
        if (place >= capacity) return;  // the count decides
        found.keys[place] = key;
        found.items[place] = item;
      });
  __syncthreads();
  for (unsigned octave = threadIdx.x; octave < ClockCells::octaves; octave += choose_threads) {
    if (octaves[octave] > 0) atomicAdd(state->octaves_of_clocks + octave, octaves[octave]);
  }
}

template <class T>
__global__ void __launch_bounds__(choose_threads, at_most_resident(5, choose_threads))
    find_ringing(const T* weights, Index items, const random::RandomSource source,
                 const Clocks found, Index capacity, ChooseState* state) {
  __shared__ CandidateQueue<T> queues[choose_warps];
  __shared__ unsigned octaves[ClockCells::octaves];
  __shared__ typename QuadReader<T>::Storage quads;
  const RandomState random = source.get();
  QuadReader<T> reader(quads, weights, items, random.offset);
  reader.prefetch();
  grid_dependency_sync();
  store_ringing(reader, random, state->outcome.threshold(), queues, octaves, found, capacity,
                state);
}

}  // namespace wrsgpu::detail
