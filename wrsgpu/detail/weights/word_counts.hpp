// The word counts of a real text, compiled in: examples/data/kjv_word_counts.csv.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace wrsgpu::weights {

/// The number of occurrences of each word of the King James Bible, in descending order.
[[nodiscard]] std::span<const std::uint32_t> word_counts();

/// The words themselves, in the same order.
[[nodiscard]] std::span<const std::string_view> word_list();

}  // namespace wrsgpu::weights
