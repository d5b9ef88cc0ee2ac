// Families of segment lengths, as graphs have them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wrsgpu::experiments {

/// Their names:
///  - `fixed_16`, `fixed_100`: all of this length
///  - `powerlaw`: P(d >= x) = (x / 4)^-1.2, at most a hundredth of all items; 20 or so on average
///  - `rmat`: the expected degrees of a graph of the R-MAT generator (Chakrabarti, Zhan and
///    Faloutsos, 2004) with probabilities 0.76 and 0.24 for the halves of its rows and 16 items for
///    each of 2^k rows, rounded at random; many are empty
///  - `one_long`: one segment
[[nodiscard]] const std::vector<std::string>& degree_families();

/// The offsets of segments with these lengths and `items` items in all; the last segment of a
/// length may be shorter. The same on every machine.
[[nodiscard]] std::vector<std::uint64_t> segment_offsets(const std::string& family,
                                                         std::uint64_t items);

}  // namespace wrsgpu::experiments
