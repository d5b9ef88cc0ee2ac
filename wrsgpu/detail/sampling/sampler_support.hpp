// Common code of the host and GPU samplers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "wrsgpu/detail/table/table_options.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::detail {

/// Throws `Error` unless an argument of a function has one element for each item of the table.
void require_one_per_item(const std::string& function, const std::string& argument,
                          std::uint64_t elements, Index items);

/// Throws the `Error` of a sampler that has no table.
[[noreturn]] void throw_no_table();

/// Throws the `Error` of a sampler that was not built with probabilities.
[[noreturn]] void throw_no_probabilities();

/// Number of draws after which `draw_distinct` gives up on so many different items.
[[nodiscard]] constexpr std::uint64_t max_distinct_draws(std::uint64_t items) {
  return 1024 * (items + 1024);
}

/// Writes the different items among samples, in the order in which they first come.
///
/// @param out unchanged if the samples do not suffice
/// @param draw writes samples from a state on, any number of them
/// @param max_draws the number of samples after which to give up
/// @returns the number of samples that were used; none if they do not suffice
[[nodiscard]] std::optional<std::uint64_t> distinct_draws(
    std::span<Index> out, RandomState state, std::uint64_t max_draws,
    const std::function<void(std::span<Index>, RandomState)>& draw);

/// Throws the `Error` of `draw_distinct` where these draws do not suffice.
[[noreturn]] void throw_too_few_distinct(std::uint64_t items);

/// Reads the fixed-point table in a file, of any layout, into compact rows.
///
/// @throws Error as `load_table` does, and for tables of floating-point arithmetic
[[nodiscard]] HostTable load_compact_table(const std::filesystem::path& file);

}  // namespace wrsgpu::detail
