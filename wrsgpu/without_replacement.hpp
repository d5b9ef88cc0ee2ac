// Uniform sampling without replacement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wrsgpu/types.hpp"

namespace wrsgpu::shuffle {

/// Draws out.size() of the numbers [0, items), none twice, in random order: out[i] is
/// `lazy_permutation(items, seed)` at `first` + i. So calls with the same items and seed, each with
/// `first` where the last one ended, continue with the same sample and never repeat a number;
/// together they are a permutation when all are drawn. Takes no memory but `out`, on up to
/// `threads` threads (0: all hardware threads), on whose number the result does not depend.
///
/// Throws `Error` before anything is written when `items` is 0 or more than `max_keys` (2^40; for
/// 32-bit numbers 2^32), when nothing is asked for, and when it is more than what is left after
/// `first`.
void sample_without_replacement(std::uint64_t items, std::span<std::uint64_t> out,
                                std::uint64_t seed, std::uint64_t first = 0, unsigned threads = 0);
void sample_without_replacement(std::uint64_t items, std::span<Index> out, std::uint64_t seed,
                                std::uint64_t first = 0, unsigned threads = 0);

namespace detail {
/// Throws that `Error`, for `draws` numbers of `number_bytes` bytes.
void require_draws(std::uint64_t items, std::uint64_t first, std::uint64_t draws,
                   std::size_t number_bytes);
}  // namespace detail

}  // namespace wrsgpu::shuffle
