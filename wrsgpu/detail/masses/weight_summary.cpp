#include "wrsgpu/detail/masses/weight_summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/core/target_clones.hpp"
#include "wrsgpu/detail/masses/tile_arithmetic.hpp"
#include "wrsgpu/detail/masses/tile_reader.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

constexpr std::size_t leaf_items = summary_leaf_items;
constexpr std::size_t lanes = 16;
// Items per task. Fixed, so that the tree of additions does not depend on the number of threads.
constexpr std::size_t task_items = leaf_items * 64;

struct Partial {
  double total = 0;
  double largest = 0;
  double smallest = 0;
  bool bad = false;  // some weight is NaN, infinite or negative
};

// Branch-free over 16 lanes, as vectors of four: g++ emits scalar code for loops over arrays here.
template <class T>
[[gnu::always_inline]] inline Partial sum_lanes(const T* w, std::size_t n) {
  constexpr std::size_t width = 4;
  using Vector [[gnu::vector_size(width * sizeof(double))]] = double;
  using Weights [[gnu::vector_size(width * sizeof(T))]] = T;
  Vector totals[lanes / width]{};
  Vector largests[lanes / width]{};
  Vector smallests[lanes / width];
  std::fill_n(smallests, lanes / width, Vector{} + std::numeric_limits<double>::infinity());
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::size_t v = 0; v < lanes / width; ++v) {
      Weights loaded;
      std::memcpy(&loaded, w + i + v * width, sizeof loaded);
      const Vector x = __builtin_convertvector(loaded, Vector);
      totals[v] += x;
      largests[v] = x > largests[v] ? x : largests[v];
      smallests[v] = x < smallests[v] ? x : smallests[v];
    }
  }
  std::array<double, lanes> total;
  std::array<double, lanes> largest;
  std::array<double, lanes> smallest;
  std::memcpy(total.data(), totals, sizeof totals);
  std::memcpy(largest.data(), largests, sizeof largests);
  std::memcpy(smallest.data(), smallests, sizeof smallests);
  for (; i < n; ++i) {
    const auto x = static_cast<double>(w[i]);
    total[i % lanes] += x;
    largest[i % lanes] = std::max(largest[i % lanes], x);
    smallest[i % lanes] = std::min(smallest[i % lanes], x);
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) {
      total[lane] += total[lane + half];
      largest[lane] = std::max(largest[lane], largest[lane + half]);
      smallest[lane] = std::min(smallest[lane], smallest[lane + half]);
    }
  }
  // A NaN survives only in the total; an overflowing sum of finite weights is distinguished later.
  return {total[0], largest[0], smallest[0],
          smallest[0] < 0 || !std::isfinite(largest[0]) || std::isnan(total[0])};
}

WRSGPU_TARGET_CLONES Partial sum_leaf(const float* w, std::size_t n) { return sum_lanes(w, n); }
WRSGPU_TARGET_CLONES Partial sum_leaf(const double* w, std::size_t n) { return sum_lanes(w, n); }

Partial combine(const Partial& a, const Partial& b) {
  return {a.total + b.total, std::max(a.largest, b.largest), std::min(a.smallest, b.smallest),
          a.bad || b.bad};
}

Partial sum_pairwise(const Partial* parts, std::size_t count) {
  if (count == 1) return parts[0];
  const std::size_t half = count / 2;
  return combine(sum_pairwise(parts, half), sum_pairwise(parts + half, count - half));
}

// The leaves are those of one tile. Invalid weights are rejected later.
template <class T>
TileWeights tile_weights(std::span<const T> weights, std::span<const Partial> leaves) {
  const Partial sum = sum_pairwise(leaves.data(), leaves.size());
  return {sum.bad ? TileSum{} : sum_tile(weights, static_cast<T>(sum.largest)), sum.smallest,
          sum.largest};
}

template <class T>
Partial sum_all(std::span<const T> weights, unsigned threads, std::vector<double>* leaf_totals,
                std::vector<TileWeights>* tiles) {
  static_assert(mass_tile_items % leaf_items == 0 && task_items % mass_tile_items == 0);
  constexpr std::size_t tile_leaves = mass_tile_items / leaf_items;
  const std::size_t n = weights.size();
  if (tiles != nullptr) tiles->resize(mass_tile_count(n));
  if (leaf_totals != nullptr) leaf_totals->resize((n + leaf_items - 1) / leaf_items);
  std::vector<Partial> tasks((n + task_items - 1) / task_items);
  parallel_for(tasks.size(), threads, [&](std::uint64_t task) {
    std::array<Partial, task_items / leaf_items> leaves;
    std::size_t count = 0;
    const std::size_t end = std::min(n, (task + 1) * task_items);
    for (std::size_t i = task * task_items; i < end; i += leaf_items) {
      leaves[count] = sum_leaf(weights.data() + i, std::min(leaf_items, end - i));
      if (leaf_totals != nullptr) (*leaf_totals)[i / leaf_items] = leaves[count].total;
      ++count;
      if (tiles == nullptr || (count % tile_leaves != 0 && i + leaf_items < end)) continue;
      // While the weights are in the cache.
      const std::size_t tile = i / mass_tile_items;
      const std::size_t first = (count - 1) / tile_leaves * tile_leaves;
      const std::size_t begin = tile * mass_tile_items;
      (*tiles)[tile] = tile_weights(weights.subspan(begin, std::min(end, i + leaf_items) - begin),
                                    std::span(leaves).subspan(first, count - first));
    }
    tasks[task] = sum_pairwise(leaves.data(), count);
  });
  return sum_pairwise(tasks.data(), tasks.size());
}

/// The same for interleaved tiles, whose weights are read in the order of the tiles.
template <class T>
Partial sum_interleaved(std::span<const T> weights, unsigned threads, const TileMap& map,
                        std::vector<TileWeights>& tiles) {
  constexpr std::size_t task_tiles = task_items / mass_tile_items;
  tiles.resize(mass_tile_count(weights.size()));
  std::vector<Partial> tasks((tiles.size() + task_tiles - 1) / task_tiles);
  parallel_for(tasks.size(), threads, [&](std::uint64_t task) {
    TileReader<T> reader(weights, map);
    std::array<Partial, task_items / leaf_items> leaves;
    std::size_t count = 0;
    const std::size_t end = std::min(tiles.size(), (task + 1) * task_tiles);
    for (std::size_t k = task * task_tiles; k < end; ++k) {
      const std::uint64_t tile = map.in_memory(k);
      const std::span<const T> own = reader.read(tile);
      const std::size_t first = count;
      for (std::size_t i = 0; i < own.size(); i += leaf_items) {
        leaves[count++] = sum_leaf(own.data() + i, std::min(leaf_items, own.size() - i));
      }
      tiles[tile] = tile_weights(own, std::span(leaves).subspan(first, count - first));
    }
    tasks[task] = sum_pairwise(leaves.data(), count);
  });
  return sum_pairwise(tasks.data(), tasks.size());
}

template <class T>
[[noreturn]] void report_bad_weight(std::span<const T> weights) {
  std::size_t i = 0;
  while (i < weights.size() && weights[i] >= 0 && std::isfinite(weights[i])) ++i;
  const T weight =
      i < weights.size() ? weights[i] : *std::max_element(weights.begin(), weights.end());
  throw_bad_weight(i, weights.size(), static_cast<double>(weight),
                   std::numeric_limits<T>::max_digits10);
}

}  // namespace

const char* fault_of_weight(double weight) {
  return std::isnan(weight)   ? "is not a number"
         : std::isinf(weight) ? "is infinite"
                              : "is negative";
}

void throw_bad_weight(std::uint64_t index, std::uint64_t size, double weight, int digits) {
  std::ostringstream message;
  message.precision(digits);
  if (index >= size) {
    message << "argument 'weights': the sum of all " << size
            << " overflows double precision (the largest is " << weight << ")";
    throw Error(message.str());
  }
  message << "argument 'weights': weight " << index << " " << fault_of_weight(weight) << " ("
          << weight << ")";
  throw Error(message.str());
}

void throw_all_zero(std::uint64_t size) {
  throw AllZero("argument 'weights': all " + std::to_string(size) + " weights are zero");
}

void check_size_and_memory(WeightsView weights, Device device) {
  if (weights.size() == 0) throw Error("argument 'weights' is empty; at least one is needed");
  if (weights.size() > max_items) {
    throw Error("argument 'weights' has " + std::to_string(weights.size()) +
                " items; at most 2^32 - 2 = " + std::to_string(max_items) + " are supported");
  }
  if (weights.device() != device) {
    throw Error("argument 'weights' is in " + std::string(to_string(weights.device())) +
                " memory; " + std::string(to_string(device)) + " memory is needed");
  }
}

void require_capacity(const char* argument, Index capacity) {
  if (capacity > 0 && capacity <= max_items) return;
  throw Error("argument '" + std::string(argument) + "' is " + std::to_string(capacity) +
              "; it must be at least 1 and at most 2^32 - 2");
}

WeightSummary summarise(WeightsView weights, unsigned threads, std::vector<double>* leaf_totals,
                        std::vector<TileWeights>* tiles, const TileMap* map) {
  check_size_and_memory(weights, Device::cpu);
  return weights.visit([&](auto span) {
    const bool is_interleaved = tiles != nullptr && map != nullptr && map->is_interleaved;
    const Partial sum = is_interleaved ? sum_interleaved(span, threads, *map, *tiles)
                                       : sum_all(span, threads, leaf_totals, tiles);
    if (sum.bad || !std::isfinite(sum.total)) report_bad_weight(span);
    if (sum.largest == 0) throw_all_zero(span.size());
    WeightSummary summary = make_summary(sum.total, sum.largest, static_cast<Index>(span.size()));
    if (tiles != nullptr) {
      const CommonSum all =
          common_sum(tiles->size(), [&](std::size_t t) { return (*tiles)[t].sum; });
      summary.whole = normalised(all.total, all.shift);
    }
    return summary;
  });
}

}  // namespace wrsgpu
