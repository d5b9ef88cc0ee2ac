// The tiles of weights on the host.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "wrsgpu/detail/masses/tile_map.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// What a sample of the weights, at least `tile_sample::threshold_items`, says. Invalid ones count
/// as 0.
template <class T>
[[nodiscard]] tile_sample::Findings look_at_sample(std::span<const T> weights);

/// The tiles of the masses of `weights` (host memory). Reads weights before they are checked, so it
/// throws `Error` as `check_size_and_memory` does.
[[nodiscard]] TileMap find_tile_map(WeightsView weights);

/// The weights of tile `tile`, if tiles are of neighbours.
template <class T>
[[nodiscard]] std::span<const T> weights_of_tile(std::span<const T> weights, std::uint64_t tile) {
  const std::uint64_t begin = tile * mass_tile_items;
  return weights.subspan(begin, std::min<std::uint64_t>(mass_tile_items, weights.size() - begin));
}

/// Writes the numbers of a tile's items in its order, whole chunks also at the end of the last one.
inline void write_items(const TileItems& items, Index* to) {
  for (Index chunk = 0; chunk < tile_chunks; ++chunk) {
    Index* const of_chunk = to + std::size_t{chunk} * chunk_items;
    std::iota(of_chunk, of_chunk + chunk_items, items.chunk(chunk));
  }
}

/// Reads tiles, one at a time.
template <class T>
class TileReader {
 public:
  TileReader(std::span<const T> weights, const TileMap& map) : weights_(weights), map_(map) {}

  /// The weights of a tile in its order, until the next call.
  [[nodiscard]] std::span<const T> read(std::uint64_t tile) {
    const TileItems items = map_[tile];
    if (!items.is_interleaved()) return weights_of_tile(weights_, tile);
    for (Index place = 0; place < items.size(); place += chunk_items) {
      std::copy_n(weights_.data() + items(place), std::min(chunk_items, items.size() - place),
                  copy_.data() + place);
    }
    return {copy_.data(), items.size()};
  }

 private:
  std::span<const T> weights_;
  TileMap map_;
  std::array<T, mass_tile_items> copy_;
};

}  // namespace wrsgpu
