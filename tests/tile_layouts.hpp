// Weights for what tiles give each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/random/philox.hpp"

namespace wrsgpu::verification {

/// As many tiles of each kind, one kind after the other; a tile has its weights in turns.
struct Tiles {
  Index count;
  std::vector<double> weights;
};
[[nodiscard]] inline std::vector<double> weights_of(const std::vector<Tiles>& kinds) {
  std::vector<double> all;
  for (const Tiles& kind : kinds) {
    for (Index i = 0; i < kind.count * mass_tile_items; ++i) {
      all.push_back(kind.weights[i % kind.weights.size()]);
    }
  }
  return all;
}

/// Two tiles of masses that differ from a bucket by so many eighths of a unit and by four more, in
/// turns: those of the first are heavier by these, those of the second lighter.
[[nodiscard]] inline std::vector<double> units_beside_buckets(int eighths) {
  const auto weight = [](int more) { return 1 + std::ldexp(more, -35); };
  return weights_of(
      {{1, {weight(eighths), weight(eighths + 4)}}, {1, {weight(-eighths), weight(-eighths - 4)}}});
}

/// Neighbours are alike, but interleaved tiles have too many small excesses for warp-parallel
/// pairing, and one has too large an excess for exports of deficits: but for one, four fifths of
/// the weights are a little above the mean, and all others are 0.
template <class T>
[[nodiscard]] std::vector<T> heavy_leading(Index items) {
  std::vector<T> weights(items);
  std::fill_n(weights.begin(), std::size_t{items} / 5 * 4, T{1});
  weights[items / 3] = 10'000;
  return weights;
}

/// A tile exports fifty items of each of `sizes` sizes, a sixteenth of the one before: each time
/// that it has gone through its items, those of the next size are large enough. The weights are
/// masses.
[[nodiscard]] inline std::vector<double> items_of_sizes(int sizes) {
  constexpr auto bucket = static_cast<double>(fixed_bucket);
  constexpr Index others = 64 * mass_tile_items;
  std::vector<double> weights(others + mass_tile_items, bucket);
  double excess = 0;
  for (int size = 0; size < sizes; ++size) {
    const double more = std::ldexp(bucket, 2 - 4 * size);
    for (int k = 0; k < 50; ++k) weights[static_cast<std::size_t>(40 * k + size)] += more;
    excess += 50 * more;
  }
  for (double& weight : std::span(weights).last(others)) weight -= excess / others;
  return weights;
}

/// Up to `maximum` small integers, which meet in ties everywhere.
[[nodiscard]] inline std::vector<double> small_integers(std::uint64_t seed, Index maximum) {
  const auto n = static_cast<Index>(1 + random::philox_word(seed, 0) % maximum);
  std::vector<double> weights(n);
  for (Index i = 0; i < n; ++i) {
    weights[i] =
        static_cast<double>(random::philox_word(seed, i + std::uint64_t{1}) % (2 + seed % 5));
  }
  weights[n / 2] = 3;
  return weights;
}

/// One tile takes what up to 65 others export, or a few do: all items of tiles that have heavy
/// items only, some of others. All masses are multiples of C/64, so that there are ties in nearly
/// each row. A device gives each of up to 256 tiles another chunk than their neighbours (the last
/// two layouts have more).
[[nodiscard]] inline std::vector<std::vector<Tiles>> few_tiles_take_from_many() {
  return {
      {{32, {66}}, {1, {0}}},
      {{1, {0}}, {32, {66}}},
      {{16, {66}}, {1, {0}}, {16, {66}}},
      {{32, {65}}, {1, {32}}},
      {{32, {65}}, {1, {64, 0}}},
      {{20, {65}}, {1, {32}}, {12, {65}}},
      {{64, {65}}, {1, {0}}},
      {{40, {65}}, {2, {32, 0, 64}}, {24, {65}}},
      {{9, {80}}, {5, {32, 36}}, {7, {64, 66}}, {3, {60}}},
      // Not all items of the tiles that export.
      {{60, {65, 65, 65, 66, 64}}, {1, {0}}},
      {{30, {72, 72, 56}}, {1, {0}}, {20, {65}}},
      {{1, {80}}, {30, {72, 56, 72}}, {1, {0}}, {20, {65}}, {2, {48}}},
      {{300, {65}}, {4, {0}}, {1, {20}}},
      {{150, {65}}, {3, {0}}, {150, {65}}, {1, {0}}, {1, {20}}},
  };
}

}  // namespace wrsgpu::verification
