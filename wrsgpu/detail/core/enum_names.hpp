// Enumerators by name. `names` is an array of pairs (value, name).
#pragma once

#include <string>
#include <string_view>

#include "wrsgpu/detail/core/find_by_name.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

template <class Names, class Value>
[[nodiscard]] std::string_view name_of_value(const Names& names, Value value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  throw Error("to_string: value " + std::to_string(static_cast<int>(value)) + " has no name");
}

/// Throws `Error` that lists the known names; `what` says what the names denote.
template <class Names>
[[nodiscard]] auto value_of_name(const Names& names, std::string_view wanted, const char* what) {
  for (const auto& [value, name] : names) {
    if (name == wanted) return value;
  }
  throw unknown_name(
      names, [](const auto& known) { return known.second; }, wanted, what);
}

}  // namespace wrsgpu
