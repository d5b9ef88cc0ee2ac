// The integer masses of wrsgpu/detail/masses/mass_tiles.hpp on host threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/masses/tile_arithmetic.hpp"
#include "wrsgpu/detail/masses/tile_reader.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// Steps 2 and 3 for all tiles of `items` weights.
[[nodiscard]] std::vector<MassTile> balance_mass_tiles(std::span<const TileSum> sums, Index items);

/// Tiles, and which items they have.
struct MassTiles {
  std::vector<MassTile> tiles;
  TileMap map;

  [[nodiscard]] std::uint64_t capacity(std::uint64_t tile) const {
    return map[tile].size() * fixed_bucket;
  }
  /// Whether a tile has more mass than its buckets hold; otherwise it lacks mass, or neither.
  [[nodiscard]] bool has_excess(std::uint64_t tile) const {
    return tiles[tile].mass > capacity(tile);
  }
  [[nodiscard]] bool any_has_excess() const {
    for (std::uint64_t tile = 0; tile < tiles.size(); ++tile) {
      if (has_excess(tile)) return true;
    }
    return false;
  }
  /// Calls `excess(tile, amount, before)` for each tile with an excess, and `lack(tile, amount,
  /// before)` for each other one, in order; `before` is the sum of the amounts of the tiles of its
  /// kind before it.
  template <class Excess, class Lack>
  void for_each_balance(const Excess& excess, const Lack& lack) const {
    std::uint64_t excesses = 0;
    std::uint64_t lacks = 0;
    for (std::uint64_t tile = 0; tile < tiles.size(); ++tile) {
      const std::uint64_t mass = tiles[tile].mass;
      if (has_excess(tile)) {
        excess(tile, mass - capacity(tile), excesses);
        excesses += mass - capacity(tile);
      } else {
        lack(tile, capacity(tile) - mass, lacks);
        lacks += capacity(tile) - mass;
      }
    }
  }
};

/// Steps 1 to 3 for all tiles of valid weights (host memory; see `summarise`), on up to `threads`
/// threads (0: all).
[[nodiscard]] MassTiles find_mass_tiles(WeightsView weights, unsigned threads);
[[nodiscard]] MassTiles find_mass_tiles(WeightsView weights, const TileMap& map, unsigned threads);

/// Steps 1 to 3 for tiles of neighbours, whose masses follow each other in the order of the items.
/// Checks the weights in the same pass, with the errors of `summarise`.
[[nodiscard]] std::vector<MassTile> find_checked_mass_tiles(WeightsView weights, unsigned threads);

/// The masses of the items before each tile, with the total at the end.
[[nodiscard]] std::vector<std::uint64_t> masses_before_tiles(std::span<const MassTile> tiles);

/// Units that items of a tile gave or took in step 4.
struct GivenUnits {
  std::uint64_t count = 0;
  std::size_t end = 0;             ///< no item from this one on gave or took a unit
  bool only_by_first_ones = true;  ///< all of them satisfy `takes_unit_first`
};

/// Step 4: the masses of the weights of one tile.
template <class T>
GivenUnits write_masses(std::span<const T> weights, const MassTile& tile, std::uint64_t* masses) {
  const RoundedMasses rounded = round_masses(weights, tile, masses);
  const std::uint64_t left = tile.mass - rounded.sum;  // modulo 2^64
  if (left == 0) return {};
  const bool is_too_much = rounded.sum > tile.mass;
  const std::uint64_t unit = is_too_much ? ~std::uint64_t{0} : 1;
  const std::uint64_t wanted = is_too_much ? 0 - left : left;
  std::uint64_t given = 0;
  std::size_t end = 0;
  const auto give = [&](const auto& takes_part) {
    for (std::size_t i = 0; given < wanted && i < weights.size(); ++i) {
      const bool can = rounded.all_have_mass || (is_too_much ? masses[i] > 0 : weights[i] > 0);
      if (!can || !takes_part(i)) continue;
      masses[i] += unit;
      ++given;
      end = i + 1;
    }
  };
  give([&](std::size_t i) { return takes_unit_first(masses[i]); });
  if (given == wanted) return {wanted, end, true};
  // Recomputes the masses before units were given; the current ones include them.
  const IntegerWeight<T, std::uint64_t> integer(tile.shift, tile.slope);
  give([&](std::size_t i) { return !takes_unit_first(integer.nearest(weights[i])); });
  if (given == wanted) return {wanted, end, false};
  const auto largest = std::max_element(weights.begin(), weights.end());
  masses[largest - weights.begin()] += wanted - given;
  return {wanted, weights.size(), false};
}

/// The masses of all `weights` (host memory; valid, see `summarise`), on up to `threads` threads
/// (0: all). They do not depend on the number of threads.
[[nodiscard]] HostBuffer<std::uint64_t> quantise(WeightsView weights, unsigned threads);

}  // namespace wrsgpu
