#include "experiments/common/degrees.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/uniform.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::experiments {
namespace {

/// Segments of length `length_of(number)` until there are `items`.
std::vector<std::uint64_t> fill(std::uint64_t items,
                                const std::function<std::uint64_t(std::uint64_t)>& length_of) {
  std::vector<std::uint64_t> offsets{0};
  while (offsets.back() < items) {
    const std::uint64_t length = length_of(offsets.size() - 1);
    offsets.push_back(std::min(items, offsets.back() + length));
  }
  return offsets;
}

double uniform(std::uint64_t number) {
  return random::positive_unit_double(random::philox_word(1, number));
}

/// The expected length of row `row` of 2^digits: the product of a probability for each digit.
std::uint64_t rmat_length(std::uint64_t items, int digits, std::uint64_t row) {
  const int ones = std::popcount(row);
  const double expected =
      static_cast<double>(items) * std::pow(0.24, ones) * std::pow(0.76, digits - ones);
  return static_cast<std::uint64_t>(expected + 1 - uniform(row));
}

}  // namespace

const std::vector<std::string>& degree_families() {
  static const std::vector<std::string> names = {"fixed_16", "fixed_100", "powerlaw", "rmat",
                                                 "one_long"};
  return names;
}

std::vector<std::uint64_t> segment_offsets(const std::string& family, std::uint64_t items) {
  if (family == "fixed_16") return fill(items, [](std::uint64_t) { return 16; });
  if (family == "fixed_100") return fill(items, [](std::uint64_t) { return 100; });
  if (family == "one_long") return {0, items};
  if (family == "powerlaw") {
    const double longest = std::max(4.0, static_cast<double>(items) / 100);
    return fill(items, [&](std::uint64_t number) {
      return static_cast<std::uint64_t>(std::min(longest, 4 * std::pow(uniform(number), -1 / 1.2)));
    });
  }
  if (family != "rmat") throw Error("unknown family of degrees '" + family + "'");
  const int digits = static_cast<int>(std::bit_width(items / 16 + 1)) - 1;
  const std::uint64_t rows = std::uint64_t{1} << digits;
  // Rows beyond the last power of two get what rounding has left.
  return fill(items,
              [&](std::uint64_t row) { return row < rows ? rmat_length(items, digits, row) : 16; });
}

}  // namespace wrsgpu::experiments
