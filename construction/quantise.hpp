// The integer masses of construction/mass_tiles.hpp on host threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "wrsgpu/construction/tile_arithmetic.hpp"
#include "wrsgpu/core/host_buffer.hpp"
#include "wrsgpu/weights/weights_view.hpp"

namespace wrsgpu {

/// The part of `weights` that tile `tile` has.
template <class T>
[[nodiscard]] std::span<const T> weights_of_tile(std::span<const T> weights, std::uint64_t tile) {
  const std::uint64_t begin = tile * mass_tile_items;
  return weights.subspan(begin, std::min<std::uint64_t>(mass_tile_items, weights.size() - begin));
}

/// Steps 1 to 3 for all tiles of weights that `summarise` accepts (host memory), on up to `threads`
/// threads (0: all).
[[nodiscard]] std::vector<MassTile> find_mass_tiles(WeightsView weights, unsigned threads);

/// Step 4: the masses of the weights of one tile.
template <class T>
void write_masses(std::span<const T> weights, const MassTile& tile, std::uint64_t* masses) {
  const auto [sum, with_weight] = cut_masses(weights, tile, masses);
  const std::uint64_t left = tile.mass - sum;
  const std::size_t units = std::min<std::uint64_t>(left, with_weight);
  if (with_weight == weights.size()) {
    for (std::size_t i = 0; i < units; ++i) ++masses[i];
  } else {
    std::size_t given = 0;
    for (std::size_t i = 0; given < units; ++i) {
      const bool has_weight = weights[i] > 0;
      masses[i] += has_weight ? 1 : 0;
      given += has_weight ? 1 : 0;
    }
  }
  if (left == units) return;
  const auto largest = std::max_element(weights.begin(), weights.end());
  masses[largest - weights.begin()] += left - units;
}

/// The masses of all `weights` (host memory; such as `summarise` accepts) on up to `threads`
/// threads (0: all), on which they do not depend.
[[nodiscard]] HostBuffer<std::uint64_t> quantise(WeightsView weights, unsigned threads);

}  // namespace wrsgpu
