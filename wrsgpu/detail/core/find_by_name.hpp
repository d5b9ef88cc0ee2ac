// Lookup in the registries.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wrsgpu/detail/core/closest_names.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

/// The `Error` for a name that is not in `known`. It lists the known names, or the closest ones if
/// there are many; `to_name(entry)` is an entry's name, and `what` says what the names denote.
template <class Known, class ToName>
[[nodiscard]] Error unknown_name(const Known& known, const ToName& to_name, std::string_view name,
                                 std::string_view what) {
  constexpr std::size_t many = 40;
  constexpr std::size_t shown_of_many = 5;
  std::vector<std::string> names;
  names.reserve(std::size(known));
  for (const auto& entry : known) names.emplace_back(to_name(entry));
  const std::size_t count = names.size();
  if (count > many) names = closest_names(std::move(names), name, shown_of_many);
  std::string message = "unknown " + std::string(what) + " '" + std::string(name) + "' (" +
                        (count > many ? "the closest of " + std::to_string(count) : "known") + ": ";
  const char* separator = "";
  for (const std::string& each : names) {
    message += separator + each;
    separator = ", ";
  }
  return Error(message + ")");
}

/// Describes the names of a registry that is smaller in builds without CUDA, and says so in such a
/// build.
[[nodiscard]] inline std::string in_this_build(std::string_view what) {
#ifdef WRSGPU_WITH_CUDA
  return std::string(what);
#else
  return std::string(what) + ", in a build without CUDA,";
#endif
}

/// The entry of `registry` whose `name` is `name`. Throws `Error` that lists the known names, or
/// the closest ones if there are many; `what` says what the names denote.
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
