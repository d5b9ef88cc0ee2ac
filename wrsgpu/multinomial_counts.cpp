#include "wrsgpu/multinomial_counts.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <vector>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/counts/count_tree.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

template <class T>
void count_items(std::span<const T> weights, std::span<std::uint64_t> counts, std::uint64_t samples,
                 RandomState state, unsigned threads) {
  const std::vector<MassTile> tiles = find_checked_mass_tiles(weights, threads);
  const std::vector<std::uint64_t> mass_before = masses_before_tiles(tiles);
  const detail::CountTree tree(state);
  parallel_for(tiles.size(), threads, [&](std::uint64_t number) {
    const auto tile = static_cast<Index>(number);
    const std::span<const T> part = weights_of_tile(weights, tile);
    // Items beyond the last one have no mass.
    std::array<std::uint64_t, mass_tile_items + 1> before{};
    write_masses(part, tiles[tile], before.data() + 1);
    for (std::size_t i = 1; i <= mass_tile_items; ++i) before[i] += before[i - 1];
    std::array<std::uint64_t, mass_tile_items> divided;
    divided[0] = tree.of_tile(samples, mass_before.data(), static_cast<Index>(tiles.size()), tile);
    for (int level = 0; level < detail::CountTree::tile_levels; ++level) {
      for (unsigned node = 0; node < 1U << level; ++node) {
        tree.divide(divided.data(), before.data(), tile, level, node);
      }
    }
    std::copy_n(divided.begin(), part.size(), counts.data() + number * mass_tile_items);
  });
}

}  // namespace

namespace detail {

void require_multinomial_counts(std::uint64_t counts, std::uint64_t items) {
  if (counts == items) return;
  throw Error("argument 'counts' has " + std::to_string(counts) + " elements; there are " +
              std::to_string(items) + " weights");
}

}  // namespace detail

void multinomial_counts(const AnyWeights& any_weights, std::span<std::uint64_t> counts,
                        std::uint64_t samples, RandomState state, unsigned threads) {
  const WeightsView weights = any_weights.view();
  check_size_and_memory(weights, Device::cpu);
  detail::require_multinomial_counts(counts.size(), weights.size());
  try {
    weights.visit([&](auto w) { count_items(w, counts, samples, state, threads); });
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("multinomial_counts: out of host memory for " +
                      std::to_string(weights.size()) + " items");
  }
}

}  // namespace wrsgpu
