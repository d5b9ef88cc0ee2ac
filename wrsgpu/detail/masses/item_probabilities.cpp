#include "wrsgpu/detail/masses/item_probabilities.hpp"

#include <algorithm>
#include <array>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"

namespace wrsgpu {

void write_probabilities(WeightsView weights, std::span<float> probabilities, unsigned threads) {
  const MassTiles found = find_mass_tiles(weights, threads);
  const auto items = static_cast<Index>(weights.size());
  weights.visit([&]<class T>(std::span<const T> all) {
    parallel_for(found.tiles.size(), threads, [&](std::uint64_t tile) {
      std::array<std::uint64_t, mass_tile_items> masses;
      const TileItems items_of_tile = found.map[tile];
      write_masses(TileReader<T>(all, found.map).read(tile), found.tiles[tile], masses.data());
      for (Index place = 0; place < items_of_tile.size(); ++place) {
        probabilities[items_of_tile(place)] = probability_of_mass(masses[place], items);
      }
    });
  });
}

void write_probabilities(const HostTable& table, std::span<float> probabilities) {
  HostBuffer<std::uint64_t> masses(table.size());
  std::fill(masses.data(), masses.data() + masses.size(), 0);
  table.visit([&](auto rows) {
    for (Index i = 0; i < rows.size(); ++i) {
      const auto row = rows.load(i);
      const auto own = static_cast<std::uint64_t>(rows.own(row));
      masses[i] += own;
      masses[rows.alias(row)] += fixed_bucket - own;
    }
  });
  for (Index i = 0; i < table.size(); ++i) {
    probabilities[i] = probability_of_mass(masses[i], table.size());
  }
}

}  // namespace wrsgpu
