// Exact resampling on a line of integer masses. Items are segments of the line, in order; their
// masses add up to N * 2^32 (wrsgpu/detail/masses/mass_tiles.hpp).
//
// The line is cut into M strata of equal length. Where an item's segment ends, in stratum y, all
// points of earlier strata lie before it, and some of those in stratum y: so a prefix sum of the
// masses alone gives the number of ancestors up to each item, and each writes its own. Systematic
// and stratified resampling have a point in each stratum; the points of a systematic draw are an
// arithmetic progression, so one division counts them. The points of a multinomial draw are M
// random strata, counted, and a place in the stratum for each. Residual resampling takes
// floor(q_i M / (N 2^32)) of each item first; the rests, on a line of their own, are prefix sums of
// the same numbers: where M C_i - L F_i lies, C_i and F_i being the sums up to item i of masses and
// of certain ancestors and L the length of a stratum there.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/random/uniform.hpp"
#include "wrsgpu/random_state.hpp"
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

/// Digit `digit` of the point whose word is number `number`, 32 bits of a uniform variate: half of
/// that word (`random::SplitWords`), or of those that follow a rejected one.
[[nodiscard]] WRSGPU_HD inline std::uint32_t digit_of_point(std::uint64_t seed,
                                                            std::uint64_t number,
                                                            std::uint32_t digit) {
  const std::uint64_t half = digit % 2 == 0 ? 0 : random::low_halves_subsequence;
  return random::select_word(random::philox_block(seed, number >> 2, half + (digit >> 1)),
                             number & 3);
}

/// Divides by a number of items.
class ItemDivision {
 public:
  /// Quotients up to this one are found by 32-bit arithmetic.
  static constexpr Index max_small = 4096;

  WRSGPU_HD explicit ItemDivision(Index items)
      : items_(items),
        inverse_(1.0 / items),
        dropped_bits_(bit_width(items) > 19 ? bit_width(items) - 19 : 0),
        shift_(bit_width(items) - 2 - dropped_bits_),
        reciprocal_(
            static_cast<std::uint32_t>((std::uint64_t{1} << 30 << bit_width(items)) / items)) {}

  [[nodiscard]] WRSGPU_HD Index items() const { return items_; }
  /// floor(x / items), for a quotient below 2^32.
  [[nodiscard]] WRSGPU_HD Index operator()(std::uint64_t x) const {
    // The quotient of doubles is within 1 of it.
    auto quotient = static_cast<std::uint64_t>(static_cast<double>(x) * inverse_);
    const auto rest = static_cast<std::int64_t>(x - quotient * items_);
    if (rest < 0) {
      --quotient;
    } else if (rest >= std::int64_t{items_}) {
      ++quotient;
    }
    return static_cast<Index>(quotient);
  }
  /// Whether `small` may be used at all.
  [[nodiscard]] WRSGPU_HD bool has_small() const { return items_ >= 4 && items_ < Index{1} << 31; }
  /// floor(x / items), for a quotient of at most `max_small`.
  [[nodiscard]] WRSGPU_HD Index small(std::uint64_t x) const {
    // 32 leading bits of x, and a reciprocal of 31 bits: the estimate is at most 1 too small.
    const auto leading = static_cast<std::uint32_t>(x >> dropped_bits_);
    const auto quotient =
        static_cast<Index>((std::uint64_t{leading} * reciprocal_ >> 32) >> shift_);
    return quotient + (static_cast<std::uint32_t>(x) - quotient * items_ >= items_ ? 1 : 0);
  }

 private:
  Index items_;
  double inverse_;
  int dropped_bits_;
  int shift_;
  std::uint32_t reciprocal_;
};

/// The points of systematic resampling, in units of 1 / M: y L + P for every stratum y, L being the
/// length of the line and P = floor(u L), where u is the uniform variate that they share. As masses
/// are integers, the point of u itself is before the same ones. With as many ancestors as items a
/// stratum is 2^32 long, and the points are y 2^32 + floor(u 2^32) in units of mass.
class SystematicPoints {
 public:
  WRSGPU_HD SystematicPoints(const ItemDivision& division, Index ancestors, RandomState state)
      : SystematicPoints(division, ancestors, before_first(division.items(), ancestors, state)) {}
  /// With the `before()` of the same points.
  WRSGPU_HD SystematicPoints(const ItemDivision& division, Index ancestors, std::uint64_t before)
      : division_(division), ancestors_(ancestors), before_(before) {}

  /// What precedes the first point from the end of a stratum on, less one unit.
  [[nodiscard]] WRSGPU_HD std::uint64_t before() const { return before_; }
  /// Whether a stratum is as long as a bucket: then the high half of mass + before() is the number
  /// of ancestors up to `mass`.
  [[nodiscard]] WRSGPU_HD bool has_bucket_strata() const { return ancestors_ == division_.items(); }
  /// The number of ancestors up to the item whose segment ends at `mass`: of y >= 0 for which y L +
  /// P < M mass.
  [[nodiscard]] WRSGPU_HD Index ancestors_up_to(std::uint64_t mass, Index /*certain*/ = 0) const {
    if (has_bucket_strata()) return static_cast<Index>((mass + before_) >> 32);
    return division_(scaled(mass));
  }
  /// The same for masses near that of the first ancestors: counts those after `first`, at most
  /// `ItemDivision::max_small`. `division().has_small()` must be true, and `has_bucket_strata()`
  /// must not.
  class Near {
   public:
    WRSGPU_HD Near(const SystematicPoints& points, Index first)
        : division_(points.division_),
          ancestors_(points.ancestors_),
          low_(static_cast<std::uint32_t>(points.before_)),
          high_((points.before_ >> 32) - std::uint64_t{first} * points.division_.items()) {}

    [[nodiscard]] WRSGPU_HD Index ancestors_up_to(std::uint64_t mass) const {
      return division_.small(scaled(mass, ancestors_, high_, low_));
    }

   private:
    ItemDivision division_;
    Index ancestors_;
    std::uint32_t low_;
    std::uint64_t high_;
  };
  [[nodiscard]] WRSGPU_HD const ItemDivision& division() const { return division_; }

 private:
  [[nodiscard]] static WRSGPU_HD std::uint64_t before_first(Index items, Index ancestors,
                                                            RandomState state) {
    const auto digit = [&](std::uint32_t number) {
      return digit_of_point(state.seed, state.offset, number);
    };
    if (items == ancestors) return ~digit(0);
    const auto product = [&](std::uint32_t number) { return std::uint64_t{items} * digit(number); };
    const std::uint64_t second = product(1);
    std::uint64_t point = product(0) + (second >> 32);
    // The rest, in units of 2^-32, and at most two units that the next digits add.
    auto rest = static_cast<std::uint32_t>(second);
    for (std::uint32_t number = 2;; ++number) {
      const std::uint64_t next = product(number);
      const std::uint64_t sum = rest + (next >> 32);
      if (sum >> 32 != 0) ++point;
      if (sum != 0xFFFF'FFFF) break;
      rest = static_cast<std::uint32_t>(next);
    }
    return (std::uint64_t{items} << 32) - 1 - point;
  }
  /// floor((ancestors mass + high 2^32 + low) / 2^32).
  [[nodiscard]] WRSGPU_HD static std::uint64_t scaled(std::uint64_t mass, Index ancestors,
                                                      std::uint64_t high, std::uint32_t low) {
    const std::uint64_t lower = (mass & 0xFFFF'FFFF) * ancestors + low;
    return (mass >> 32) * ancestors + high + (lower >> 32);
  }
  /// floor((M mass + L - 1 - P) / 2^32), in units of which the line has as many as items.
  [[nodiscard]] WRSGPU_HD std::uint64_t scaled(std::uint64_t mass) const {
    return scaled(mass, ancestors_, before_ >> 32, static_cast<std::uint32_t>(before_));
  }

  ItemDivision division_;
  Index ancestors_;
  std::uint64_t before_;
};

/// The points of one call by another scheme.
class ResamplingPoints {
 public:
  /// `points_before`, of the schemes with random strata, has the number of points in all strata
  /// before each, and the number of all points at the end; null for stratified resampling.
  WRSGPU_HD ResamplingPoints(Index items, Index ancestors, RandomState state,
                             const Index* points_before)
      : strata_(items, ancestors), state_(state), points_before_(points_before) {}

  [[nodiscard]] WRSGPU_HD const Strata& strata() const { return strata_; }

  /// The number of ancestors up to the item whose segment ends at `mass`, where `certain` are those
  /// of residual resampling that need no point.
  [[nodiscard]] WRSGPU_HD Index ancestors_up_to(std::uint64_t mass, Index certain) const {
    const PlaceInStratum end = strata_.place(mass);
    const Index stratum = end.stratum - certain;
    if (points_before_ == nullptr) {
      return stratum + (end.rest > 0 && is_before(end, state_.offset + stratum, false) ? 1U : 0U);
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
      if (has_random_stratum) {
        // Other words than those of the strata.
        const std::uint64_t subsequence = random::points_subsequence + (digit >> 1);
        const std::uint64_t word = random::philox_word(state_.seed, number, subsequence);
        return static_cast<std::uint32_t>(digit % 2 == 0 ? word >> 32 : word);
      }
      return digit_of_point(state_.seed, number, digit);
    });
  }

  Strata strata_;
  RandomState state_;
  const Index* points_before_;
};

}  // namespace wrsgpu::detail
