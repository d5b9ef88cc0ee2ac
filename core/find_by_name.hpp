// Lookup in the registries.
#pragma once

#include <string>
#include <string_view>

#include "wrsgpu/core/error.hpp"

namespace wrsgpu {

/// The `Error` for a name that is none of `known`, which lists them; `to_name(entry)` is the name
/// of one, and `what` says what they are names of.
template <class Known, class ToName>
[[nodiscard]] Error unknown_name(const Known& known, const ToName& to_name, std::string_view name,
                                 std::string_view what) {
  std::string message = "unknown " + std::string(what) + " '" + std::string(name) + "' (known: ";
  const char* separator = "";
  for (const auto& entry : known) {
    message += separator;
    message += to_name(entry);
    separator = ", ";
  }
  return Error(message + ")");
}

/// The entry of `registry` whose `name` is `name`. Throws `Error` that lists the known names;
/// `what` says what they are names of.
template <class Registry>
[[nodiscard]] const auto& find_by_name(const Registry& registry, std::string_view name,
                                       std::string_view what) {
  for (const auto& entry : registry) {
    if (entry.name == name) return entry;
  }
  throw unknown_name(
      registry, [](const auto& entry) { return entry.name; }, name, what);
}

}  // namespace wrsgpu
