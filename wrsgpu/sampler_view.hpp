// Drawing inside a kernel, or a loop, of one's own.
#pragma once

#include <cstdint>
#include <type_traits>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

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
  float probability;
  float remapped;
};

/// A table as a kernel's argument: trivially copyable, not an owner. The table must outlive it. It
/// has the number of items that there were: it sees a rebuild of as many weights, unless that moves
/// the table, but is no longer valid after one of fewer or more.
class SamplerView {
 public:
  WRSGPU_HD explicit SamplerView(const CompactRows& rows) : rows_(rows) {}

  /// Number of items.
  [[nodiscard]] WRSGPU_HD Index size() const { return rows_.size(); }

  /// What 64 random bits choose. For word k of the stream (`random::SplitWords<10>(seed).word(k)`,
  /// or of a sampler with `SampleWords::philox7` that of `random::SplitWords<7>`), the item is that
  /// of `draw` in random order.
  [[nodiscard]] WRSGPU_HD Choice operator()(std::uint64_t word) const {
    const RowChoice at = choose_row(word, rows_.size());
    const CompactRow row = rows_.load(at.row);
    if (CompactRows::keeps(row, CompactRows::coin(at.fraction))) {
      return {at.row, below_one(at.fraction, row.threshold)};
    }
    const std::uint64_t threshold = row.threshold;
    return {row.alias, below_one(at.fraction - (threshold << 32), fixed_bucket - threshold)};
  }

 private:
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
  /// `probabilities`: as many as there are items, in the memory that the rows lie in.
  WRSGPU_HD SamplerViewWithProbabilities(const SamplerView& items, const float* probabilities)
      : items_(items), probabilities_(probabilities) {}

  [[nodiscard]] WRSGPU_HD Index size() const { return items_.size(); }

  /// The probability of `item` in the table, rounded to a float.
  [[nodiscard]] WRSGPU_HD float probability(Index item) const { return probabilities_[item]; }

  /// As `SamplerView` does.
  [[nodiscard]] WRSGPU_HD ChoiceWithProbability operator()(std::uint64_t word) const {
    const Choice choice = items_(word);
    return {choice.item, probability(choice.item), choice.remapped};
  }

 private:
  SamplerView items_;
  const float* probabilities_;
};

static_assert(std::is_trivially_copyable_v<SamplerView>);
static_assert(std::is_trivially_copyable_v<SamplerViewWithProbabilities>);

}  // namespace wrsgpu
