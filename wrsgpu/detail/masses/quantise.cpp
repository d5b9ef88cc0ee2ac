#include "wrsgpu/detail/masses/quantise.hpp"

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/masses/tile_arithmetic.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"

namespace wrsgpu {
namespace {

// Number of tiles that a thread takes at a time.
constexpr std::uint64_t tiles_of_block = 32;

/// Calls `use(tile, weights)` for each tile.
template <class T, class Use>
void for_tiles(std::span<const T> weights, const TileMap& map, unsigned threads, const Use& use) {
  const std::uint64_t tiles = mass_tile_count(map.items);
  parallel_for((tiles + tiles_of_block - 1) / tiles_of_block, threads, [&](std::uint64_t block) {
    TileReader<T> reader(weights, map);
    const std::uint64_t end = std::min(tiles, (block + 1) * tiles_of_block);
    for (std::uint64_t k = block * tiles_of_block; k < end; ++k) {
      const std::uint64_t tile = map.in_memory(k);
      use(tile, reader.read(tile));
    }
  });
}

}  // namespace

std::vector<MassTile> balance_mass_tiles(std::span<const TileSum> sums, Index items) {
  const auto [total, shift] = common_sum(sums.size(), [&](std::size_t t) { return sums[t]; });
  const CommonUnit unit(total, items);

  std::vector<MassTile> tiles(sums.size());
  WideSum sum = 0;
  std::uint64_t before = 0;
  for (std::size_t t = 0; t < sums.size(); ++t) {
    sum += common_tile_sum(sums[t], shift);
    const std::uint64_t end = unit.prefix_mass(sum);
    tiles[t] = MassTile(sums[t], end - before);
    before = end;
  }
  return tiles;
}

MassTiles find_mass_tiles(WeightsView weights, unsigned threads) {
  return find_mass_tiles(weights, find_tile_map(weights), threads);
}

MassTiles find_mass_tiles(WeightsView weights, const TileMap& map, unsigned threads) {
  std::vector<TileSum> sums(mass_tile_count(map.items));
  weights.visit([&](auto w) {
    for_tiles(w, map, threads, [&](std::uint64_t tile, auto part) {
      sums[tile] = sum_tile(part, largest_of(part));
    });
  });
  return {balance_mass_tiles(sums, map.items), map};
}

std::vector<MassTile> find_checked_mass_tiles(WeightsView weights, unsigned threads) {
  std::vector<TileWeights> tile_weights;
  const WeightSummary summary = summarise(weights, threads, nullptr, &tile_weights);
  std::vector<TileSum> sums;
  sums.reserve(tile_weights.size());
  for (const TileWeights& tile : tile_weights) sums.push_back(tile.sum);
  return balance_mass_tiles(sums, summary.size);
}

std::vector<std::uint64_t> masses_before_tiles(std::span<const MassTile> tiles) {
  std::vector<std::uint64_t> before{0};
  for (const MassTile& tile : tiles) before.push_back(before.back() + tile.mass);
  return before;
}

HostBuffer<std::uint64_t> quantise(WeightsView weights, unsigned threads) {
  HostBuffer<std::uint64_t> masses(weights.size());
  const MassTiles found = find_mass_tiles(weights, threads);
  weights.visit([&](auto w) {
    for_tiles(w, found.map, threads, [&](std::uint64_t tile, auto part) {
      const TileItems items = found.map[tile];
      if (!items.is_interleaved()) {
        write_masses(part, found.tiles[tile], masses.data() + items(0));
        return;
      }
      std::array<std::uint64_t, mass_tile_items> of_tile;
      write_masses(part, found.tiles[tile], of_tile.data());
      for (Index place = 0; place < items.size(); ++place) masses[items(place)] = of_tile[place];
    });
  });
  return masses;
}

}  // namespace wrsgpu
