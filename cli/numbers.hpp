// Options that take whole numbers, with suffixes and exponents.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace wrsgpu::cli {

/// Reads 1000, 10_000, 1e6, 1.5e6, 1k, 10M, 2G, 3T (powers of 1000), 4Ki, 1Mi, 1Gi, 1Ti (powers of
/// 1024) and 2^20. Returns an empty string and sets `number`, or returns the reason why `text` is
/// not a whole number from `least` to `largest`.
[[nodiscard]] std::string parse_whole_number(std::string_view text, std::uint64_t least,
                                             std::uint64_t largest, std::uint64_t& number);

/// Makes the option accept such numbers, from `least` to `largest`.
void take_whole_numbers(CLI::Option& option, std::uint64_t least, std::uint64_t largest);

/// Adds an option that accepts such numbers, from `least` to `largest`.
template <class Number>
CLI::Option* add_number(CLI::App& command, const std::string& name, Number& value,
                        const std::string& description, std::uint64_t least = 0,
                        std::uint64_t largest = std::numeric_limits<Number>::max()) {
  CLI::Option* const option = command.add_option(name, value, description);
  take_whole_numbers(*option, least, largest);
  return option;
}

}  // namespace wrsgpu::cli
