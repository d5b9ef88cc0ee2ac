// The word counts of a real text.
#pragma once

#include <span>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/weights/distributions/info.hpp"
#include "wrsgpu/detail/weights/word_counts.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// The number of occurrences of each word of the King James Bible, in descending order
/// (wrsgpu/detail/weights/word_counts.hpp). A larger N repeats the list, a smaller one cuts it.
struct Words {
  const std::uint32_t* counts;
  std::uint32_t size;

  [[nodiscard]] static DistributionInfo info() {
    return {.pattern = "words",
            .examples = {"words"},
            .source = "real counterpart of the shuffled power law (thesis 1.1.1, Zipf's law)",
            .summary = "word counts of the King James Bible, repeated for a larger N",
            .own_size = word_counts().size()};
  }
  [[nodiscard]] static std::optional<Words> parse(std::string_view name, std::uint64_t /*n*/,
                                                  std::uint64_t /*seed*/) {
    if (name != "words") return std::nullopt;
    return Words{word_counts().data(), static_cast<std::uint32_t>(word_counts().size())};
  }

  [[nodiscard]] WRSGPU_HD double operator()(Index i) const { return counts[i % size]; }

  /// The table that must be copied to a device, and the function that reads the copy.
  [[nodiscard]] std::span<const std::uint32_t> table() const { return {counts, size}; }
  [[nodiscard]] Words with_table(const std::uint32_t* copy) const { return {copy, size}; }
};

}  // namespace wrsgpu::weights
