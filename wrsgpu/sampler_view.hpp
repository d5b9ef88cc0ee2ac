// Drawing inside a kernel, or a loop, of one's own.
#pragma once

#include <concepts>
#include <cstdint>
#include <random>
#include <span>
#include <type_traits>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/generator.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// 64 uniform random bits, from which a view draws. A type of its own, because an integer of 64
/// bits need not hold as many random ones: what `std::mt19937` returns is a `std::uint64_t` on
/// Linux and below 2^32, of which item 0 would come of every table. Pass such a generator itself to
/// the view.
class RandomWord {
 public:
  /// @param bits 64 of them, each random, for example `random::philox_word(seed, k)`
  template <std::unsigned_integral T>
  requires(sizeof(T) == sizeof(std::uint64_t)) WRSGPU_HD constexpr explicit RandomWord(T bits)
      : bits_(bits) {}

  /// @param high 32 random bits, which alone choose the row of a small table
  /// @param low 32 more
  WRSGPU_HD constexpr RandomWord(std::uint32_t high, std::uint32_t low)
      : bits_(std::uint64_t{high} << 32 | low) {}

  [[nodiscard]] WRSGPU_HD constexpr std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_;
};

/// What a random word chose.
struct Choice {
  Index item;
  /// Uniform in [0, 1) whatever the item: what the choice left of the word, to be used again (as
  /// renderers do). With p the probability of the row and of the side of its threshold that was
  /// chosen, it is one of about p * 2^64 equidistant numbers, rounded to a float: for 10^6 items
  /// and half a bucket a float's 24 bits and more, but for an item of probability 2^-54 ten bits.
  float remapped;
};

/// The same with the probability of the item.
struct ChoiceWithProbability {
  Index item;
  float probability;  ///< in the table, rounded to a float
  float remapped;     ///< in [0, 1), as in `Choice`
};

/// A table as a kernel's argument: trivially copyable, not an owner.
///
/// @note The table must outlive it. It has the number of items that there were: it sees a rebuild
/// of as many weights, unless that moves the table, but is no longer valid after one of fewer or
/// more.
/// @note Nothing here allocates or waits. Views of tables in device memory are for device code.
class SamplerView {
 public:
  /// @param rows of a fixed-point table
  WRSGPU_HD explicit SamplerView(const CompactRows& rows) : rows_(rows) {}

  /// Number of items.
  [[nodiscard]] WRSGPU_HD Index size() const { return rows_.size(); }

  /// What 64 random bits choose. For word k of the stream (`random::SplitWords<10>(seed).word(k)`,
  /// or of a sampler with `SampleWords::philox7` that of `random::SplitWords<7>`), the item is that
  /// of `draw` in random order.
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

  /// The same for the next 64 random bits of a generator.
  ///
  /// @param generator any standard uniform random bit generator: `std::mt19937`, `std::mt19937_64`,
  /// one of your own. One of fewer bits is called as often as it takes (`random::uniform_word64`).
  WRSGPU_NO_EXEC_CHECK
  template <std::uniform_random_bit_generator G>
  [[nodiscard]] WRSGPU_HD Choice operator()(G& generator) const {
    return (*this)(RandomWord(random::uniform_word64(generator)));
  }

  /// No integer: pass the generator, or a `RandomWord` of 64 random bits.
  template <std::integral T>
  Choice operator()(T word) const = delete;

  /// Draws many at once, several times as fast as one by one from tables that outgrow the cache:
  /// rows are asked for before they are needed. On the host, on the calling thread.
  ///
  /// @param words 64 random bits each; out[k] becomes the item that words[k] chooses
  /// @param out as many items, in host memory; not a part of `words`
  /// @throws Error when there are not as many of one as of the other
  void draw(std::span<const std::uint64_t> words, std::span<Index> out) const;

  /// The same from a generator: out[k] becomes what the k-th call of the view with it would choose.
  ///
  /// @param generator any standard uniform random bit generator
  /// @param out items, in host memory
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
  /// In the first-level cache.
  static constexpr std::size_t words_at_a_time = 2048;

  /// part / (whole * 2^32) where part is the smaller one. The quotient may be rounded to 1.
  [[nodiscard]] WRSGPU_HD static float below_one(std::uint64_t part, std::uint64_t whole) {
    const float quotient = static_cast<float>(part) / (static_cast<float>(whole) * 0x1p32F);
    return quotient < 1 ? quotient : 0x1.fffffep-1F;
  }

  CompactRows rows_;
};

/// The same for samplers that keep the probabilities of their items.
class SamplerViewWithProbabilities {
 public:
  /// @param items the sampler's view
  /// @param probabilities as many as there are items, in the memory that the rows lie in
  WRSGPU_HD SamplerViewWithProbabilities(const SamplerView& items, const float* probabilities)
      : items_(items), probabilities_(probabilities) {}

  /// Number of items.
  [[nodiscard]] WRSGPU_HD Index size() const { return items_.size(); }

  /// The probability of an item in the table, rounded to a float.
  ///
  /// @param item below `size()`
  [[nodiscard]] WRSGPU_HD float probability(Index item) const { return probabilities_[item]; }

  /// As those of `SamplerView`.
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
