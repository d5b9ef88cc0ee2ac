// Suggestions for a mistyped name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wrsgpu {

/// The `count` names in `known` with the least edit distance (Levenshtein) to `name`, closest
/// first; the first ones among equal distances. None of a greater distance than `max_distance`.
[[nodiscard]] std::vector<std::string> closest_names(std::vector<std::string> known,
                                                     std::string_view name, std::size_t count,
                                                     std::size_t max_distance = ~std::size_t{0});

}  // namespace wrsgpu
