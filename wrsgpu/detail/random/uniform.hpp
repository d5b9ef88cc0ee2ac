// Uniform numbers from random words.
#pragma once

#include <cstdint>
#include <limits>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/random/generator.hpp"

namespace wrsgpu::random {

/// The top 53 bits of `word` as a multiple of 2^-53 in [0, 1).
[[nodiscard]] WRSGPU_HD constexpr double unit_double(std::uint64_t word) {
  return static_cast<double>(word >> 11) * 0x1p-53;
}

/// The top 53 bits of `word` as a multiple of 2^-53 in (0, 1], whose logarithm is finite.
[[nodiscard]] WRSGPU_HD constexpr double positive_unit_double(std::uint64_t word) {
  return static_cast<double>((word >> 11) + 1) * 0x1p-53;
}

/// The top 24 bits of `word` as a multiple of 2^-24 in [0, 1).
[[nodiscard]] WRSGPU_HD constexpr float unit_float(std::uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1p-24F;
}

/// The top 24 bits of `word` as a multiple of 2^-24 in (0, 1].
[[nodiscard]] WRSGPU_HD constexpr float positive_unit_float(std::uint32_t word) {
  return static_cast<float>((word >> 8) + 1) * 0x1p-24F;
}

/// A double in [0, 1) from 64 bits of `generator`.
template <Generator G>
[[nodiscard]] WRSGPU_HD constexpr double uniform_double(G& generator) {
  return unit_double(word64(generator));
}

/// A double in (0, 1] from 64 bits of `generator`.
template <Generator G>
[[nodiscard]] WRSGPU_HD constexpr double uniform_positive_double(G& generator) {
  return positive_unit_double(word64(generator));
}

namespace detail {

template <class Word>
struct Wider;
template <>
struct Wider<std::uint8_t> {
  using Type = std::uint16_t;
};
template <>
struct Wider<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct Wider<std::uint64_t> {
  using Type = WideInteger;
};

/// Lemire, "Fast random integer generation in an interval", ACM Transactions on Modeling and
/// Computer Simulation 29, 2019: the upper word of word * n, where words whose lower word is less
/// than 2^bits mod n are rejected, so that every result has the same number of words. For any
/// unsigned type with a wider one: 8-bit words let a test try all of them.
template <class Word, class Next>
[[nodiscard]] WRSGPU_HD constexpr Word multiply_and_reject(Word n, Next&& next) {
  using Wide = typename Wider<Word>::Type;
  auto product = static_cast<Wide>(Wide{next()} * n);
  if (static_cast<Word>(product) < n) {
    const auto threshold = static_cast<Word>(static_cast<Word>(Word{0} - n) % n);
    while (static_cast<Word>(product) < threshold) {
      product = static_cast<Wide>(Wide{next()} * n);
    }
  }
  return static_cast<Word>(product >> std::numeric_limits<Word>::digits);
}

}  // namespace detail

/// A uniform integer in [0, n) for n >= 1, from as many 32-bit words of `generator` as needed
/// (fewer than two on average). 0 for n = 0.
template <Generator G>
[[nodiscard]] WRSGPU_HD constexpr std::uint32_t uniform_below(G& generator, std::uint32_t n) {
  return detail::multiply_and_reject(n, [&] { return word32(generator); });
}

/// `uniform_below` from 64-bit words.
template <Generator G>
[[nodiscard]] WRSGPU_HD constexpr std::uint64_t uniform_below(G& generator, std::uint64_t n) {
  return detail::multiply_and_reject(n, [&] { return word64(generator); });
}

}  // namespace wrsgpu::random
