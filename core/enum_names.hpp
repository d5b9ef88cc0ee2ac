// Values of enumerations by name. `names` is an array of pairs (value, name).
#pragma once

#include <string>
#include <string_view>

#include "wrsgpu/core/error.hpp"

namespace wrsgpu {

template <class Names, class Value>
[[nodiscard]] std::string_view name_of_value(const Names& names, Value value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  throw Error("to_string: value " + std::to_string(static_cast<int>(value)) + " has no name");
}

/// Throws `Error` that lists the known names; `what` says what they are names of.
template <class Names>
[[nodiscard]] auto value_of_name(const Names& names, std::string_view wanted, const char* what) {
  std::string known_names;
  for (const auto& [value, name] : names) {
    if (name == wanted) return value;
    known_names += known_names.empty() ? "" : ", ";
    known_names += name;
  }
  throw Error(std::string("unknown ") + what + " '" + std::string(wanted) +
              "' (known: " + known_names + ")");
}

}  // namespace wrsgpu
