#include "wrsgpu/detail/core/closest_names.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace wrsgpu {
namespace {

/// Edit distance (Levenshtein): insertions, deletions and substitutions.
std::size_t edit_distance(std::string_view first, std::string_view second) {
  // Distances of the current prefix of `first` to each prefix of `second`.
  std::vector<std::size_t> distance(second.size() + 1);
  std::iota(distance.begin(), distance.end(), std::size_t{0});
  for (const char letter : first) {
    std::size_t diagonal = distance[0]++;
    for (std::size_t k = 0; k < second.size(); ++k) {
      const std::size_t replaced = diagonal + (letter == second[k] ? 0 : 1);
      diagonal = distance[k + 1];
      distance[k + 1] = std::min({replaced, distance[k] + 1, diagonal + 1});
    }
  }
  return distance[second.size()];
}

}  // namespace

std::vector<std::string> closest_names(std::vector<std::string> known, std::string_view name,
                                       std::size_t count, std::size_t max_distance) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  ranked.reserve(known.size());
  for (std::string& each : known) {
    // A prefix of a name matches it exactly.
    const bool begins = !name.empty() && each.compare(0, name.size(), name) == 0;
    const std::size_t distance = begins ? 0 : edit_distance(each, name);
    if (distance <= max_distance) ranked.emplace_back(distance, std::move(each));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  ranked.resize(std::min(count, ranked.size()));
  std::vector<std::string> closest;
  closest.reserve(ranked.size());
  for (auto& [distance, each] : ranked) closest.push_back(std::move(each));
  return closest;
}

}  // namespace wrsgpu
