// Weights in shards, for the tests of sharded samplers.
#pragma once

#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "verification/weight_families.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

template <class T>
struct ShardedWeights {
  std::vector<std::vector<T>> shards;

  [[nodiscard]] unsigned ranks() const { return static_cast<unsigned>(shards.size()); }
  [[nodiscard]] std::vector<double> all() const {
    std::vector<double> weights;
    for (const auto& shard : shards) weights.insert(weights.end(), shard.begin(), shard.end());
    return weights;
  }
};

/// The weights of a family, cut into shards of these sizes.
template <class T>
[[nodiscard]] ShardedWeights<T> cut(const std::string& family, const std::vector<Index>& sizes) {
  const auto items = std::reduce(sizes.begin(), sizes.end());
  const auto weights = verification::find_weight_family(family).make(items);
  ShardedWeights<T> cut;
  auto from = weights.begin();
  for (const Index size : sizes) {
    cut.shards.emplace_back(from, from + static_cast<std::ptrdiff_t>(size));
    from += static_cast<std::ptrdiff_t>(size);
  }
  return cut;
}

/// Shards of few and many items, one without items and one of zeros.
template <class T>
[[nodiscard]] std::vector<ShardedWeights<T>> adversarial_shards() {
  std::vector<ShardedWeights<T>> all;
  for (const char* family : {"uniform", "powerlaw_1", "one_heavy_last", "sixty_orders"}) {
    if (sizeof(T) == 4 && !verification::find_weight_family(family).fits_float) continue;
    for (const std::vector<Index>& sizes :
         {std::vector<Index>{1}, {0, 1}, {1, 2, 3}, {2047, 0, 2048, 2049}, {1, 5000, 16, 3, 700}}) {
      all.push_back(cut<T>(family, sizes));
    }
  }
  all.push_back({{{1, 2, 3}, {0, 0}, {}, {4, 0, 5}, {0}}});
  all.push_back({{{T(1e-38)}, {T(1e38)}, {T(1e30), T(1e38)}}});
  all.push_back({{{std::numeric_limits<T>::denorm_min()},
                  {3 * std::numeric_limits<T>::denorm_min(), 0},
                  {std::numeric_limits<T>::min()}}});
  return all;
}

}  // namespace wrsgpu
