#include "wrsgpu/detail/masses/quantise.hpp"

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/masses/tile_arithmetic.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"

namespace wrsgpu {
namespace {

// Number of tiles that a thread takes at a time.
constexpr std::uint64_t tiles_of_block = 32;

template <class Use>
void for_tiles(std::uint64_t tiles, unsigned threads, const Use& use) {
  parallel_for((tiles + tiles_of_block - 1) / tiles_of_block, threads, [&](std::uint64_t block) {
    const std::uint64_t end = std::min(tiles, (block + 1) * tiles_of_block);
    for (std::uint64_t tile = block * tiles_of_block; tile < end; ++tile) use(tile);
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

std::vector<MassTile> find_mass_tiles(WeightsView weights, unsigned threads) {
  const auto items = static_cast<Index>(weights.size());
  std::vector<TileSum> sums(mass_tile_count(items));
  weights.visit([&](auto w) {
    for_tiles(sums.size(), threads, [&](std::uint64_t tile) {
      const auto part = weights_of_tile(w, tile);
      sums[tile] = sum_tile(part, largest_of(part));
    });
  });
  return balance_mass_tiles(sums, items);
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
  const std::vector<MassTile> tiles = find_mass_tiles(weights, threads);
  weights.visit([&](auto w) {
    for_tiles(tiles.size(), threads, [&](std::uint64_t tile) {
      write_masses(weights_of_tile(w, tile), tiles[tile], masses.data() + tile * mass_tile_items);
    });
  });
  return masses;
}

}  // namespace wrsgpu
