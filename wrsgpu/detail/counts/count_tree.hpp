// The binary tree down which samples are divided among items.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/random/binomial.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/philox_engine.hpp"
#include "wrsgpu/random_state.hpp"

namespace wrsgpu::detail {

/// A tree over the tiles of masses, each the root of a complete tree over its items. The deviate of
/// a node is a function of the seed, the offset and the node, so that any thread can compute it.
///
/// @note The same bits on host and device where `--fmad=false` compiles the device code.
class CountTree {
 public:
  /// Levels of the tree over the items of a tile.
  static constexpr int tile_levels = 11;
  static_assert(mass_tile_items == 1 << tile_levels);

  WRSGPU_HD explicit CountTree(RandomState state)
      : seed_(random::philox_word(state.seed, state.offset, random::counts_subsequence)) {}

  /// The samples of tile `tile` of `tiles`, where `mass_before` are the prefix sums of their
  /// masses.
  [[nodiscard]] WRSGPU_HD std::uint64_t of_tile(std::uint64_t samples,
                                                const std::uint64_t* mass_before, Index tiles,
                                                Index tile) const {
    Index begin = 0;
    Index end = tiles;
    std::uint64_t node = 1;  // the children of node k are 2 k and 2 k + 1
    while (end - begin > 1) {
      const Index middle = begin + (end - begin) / 2;
      const std::uint64_t left = of_left(node, samples, mass_before[middle] - mass_before[begin],
                                         mass_before[end] - mass_before[begin]);
      const bool is_left = tile < middle;
      samples = is_left ? left : samples - left;
      (is_left ? end : begin) = middle;
      node = 2 * node + (is_left ? 0 : 1);
    }
    return samples;
  }

  /// Divides the samples of node `number` of level `level` of a tile, counts[begin] where the node
  /// begins, among its halves. `mass_before` are the prefix sums of the masses of the tile's items,
  /// with the sum of all at the end.
  WRSGPU_HD void divide(std::uint64_t* counts, const std::uint64_t* mass_before, Index tile,
                        int level, unsigned number) const {
    const unsigned size = mass_tile_items >> level;
    const unsigned begin = number * size;
    const unsigned middle = begin + size / 2;
    const std::uint64_t node = std::uint64_t{1} << 40 | std::uint64_t{tile} << (tile_levels + 1) |
                               ((1U << level) + number);
    const std::uint64_t left =
        of_left(node, counts[begin], mass_before[middle] - mass_before[begin],
                mass_before[begin + size] - mass_before[begin]);
    counts[middle] = counts[begin] - left;
    counts[begin] = left;
  }

 private:
  /// How many of `samples` samples are in the left one of two halves. The smaller mass is divided,
  /// because the difference of a quotient and 1 would be rounded.
  [[nodiscard]] WRSGPU_HD std::uint64_t of_left(std::uint64_t node, std::uint64_t samples,
                                                std::uint64_t left_mass, std::uint64_t mass) const {
    if (samples == 0 || left_mass == 0) return 0;
    const std::uint64_t right_mass = mass - left_mass;
    const bool is_left_smaller = left_mass <= right_mass;
    const auto smaller = static_cast<double>(is_left_smaller ? left_mass : right_mass);
    random::PhiloxEngine<> generator(RandomState{seed_, 0}, node);
    const std::uint64_t deviate = random::binomial<random::PortableMath>(
        generator, samples, smaller / static_cast<double>(mass));
    return is_left_smaller ? deviate : samples - deviate;
  }

  std::uint64_t seed_;
};

}  // namespace wrsgpu::detail
