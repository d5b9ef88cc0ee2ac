// Exact resampling on a line of integer masses. Items are segments of the line, in order; their
// masses add up to N * 2^32 (wrsgpu/detail/masses/mass_tiles.hpp).
//
// The line is cut into M strata of equal length. Where an item's segment ends, in stratum y, all
// points of earlier strata lie before it, and some of those in stratum y: so a prefix sum of the
// masses alone gives the number of ancestors up to each item, and each writes its own. Systematic
// and stratified resampling have a point in each stratum. The points of a multinomial draw are M
// random strata, counted, and a place in the stratum for each. Residual resampling takes
// floor(q_i M / (N 2^32)) of each item first; the rests, on a line of their own, are prefix sums of
// the same numbers: where M C_i - L F_i lies, C_i and F_i being the sums up to item i of masses and
// of certain ancestors and L the length of a stratum there.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/random/uniform.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/resample.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::detail {

/// Whether a uniform variate in [0, 1) is less than part / whole, exactly: its digits of 32 bits
/// are digit(0), digit(1), ..., as many as decide. part < whole.
template <class Digit>
[[nodiscard]] WRSGPU_HD bool is_below(std::uint64_t part, std::uint64_t whole, const Digit& digit) {
  for (std::uint32_t d = 0;; ++d) {
    const WideInteger product = WideInteger{whole} * digit(d);
    const WideInteger scaled = WideInteger{part} << 32;
    if (product >= scaled) return false;
    const WideInteger rest = scaled - product;
    if (rest >= whole) return true;
    part = static_cast<std::uint64_t>(rest);
  }
}

/// A place on the line: a stratum, and `rest` / `length` of it.
struct PlaceInStratum {
  Index stratum;
  std::uint64_t rest;
};

/// The strata of a line of `items` * 2^32, each of length `length()` in units of 1 / `ancestors`.
class Strata {
 public:
  WRSGPU_HD Strata(Index items, Index ancestors)
      : length_(std::uint64_t{items} << 32),
        ancestors_(ancestors),
        strata_per_mass_(static_cast<double>(ancestors) / static_cast<double>(length_)) {}

  [[nodiscard]] WRSGPU_HD Index count() const { return ancestors_; }
  [[nodiscard]] WRSGPU_HD std::uint64_t length() const { return length_; }

  /// mass * ancestors divided by length(), with remainder. `mass` is at most length().
  [[nodiscard]] WRSGPU_HD PlaceInStratum place(std::uint64_t mass) const {
    // The quotient of doubles is within 1 of it.
    auto stratum = static_cast<std::uint64_t>(static_cast<double>(mass) * strata_per_mass_);
    WideInteger rest = WideInteger{mass} * ancestors_ - WideInteger{length_} * stratum;
    if (rest >> 127 != 0) {  // negative
      --stratum;
      rest += length_;
    } else if (rest >= length_) {
      ++stratum;
      rest -= length_;
    }
    return {static_cast<Index>(stratum), static_cast<std::uint64_t>(rest)};
  }

 private:
  std::uint64_t length_;
  Index ancestors_;
  double strata_per_mass_;
};

/// The points of one call.
class ResamplingPoints {
 public:
  /// `points_before`, of the schemes with random strata, has the number of points in all strata
  /// before each, and the number of all points at the end; null for the others.
  WRSGPU_HD ResamplingPoints(Index items, Index ancestors, ResamplingScheme scheme,
                             RandomState state, const Index* points_before)
      : strata_(items, ancestors),
        is_systematic_(scheme == ResamplingScheme::systematic),
        state_(state),
        words_(state.seed),
        common_word_(is_systematic_ ? words_.word(state.offset) : 0),
        points_before_(points_before) {}

  [[nodiscard]] WRSGPU_HD const Strata& strata() const { return strata_; }

  /// The number of ancestors up to the item whose segment ends at `mass`, where `certain` are those
  /// of residual resampling that need no point.
  [[nodiscard]] WRSGPU_HD Index ancestors_up_to(std::uint64_t mass, Index certain) const {
    const PlaceInStratum end = strata_.place(mass);
    const Index stratum = end.stratum - certain;
    if (points_before_ == nullptr) {
      const std::uint64_t number = state_.offset + (is_systematic_ ? 0 : stratum);
      return stratum + (end.rest > 0 && is_before(end, number, false) ? 1U : 0U);
    }
    Index all = certain + points_before_[stratum];
    if (end.rest == 0) return all;
    for (Index point = points_before_[stratum]; point < points_before_[stratum + 1]; ++point) {
      all += is_before(end, state_.offset + point, true) ? 1U : 0U;
    }
    return all;
  }

  /// The stratum of point `point`, of `count` strata.
  [[nodiscard]] static WRSGPU_HD Index random_stratum(const random::SplitWords<>& words,
                                                      RandomState state, Index point, Index count) {
    std::uint32_t attempt = 0;
    return static_cast<Index>(random::detail::multiply_and_reject(
        std::uint64_t{count}, [&] { return words.word(state.offset + point, attempt++); }));
  }

 private:
  /// Whether a point, given by the number of its word, lies before `end` in the same stratum.
  [[nodiscard]] WRSGPU_HD bool is_before(const PlaceInStratum& end, std::uint64_t number,
                                         bool has_random_stratum) const {
    return is_below(end.rest, strata_.length(), [&](std::uint32_t digit) {
      if (is_systematic_ && digit < 2) {
        return static_cast<std::uint32_t>(digit == 0 ? common_word_ >> 32 : common_word_);
      }
      if (has_random_stratum) {
        // Other words than those of the strata.
        const std::uint64_t subsequence = random::points_subsequence + (digit >> 1);
        const std::uint64_t word = random::philox_word(state_.seed, number, subsequence);
        return static_cast<std::uint32_t>(digit % 2 == 0 ? word >> 32 : word);
      }
      const random::PhiloxBlock block = digit % 2 == 0 ? words_.high_halves(number >> 2, digit >> 1)
                                                       : words_.low_halves(number >> 2, digit >> 1);
      return random::select_word(block, number & 3);
    });
  }

  Strata strata_;
  bool is_systematic_;
  RandomState state_;
  random::SplitWords<> words_;
  std::uint64_t common_word_;  // of all strata of systematic resampling
  const Index* points_before_;
};

/// Whether the points of a scheme are in random strata.
[[nodiscard]] constexpr bool has_random_strata(ResamplingScheme scheme) {
  return scheme == ResamplingScheme::residual || scheme == ResamplingScheme::multinomial;
}

}  // namespace wrsgpu::detail
