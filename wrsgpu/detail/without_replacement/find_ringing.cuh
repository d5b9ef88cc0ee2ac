// The second kernel of `GpuChooser`: the pass over the weights, which finds the clocks that ring
// before the threshold.
#pragma once

#include <limits>

#include "wrsgpu/detail/core/in_register.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/masses/sum_tile.cuh"
#include "wrsgpu/detail/masses/valid_weight.hpp"
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

/// Candidates of a warp: up to 31 that are left, and those of the next 128 items.
template <class T>
struct CandidateQueue {
  static constexpr unsigned capacity = 31 + 128;
  Candidate<T> candidates[capacity];
};

/// Notes the first invalid weight that this thread reads.
template <class T>
__device__ void note_invalid(QuadReader<T> reader, ChooseOutcome* outcome) {
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
/// for some others, with their clocks. Notes invalid weights. The candidates are queued in shared
/// memory so that all lanes compute clocks.
template <class T, class Use>
__device__ void for_each_candidate(QuadReader<T> reader, RandomState random, ClockKey threshold,
                                   CandidateQueue<T>& queue, ChooseOutcome* outcome,
                                   const Use& use) {
  const auto words = random::SplitWords<>(random.seed).kept(in_register);
  const MayRingBefore<T> may_ring(threshold);
  const unsigned lane = threadIdx.x % 32;
  const unsigned lanes_before = (1U << lane) - 1;
  unsigned size = 0;  // of the queue
  const auto take = [&](unsigned count) {
    size -= count;
    __syncwarp();
    const bool is_active = lane < count;
    ClockKey key = never;
    Candidate<T> candidate{};
    if (is_active) {
      candidate = queue.candidates[size + lane];
      const std::uint64_t number = random.offset + candidate.item;
      const std::uint32_t low_half = random::select_word(words.low_halves(number >> 2), number & 3);
      key = clock_key(words.joined(candidate.high_half, low_half),
                      static_cast<double>(candidate.weight));
    }
    __syncwarp();
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
    const auto first = static_cast<Index>(reader.first_item());
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      const bool passes = may_ring(high_halves.word[j], weight[j]) && weight[j] > 0 &&
                          weight[j] <= std::numeric_limits<T>::max();
      const unsigned passing = __ballot_sync(~0U, passes ? 1 : 0);
      if (passes) {
        queue.candidates[size + __popc(passing & lanes_before)] = {weight[j], first + j,
                                                                   high_halves.word[j]};
      }
      size += __popc(passing);
    }
    while (size >= 32) take(32);
  });
  if (size > 0) take(size);
  if (greatest > bits_of(std::numeric_limits<T>::max())) note_invalid(all, outcome);
}

/// Stores the clocks before `threshold`, and counts them by their octaves.
template <class T>
__device__ void store_ringing(const QuadReader<T>& reader, RandomState random, ClockKey threshold,
                              CandidateQueue<T>& queue, const Clocks& found, Index capacity,
                              ChooseState* state) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned lanes_before = (1U << lane) - 1;
  for_each_candidate(
      reader, random, threshold, queue, &state->outcome,
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
        const unsigned octave = ClockCells::octave_of(key);
        const unsigned same = __match_any_sync(all, octave);
        if ((same & lanes_before) == 0) {
          atomicAdd(state->octaves_of_clocks + octave, static_cast<unsigned>(__popc(same)));
        }
        if (place >= capacity) return;  // the count decides
        found.keys[place] = key;
        found.items[place] = item;
      });
}

template <class T>
__global__ void __launch_bounds__(choose_threads, at_most_resident(5, choose_threads))
    find_ringing(const T* weights, Index items, const random::RandomSource source,
                 const Clocks found, Index capacity, ChooseState* state) {
  __shared__ CandidateQueue<T> queues[choose_warps];
  const RandomState random = source.get();
  const QuadReader<T> reader(weights, items, random.offset);
  grid_dependency_sync();
  store_ringing(reader, random, state->outcome.threshold(), queues[threadIdx.x / 32], found,
                capacity, state);
}

}  // namespace wrsgpu::detail
