// Views of a sampler's table, for drawing in the caller's own kernels and loops.
#pragma once

#include <concepts>
#include <cstdint>
#include <random>
#include <span>
#include <type_traits>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/generator.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// 64 uniform random bits, from which a view draws one sample. A distinct type, because a 64-bit
/// integer need not contain 64 random bits: on Linux `std::mt19937` returns a `std::uint64_t` below
/// 2^32, which would select row 0 of every table. Pass such a generator itself to the view.
class RandomWord {
 public:
  /// @param bits 64 random bits
  template <std::unsigned_integral T>
  requires(sizeof(T) == sizeof(std::uint64_t)) WRSGPU_HD constexpr explicit RandomWord(T bits)
      : bits_(bits) {}

  /// @param high the upper 32 random bits, which determine the row of a small table by themselves
  /// @param low the lower 32 random bits
  WRSGPU_HD constexpr RandomWord(std::uint32_t high, std::uint32_t low)
      : bits_(std::uint64_t{high} << 32 | low) {}

  [[nodiscard]] WRSGPU_HD constexpr std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_;
};

/// The words of the stream `seed`, which `RandomState` defines: in random order, with
/// Philox4x32-10, sample k of `draw(out, {seed, offset})` is what a view gives for word `offset` +
/// k. Each word is computed from its number, on the host and in kernels.
class RandomWords {
 public:
  WRSGPU_HD constexpr explicit RandomWords(std::uint64_t seed) : words_(seed) {}

  [[nodiscard]] WRSGPU_HD constexpr RandomWord operator[](std::uint64_t number) const {
    return RandomWord(words_.word(number));
  }

 private:
  random::SplitWords<> words_;
};

/// The outcome of one draw.
struct Choice {
  Index item;
  /// The remapped variate, which renderers reuse (PBRT's `uRemapped`): what is left of the word,
  /// uniform in [0, 1) given the item. It is one of about p * 2^64 equidistant numbers, rounded to
  /// a float, where p is the probability of the selected row and side of its threshold. This is
  /// finer than the 24 bits of a float for 10^6 items and half a bucket, but only ten bits for an
  /// item of probability 2^-54.
  ///
  /// Given row and side, the probability of a variate below x differs from x by at most about
  /// 2^-22 + 2 / (p * 2^64): the rounding, and the numbers' distance.
  float remapped;
};

/// The outcome of one draw, with the probability of the item. An estimate of a sum or integral that
/// divides by it has no bias but that of its rounding.
struct ChoiceWithProbability {
  Index item;
  /// The probability of the item in the table, m / (N * 2^32), where the integer m is the mass of
  /// the item, added up over the rows. Off by at most 2^-24 (1 + 2^-27) of itself, from rounding to
  /// a float. A density per length, area or solid angle is this divided by the item's.
  float probability;
  float remapped;  ///< in [0, 1), as in `Choice`
};

/// A non-owning, trivially copyable view of a table, to be passed to kernels by value.
///
/// @note The table must outlive the view. A rebuild from the same number of weights is visible
/// through the view unless it moves the table; a rebuild from a different number of weights
/// invalidates the view.
/// @note No allocation, no synchronisation. A view of a table in device memory must be used in
/// device code only.
class SamplerView {
 public:
  /// @param rows the rows of a fixed-point table
  WRSGPU_HD explicit SamplerView(const CompactRows& rows) : rows_(rows) {}

  /// Number of items.
  [[nodiscard]] WRSGPU_HD Index size() const { return rows_.size(); }

  /// The rows, of 8 bytes each, in the memory of the table.
  [[nodiscard]] WRSGPU_HD const CompactRows& rows() const { return rows_; }

  /// Draws one item from 64 random bits. Word k of the stream (`RandomState`) gives sample k of
  /// `draw` in random order.
  ///
  /// @param word 64 random bits
  [[nodiscard]] WRSGPU_HD Choice operator()(RandomWord word) const {
    const RowChoice at = choose_row(word.bits(), rows_.size());
    const CompactRow row = rows_.load(at.row);
    if (CompactRows::accepts(row, CompactRows::variate(at.fraction))) {
      return {at.row, below_one(at.fraction, row.threshold)};
    }
    const std::uint64_t threshold = row.threshold;
    return {row.alias, below_one(at.fraction - (threshold << 32), fixed_bucket - threshold)};
  }

  /// Draws one item with the next 64 random bits of a generator.
  ///
  /// @param generator any standard uniform random bit generator, such as `std::mt19937` or
  /// `std::mt19937_64`. A generator of fewer than 64 bits is called several times.
  WRSGPU_NO_EXEC_CHECK
  template <std::uniform_random_bit_generator G>
  [[nodiscard]] WRSGPU_HD Choice operator()(G& generator) const {
    return (*this)(RandomWord(random::uniform_word64(generator)));
  }

  /// Rejects integers: pass the generator, or a `RandomWord` of 64 random bits.
  template <std::integral T>
  Choice operator()(T word) const = delete;

  /// Draws many items on the host, in the calling thread. Prefetches rows, and is therefore several
  /// times as fast as single draws from tables larger than the cache.
  ///
  /// @param words 64 random bits each; words[k] selects out[k]
  /// @param out words.size() items, in host memory that does not overlap `words`
  /// @throws Error if the sizes differ
  void draw(std::span<const std::uint64_t> words, std::span<Index> out) const;

  /// Draws many items with a generator: out[k] is the item of the k-th call `(*this)(generator)`.
  ///
  /// @param generator any standard uniform random bit generator
  /// @param out the items, in host memory
  template <std::uniform_random_bit_generator G>
  void draw(G& generator, std::span<Index> out) const {
    std::uint64_t words[words_at_a_time];
    while (!out.empty()) {
      const std::size_t count = out.size() < words_at_a_time ? out.size() : words_at_a_time;
      for (std::size_t k = 0; k < count; ++k) words[k] = random::uniform_word64(generator);
      draw(std::span<const std::uint64_t>(words, count), out.first(count));
      out = out.subspan(count);
    }
  }

 private:
  /// Fits in the L1 cache.
  static constexpr std::size_t words_at_a_time = 2048;

  /// part / (whole * 2^32), for part < whole * 2^32; a quotient that rounds to 1 becomes the
  /// largest float below 1.
  [[nodiscard]] WRSGPU_HD static float below_one(std::uint64_t part, std::uint64_t whole) {
    const float quotient = static_cast<float>(part) / (static_cast<float>(whole) * 0x1p32F);
    return quotient < 1 ? quotient : 0x1.fffffep-1F;
  }

  CompactRows rows_;
};

/// A `SamplerView` that also provides the probabilities of the items.
class SamplerViewWithProbabilities {
 public:
  /// @param items the view that draws the items
  /// @param probabilities one per item, in the same memory as the rows
  WRSGPU_HD SamplerViewWithProbabilities(const SamplerView& items, const float* probabilities)
      : items_(items), probabilities_(probabilities) {}

  /// Number of items.
  [[nodiscard]] WRSGPU_HD Index size() const { return items_.size(); }

  /// The probability of an item in the table, rounded to a float.
  ///
  /// @param item below `size()`
  [[nodiscard]] WRSGPU_HD float probability(Index item) const { return probabilities_[item]; }

  /// Draws one item, as the corresponding operator of `SamplerView` does.
  [[nodiscard]] WRSGPU_HD ChoiceWithProbability operator()(RandomWord word) const {
    const Choice choice = items_(word);
    return {choice.item, probability(choice.item), choice.remapped};
  }
  WRSGPU_NO_EXEC_CHECK
  template <std::uniform_random_bit_generator G>
  [[nodiscard]] WRSGPU_HD ChoiceWithProbability operator()(G& generator) const {
    return (*this)(RandomWord(random::uniform_word64(generator)));
  }
  template <std::integral T>
  ChoiceWithProbability operator()(T word) const = delete;

 private:
  SamplerView items_;
  const float* probabilities_;
};

static_assert(std::is_trivially_copyable_v<SamplerView>);
static_assert(std::is_trivially_copyable_v<SamplerViewWithProbabilities>);

}  // namespace wrsgpu
