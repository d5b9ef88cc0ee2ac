// Bulk evaluation of the words of a Philox stream.
#pragma once

#include <cstdint>
#include <span>

namespace wrsgpu {

/// Fills `out` with words `first`, `first` + 1, ... of the Philox4x32-10 stream `seed`, as
/// `random::philox_word` defines them, evaluated in vector registers. Single-threaded.
void philox_words(std::uint64_t seed, std::uint64_t first, std::span<std::uint64_t> out);

/// Fills `out` with the words of `random::SplitWords<rounds>` for attempt `attempt`: the words from
/// which samples are drawn, with 7 or 10 rounds.
template <int rounds = 10>
void split_words(std::uint64_t seed, std::uint64_t first, std::span<std::uint64_t> out,
                 std::uint32_t attempt = 0);

/// Fills `out` with the high halves of the words of `random::SplitWords<10>`, for half the work.
void split_high_halves(std::uint64_t seed, std::uint64_t first, std::span<std::uint32_t> out);

}  // namespace wrsgpu
