// Options that are whole numbers.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace wrsgpu::cli {

/// Adds an option that takes decimal digits and nothing else: CLI11 itself would take "-1" for the
/// largest number there is.
template <class Number>
CLI::Option* add_number(CLI::App& command, const std::string& name, Number& value,
                        const std::string& description) {
  return command.add_option(name, value, description)
      ->check(
          [](const std::string& text) {
            const bool digits =
                !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
            return digits ? std::string() : "'" + text + "' is not a whole number from 0 on";
          },
          "");
}

}  // namespace wrsgpu::cli
