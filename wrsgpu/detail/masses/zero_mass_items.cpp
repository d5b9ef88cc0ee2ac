#include "wrsgpu/detail/masses/zero_mass_items.hpp"

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
  std::vector<TileWeights> known;
  std::vector<MassTile> masses;
};

/// Checks the weights, and finds their tiles in the same pass.
Tiles find_tiles(WeightsView weights, unsigned threads) {
  Tiles tiles;
  const WeightSummary summary = summarise(weights, threads, nullptr, &tiles.known);
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
  for (std::size_t i = 0; i < weights.size(); ++i) {
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
    visit_zero_mass_items(weights_of_tile(weights, tile), masses,
                          [&](std::size_t /*item*/) { ++counts[tile]; });
  });
  return counts;
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
  weights.visit([&](auto all) {
    const std::vector<Index> counts = count_in_tiles(all, tiles, threads);
    for (std::size_t tile = 0; tile < counts.size(); ++tile) {
      found.count += counts[tile];
      if (counts[tile] == 0 || found.first.size() == ZeroMassItems::max_listed) continue;
      visit_zero_mass_items(weights_of_tile(all, tile), tiles.masses[tile], [&](std::size_t i) {
        if (found.first.size() == ZeroMassItems::max_listed) return;
        found.first.push_back(static_cast<Index>(tile * mass_tile_items + i));
      });
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
