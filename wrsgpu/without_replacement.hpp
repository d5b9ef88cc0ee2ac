// Uniform sampling without replacement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wrsgpu/types.hpp"

namespace wrsgpu::shuffle {

/// Draws out.size() distinct numbers from [0, items) in random order: out[i] = p(first + i), where
/// p is a permutation of [0, items) that `items` and `seed` determine. Calls with equal items and
/// seed and consecutive ranges [first, first + out.size()) therefore continue one sample and never
/// repeat a number; all `items` draws together are a permutation.
///
/// @param items size of the population: 1 to 2^40; for 32-bit numbers 2^32
/// @param out the draws, in host memory: at least one, at most items - first
/// @param seed selects the permutation
/// @param first the number of draws to skip
/// @param threads host threads, 0 for all hardware threads; the result does not depend on it
/// @throws Error before anything is written, for arguments outside these ranges
/// @note Requires no temporary memory.
void sample_without_replacement(std::uint64_t items, std::span<std::uint64_t> out,
                                std::uint64_t seed, std::uint64_t first = 0, unsigned threads = 0);
void sample_without_replacement(std::uint64_t items, std::span<Index> out, std::uint64_t seed,
                                std::uint64_t first = 0, unsigned threads = 0);

namespace detail {
/// Throws the `Error` of `sample_without_replacement` for `draws` numbers of `number_bytes` bytes.
void require_draws(std::uint64_t items, std::uint64_t first, std::uint64_t draws,
                   std::size_t number_bytes);
}  // namespace detail

}  // namespace wrsgpu::shuffle
