// Counts of many samples without drawing them, on the host; gpu_multinomial_counts.cuh is the GPU
// counterpart.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/any_weights.hpp"
#include "wrsgpu/random_state.hpp"

namespace wrsgpu {

/// How often each item comes in `samples` independent draws with replacement, as numpy's
/// `Generator.multinomial`: a vector with the multinomial distribution, in O(N) time whatever
/// `samples` is. Unlike `WeightedSampler::histogram`, these are not the counts of the samples that
/// `draw` gives for the same arguments.
///
/// Weights are rounded to integer masses, as by `WeightedSampler`. Samples are divided among groups
/// of items and items by rounds of Poisson deviates, which `wrsgpu/detail/counts/division.hpp`
/// explains; the law is exact up to rounding (`wrsgpu/detail/random/poisson.hpp`). Equal arguments
/// give equal counts on the CPU and on every GPU.
///
/// @param weights one per item, in host memory: 1 to 2^32 - 2 weights, not necessarily normalised
/// @param counts the counts, one per item, in host memory; they add up to `samples`
/// @param samples any number; 0 sets all counts to 0
/// @param state seed and offset: one word of the stream. Add 1 to the offset for new counts.
/// @param threads host threads, 0 for all hardware threads; the result does not depend on it
/// @throws Error before anything is written, for invalid weights, as `WeightedSampler` does, and if
/// counts.size() differs from their number
/// @throws OutOfMemory
void multinomial_counts(const AnyWeights& weights, std::span<std::uint64_t> counts,
                        std::uint64_t samples, RandomState state, unsigned threads = 0);

namespace detail {
/// Throws `Error` unless `counts` equals `items`.
void require_multinomial_counts(std::uint64_t counts, std::uint64_t items);
}  // namespace detail

}  // namespace wrsgpu
