// Many words of a Philox stream at once.
#pragma once

#include <cstdint>
#include <span>

namespace wrsgpu {

/// Fills `out` with words `first`, `first` + 1, ... of the Philox4x32-10 stream `seed`: what
/// `random::philox_word` gives one by one, evaluated in vector registers. One thread.
void philox_words(std::uint64_t seed, std::uint64_t first, std::span<std::uint64_t> out);

/// Fills `out` with the words of `random::SplitWords<rounds>` for attempt `attempt`: the words of
/// samples, with 7 or 10 rounds.
template <int rounds = 10>
void split_words(std::uint64_t seed, std::uint64_t first, std::span<std::uint64_t> out,
                 std::uint32_t attempt = 0);

}  // namespace wrsgpu
