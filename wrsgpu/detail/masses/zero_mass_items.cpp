#include "wrsgpu/detail/masses/zero_mass_items.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"

namespace wrsgpu {
namespace {

/// The tiles of weights, and the smallest weight of each.
struct Tiles {
  TileMap map;
  std::vector<TileWeights> known;
  std::vector<MassTile> masses;
};

/// Checks the weights, and finds their tiles in the same pass.
Tiles find_tiles(WeightsView weights, unsigned threads) {
  Tiles tiles{find_tile_map(weights), {}, {}};
  const WeightSummary summary = summarise(weights, threads, nullptr, &tiles.known, &tiles.map);
  std::vector<TileSum> sums;
  sums.reserve(tiles.known.size());
  for (const TileWeights& tile : tiles.known) sums.push_back(tile.sum);
  tiles.masses = balance_mass_tiles(sums, summary.size);
  return tiles;
}

/// Calls `use` with the position in its tile of each item of positive weight without mass.
template <class T, class Use>
void visit_zero_mass_items(std::span<const T> weights, const MassTile& tile, const Use& use) {
  std::array<std::uint64_t, mass_tile_items> masses;
  write_masses(weights, tile, masses.data());
  for (Index i = 0; i < weights.size(); ++i) {
    if (masses[i] == 0 && weights[i] > 0) use(i);
  }
}

/// Number of such items in each tile. Reads only tiles with a light weight; the others' masses are
/// at least two units, of which an item gives up one.
template <class T>
std::vector<Index> count_in_tiles(std::span<const T> weights, const Tiles& tiles,
                                  unsigned threads) {
  std::vector<Index> counts(tiles.masses.size());
  parallel_for(counts.size(), threads, [&](std::uint64_t tile) {
    const MassTile& masses = tiles.masses[tile];
    const IntegerWeight<T, std::uint64_t> integer(masses.shift, masses.slope);
    if (integer.nearest(static_cast<T>(tiles.known[tile].smallest)) > 1) return;
    visit_zero_mass_items(TileReader<T>(weights, tiles.map).read(tile), masses,
                          [&](Index /*place*/) { ++counts[tile]; });
  });
  return counts;
}

/// Keeps the first items.
void insert(Index item, std::vector<Index>& first) {
  first.insert(std::upper_bound(first.begin(), first.end(), item), item);
  if (first.size() > ZeroMassItems::max_listed) first.pop_back();
}

}  // namespace

bool may_have_zero_mass_items(const WeightRange& range, std::uint64_t items) {
  const auto count = static_cast<double>(items);
  const double mass = range.minimum * (count / range.sum) * 0x1p32;
  return !(mass > 3 + 0x1p-26 * count);  // with a margin for rounding errors
}

ZeroMassItems find_zero_mass_items(WeightsView weights, unsigned threads) {
  ZeroMassItems found;
  const Tiles tiles = find_tiles(weights, threads);
  weights.visit([&]<class T>(std::span<const T> all) {
    const std::vector<Index> counts = count_in_tiles(all, tiles, threads);
    for (std::size_t tile = 0; tile < counts.size(); ++tile) {
      found.count += counts[tile];
      // Later tiles of neighbours have later items.
      const bool are_found = found.first.size() == ZeroMassItems::max_listed;
      if (counts[tile] == 0 || (are_found && !tiles.map.is_interleaved)) continue;
      const TileItems items = tiles.map[tile];
      visit_zero_mass_items(TileReader<T>(all, tiles.map).read(tile), tiles.masses[tile],
                            [&](Index place) { insert(items(place), found.first); });
    }
  });
  return found;
}

std::string describe(const ZeroMassItems& items) {
  if (items.count == 0) return {};
  std::string text = std::to_string(items.count);
  text += items.count == 1 ? " item is too light for this table and is never drawn: item "
                           : " items are too light for this table and are never drawn: items ";
  for (std::size_t k = 0; k < items.first.size(); ++k) {
    text += (k == 0 ? "" : ", ") + std::to_string(items.first[k]);
  }
  return items.count > items.first.size() ? text + ", ..." : text;
}

}  // namespace wrsgpu
