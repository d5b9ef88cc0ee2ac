// The balance of the tiles of a sweep: which tiles have an excess, which lack mass, and which heavy
// items are exported.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/host_sweep/compensated_sum.hpp"
#include "wrsgpu/detail/host_sweep/tile_lists.hpp"
#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/masses/masses.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/tile_reader.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::detail {

/// Heavy items that their tiles do not use up, in order, and the mass beyond a bucket that each has
/// left.
template <class Mass>
struct ExportedItems {
  std::vector<Index> items;
  std::vector<Mass> excesses;
};
/// One list for each task that finds exported items.
template <class Mass>
using ExportedItemLists = std::vector<ExportedItems<Mass>>;

/// Fixed-point masses, computed when their tile is read. They are numbered in the order of the
/// tiles.
template <class T>
struct TiledMasses {
  using Mass = std::uint64_t;
  std::span<const T> weights;
  TileMap map;
  const std::vector<MassTile>& tiles;
  const std::vector<TileWeights>& known;
  static constexpr std::uint64_t bucket = fixed_bucket;

  /// Writes the masses of a tile.
  void read(Index tile, std::uint64_t* to) const {
    write_masses(TileReader<T>(weights, map).read(tile), tiles[tile], to);
  }
};
static_assert(host_tile_items == mass_tile_items);

struct ItemRange {
  Index begin;
  Index end;
  [[nodiscard]] Index size() const { return end - begin; }
};

[[nodiscard]] inline ItemRange items_of(Index tile, Index n) {
  const std::uint64_t begin = std::uint64_t{tile} * host_tile_items;
  return {static_cast<Index>(begin),
          static_cast<Index>(std::min<std::uint64_t>(n, begin + host_tile_items))};
}

/// The total mass of a tile's items.
template <class T>
[[nodiscard]] double mass_of(const ScaledWeights<T>& masses, Index tile,
                             const std::vector<double>& leaf_totals) {
  static_assert(host_tile_items % summary_leaf_items == 0);
  constexpr std::size_t leaves = host_tile_items / summary_leaf_items;
  const std::size_t begin = tile * leaves;
  const std::size_t end = std::min(begin + leaves, leaf_totals.size());
  return masses.scale * std::accumulate(leaf_totals.data() + begin, leaf_totals.data() + end, 0.0);
}
template <class T>
[[nodiscard]] std::uint64_t mass_of(const TiledMasses<T>& masses, Index tile,
                                    const std::vector<double>& /*leaf_totals*/) {
  return masses.tiles[tile].mass;
}

/// The weights of a tile if they are neighbours, else none.
template <class T>
[[nodiscard]] std::span<const T> neighbours(const ScaledWeights<T>& masses, ItemRange items) {
  return {masses.weights + items.begin, items.size()};
}
template <class T>
[[nodiscard]] std::span<const T> neighbours(const TiledMasses<T>& masses, ItemRange items) {
  if (masses.map.is_interleaved) return {};
  return masses.weights.subspan(items.begin, items.size());
}

/// The mass of an item of this weight, up to two units: rounding is monotone, and one unit may be
/// added or removed afterwards.
template <class T>
[[nodiscard]] double rough_mass(const MassTile& tile, double weight) {
  const IntegerWeight<T> integer(tile.shift, tile.slope);
  return weight * integer.first() * integer.second();
}

/// Whether all items of the tile are known to be heavy without reading them.
template <class T>
[[nodiscard]] bool is_all_heavy(const ScaledWeights<T>& /*masses*/, Index /*tile*/) {
  return false;
}
template <class T>
[[nodiscard]] bool is_all_heavy(const TiledMasses<T>& masses, Index tile) {
  return rough_mass<T>(masses.tiles[tile], masses.known[tile].smallest) >=
         static_cast<double>(masses.bucket + 2);
}
/// Whether all items of the tile are known to be light without reading them.
template <class T>
[[nodiscard]] bool is_all_light(const TiledMasses<T>& masses, Index tile) {
  return rough_mass<T>(masses.tiles[tile], masses.known[tile].largest) <=
         static_cast<double>(masses.bucket - 2);
}

/// A tile with more mass than its buckets hold, and the heavy items that it exports.
template <class Mass>
struct Excess {
  Index tile;
  Mass mass;  // the excess
  // Exports all its items, for which there are no lists.
  bool all_heavy = false;
  // Exclusive and inclusive prefix sums over the tiles in the order of these lists; bitwise, the
  // inclusive sum of a tile is the exclusive sum of the next one.
  Mass before{0};
  Mass after{0};
  // The exports.
  Index count = 0;
  const Index* items = nullptr;
  const Mass* excesses = nullptr;

  [[nodiscard]] Index item(Index j) const {
    return all_heavy ? tile * host_tile_items + j : items[j];
  }
};

/// A tile that lacks mass, or has exactly enough.
template <class Mass>
struct Lack {
  Index tile;
  Mass mass{0};
  Mass before{0};
  Mass after{0};         // bitwise the `before` of the next one
  bool is_last = false;  // takes all that is left
};

template <class Mass>
struct Balance {
  std::vector<Excess<Mass>> excesses;
  std::vector<Lack<Mass>> lacks;
};

template <class Masses>
[[nodiscard]] Balance<typename Masses::Mass> balance(const Masses& masses, Index n,
                                                     const std::vector<double>& leaf_totals,
                                                     unsigned threads) {
  using Mass = typename Masses::Mass;
  const Index tiles = n / host_tile_items + (n % host_tile_items == 0 ? 0 : 1);
  std::vector<Mass> mass(tiles);
  parallel_for(tiles, threads, [&](std::uint64_t tile) {
    const auto s = static_cast<Index>(tile);
    mass[s] = mass_of(masses, s, leaf_totals);
  });
  Balance<Mass> balance;
  for (Index tile = 0; tile < tiles; ++tile) {
    const Mass capacity = static_cast<Mass>(items_of(tile, n).size()) * masses.bucket;
    if (mass[tile] > capacity) {
      Excess<Mass> excess{tile, mass[tile] - capacity, is_all_heavy(masses, tile)};
      if (excess.all_heavy) excess.count = items_of(tile, n).size();
      balance.excesses.push_back(excess);
    } else {
      balance.lacks.push_back({tile, capacity - mass[tile]});
    }
  }
  return balance;
}

/// Sets `before` and `after` of all tiles.
template <class TileOf>
void sum_up(std::vector<TileOf>& tiles) {
  CompensatedSum<decltype(TileOf::mass)> sum;
  for (TileOf& tile : tiles) {
    tile.before = sum.value();
    sum.add(tile.mass);
    tile.after = sum.value();
  }
}

/// The first tile, from the `begin`-th on, whose items are not used up by a deficit of `lack`, or
/// the last tile.
template <class Mass>
[[nodiscard]] std::size_t first_donor(const std::vector<Excess<Mass>>& tiles, std::size_t begin,
                                      Mass lack) {
  const auto found =
      std::partition_point(tiles.begin() + static_cast<std::ptrdiff_t>(begin), tiles.end() - 1,
                           [&](const Excess<Mass>& tile) { return tile.after <= lack; });
  return static_cast<std::size_t>(found - tiles.begin());
}

/// The exported heavy items, one tile at a time.
template <class Masses>
class Donors {
 public:
  using Mass = typename Masses::Mass;
  using Tiles = std::vector<Excess<Mass>>;

  Donors(const Masses& masses, Index n, const Tiles& tiles)
      : masses_(masses), n_(n), tiles_(tiles) {}

  /// Selects the `tile`-th exporting tile, to which the other members refer.
  void read(std::size_t tile) {
    if (tile == tile_) return;
    tile_ = tile;
    const Excess<Mass>& from = tiles_[tile];
    count_ = from.count;
    items_ = from.items;
    excesses_ = from.excesses;
    if constexpr (std::is_integral_v<Mass>) {
      if (from.all_heavy) read_all(from.tile);
    }
    sum_up(from);
  }

  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] const Index* items() const { return items_; }
  /// The excess of each item over a bucket.
  [[nodiscard]] const Mass* excesses() const { return excesses_; }
  /// Inclusive scan of the excesses, over all tiles. Never decreases.
  [[nodiscard]] Mass sum(Index j) const { return sums_[j]; }
  /// The first item that is not used up by a deficit of `lack`, or the last item.
  [[nodiscard]] Index first_beyond(Mass lack) const {
    return static_cast<Index>(std::upper_bound(sums_, sums_ + count_ - 1, lack) - sums_);
  }
  /// The item of this tile that is used in part once `lack` has been covered, or `count()` if all
  /// of them are used up. If it is the last item of all, it covers the rounding error.
  [[nodiscard]] Index open_item(const Lack<Mass>& lack) const {
    if (!lack.is_last && tiles_[tile_].after > lack.after) return first_beyond(lack.after);
    return tile_ + 1 == tiles_.size() ? count_ - 1 : count_;
  }

 private:
  // Recomputing masses is faster than storing and loading them.
  void read_all(Index tile) {
    const ItemRange range = items_of(tile, n_);
    masses_.read(tile, excess_buffer_);
    for (Index j = 0; j < count_; ++j) {
      excess_buffer_[j] -= masses_.bucket;
      item_buffer_[j] = range.begin + j;
    }
    items_ = item_buffer_;
    excesses_ = excess_buffer_;
  }

  void sum_up(const Excess<Mass>& from) {
    Mass sum = from.before;
    for (Index j = 0; j < count_; ++j) {
      sum += excesses_[j];
      // Rounding must move it neither beyond the tile's sum nor short of it.
      if constexpr (std::is_floating_point_v<Mass>) sum = std::min(sum, from.after);
      sums_[j] = sum;
    }
    sums_[count_ - 1] = from.after;
  }

  const Masses& masses_;
  Index n_;
  const Tiles& tiles_;
  std::size_t tile_ = ~std::size_t{0};
  Index count_ = 0;
  const Index* items_ = nullptr;
  const Mass* excesses_ = nullptr;
  Mass sums_[host_tile_items];
  Mass excess_buffer_[host_tile_items];
  Index item_buffer_[host_tile_items];
};

}  // namespace wrsgpu::detail
