// Lookup in the registries.
#pragma once

#include <string>
#include <string_view>

#include "wrsgpu/core/error.hpp"

namespace wrsgpu {

/// The entry of `registry` whose `name` is `name`. Throws `Error` that lists the known names;
/// `what` says what they are names of.
template <class Registry>
[[nodiscard]] const auto& find_by_name(const Registry& registry, std::string_view name,
                                       std::string_view what) {
  std::string known;
  for (const auto& entry : registry) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + entry.name;
  }
  throw Error("unknown " + std::string(what) + " '" + std::string(name) + "' (known: " + known +
              ")");
}

}  // namespace wrsgpu
