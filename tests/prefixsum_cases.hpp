// What the prefix sums of host and device are tested with.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "prefixsum/prefix_sum.hpp"
#include "wrsgpu/detail/random/philox.hpp"

namespace wrsgpu::prefixsum {

inline constexpr Kind kinds[] = {Kind::inclusive, Kind::exclusive};

/// Random items: of integers all values (sums wrap around), of floating-point numbers 60 orders of
/// magnitude, zeros among them.
template <class T>
std::vector<T> random_items(std::uint64_t size) {
  std::vector<T> items(size);
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::uint64_t word = random::philox_word(7, i);
    if constexpr (std::is_integral_v<T>) {
      items[i] = static_cast<T>(word);
    } else {
      const int exponent = static_cast<int>(word % 201) - 115;
      items[i] = word % 7 == 0 ? T{0} : std::ldexp(static_cast<T>(1 + (word >> 44)), exponent);
    }
  }
  return items;
}

template <class T>
std::vector<T> expected_sums(const std::vector<T>& items, Kind kind) {
  std::vector<T> sums(items.size());
  if (kind == Kind::inclusive) {
    std::inclusive_scan(items.begin(), items.end(), sums.begin());
  } else {
    std::exclusive_scan(items.begin(), items.end(), sums.begin(), T{0});
  }
  return sums;
}

/// Fails unless `actual` holds the prefix sums of `items`, exactly for integers.
template <class T>
void expect_sums(const std::vector<T>& items, const std::vector<T>& actual, Kind kind,
                 const std::string& what) {
  if constexpr (std::is_integral_v<T>) {
    ASSERT_EQ(actual, expected_sums(items, kind)) << what;
  } else {
    // Items are not negative, so that k roundings are a relative error of at most k * 2^-p; an item
    // passes at most two trees, each up and down, one rounding a level. The sum in long double adds
    // less than one rounding more.
    const double levels = std::ceil(std::log2(static_cast<double>(items.size()) + 1)) + 2;
    const long double bound =
        static_cast<long double>(4 * levels) * std::numeric_limits<T>::epsilon() / 2;
    long double sum = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (kind == Kind::inclusive) sum += static_cast<long double>(items[i]);
      ASSERT_LE(std::abs(static_cast<long double>(actual[i]) - sum), bound * sum)
          << what << " item " << i;
      if (kind == Kind::exclusive) sum += static_cast<long double>(items[i]);
    }
  }
}

}  // namespace wrsgpu::prefixsum
