// Options that are whole numbers.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <string>
#include <system_error>

namespace wrsgpu::cli {

/// Adds an option that takes decimal digits and nothing else: CLI11 itself would take "-1" and
/// numbers that are too large for the largest number there is.
template <class Number>
CLI::Option* add_number(CLI::App& command, const std::string& name, Number& value,
                        const std::string& description) {
  return command.add_option(name, value, description)
      ->check(
          [](const std::string& text) -> std::string {
            Number parsed{};
            const char* const end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, parsed);
            if (error == std::errc{} && stop == end) return {};
            return fmt::format("'{}' is not a whole number from 0 to {}", text,
                               std::numeric_limits<Number>::max());
          },
          "");
}

}  // namespace wrsgpu::cli
