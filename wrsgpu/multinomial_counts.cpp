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

using detail::CountTree;

/// Divides counts[0] samples among the leaves of tree `number` of a stage. All other counts are 0.
void divide_down(const CountTree& trees, CountTree::Stage stage, Index number,
                 std::uint64_t* counts, const std::uint64_t* mass_before) {
  const CountTree::Tree tree(trees, stage, number, counts, mass_before);
  for (int level = 0; level < CountTree::levels; ++level) {
    const std::size_t leaves = CountTree::leaves >> level;
    for (unsigned node = 0; node < 1U << level; ++node) {
      if (counts[node * leaves] > 0) tree.divide(level, node);
    }
  }
}

/// The samples of each tile, where `mass_before` are the prefix sums of their masses. Rounded up to
/// whole groups.
[[nodiscard]] std::vector<std::uint64_t> count_tiles(const CountTree& trees,
                                                     const std::vector<std::uint64_t>& mass_before,
                                                     std::uint64_t samples) {
  const std::size_t tiles = mass_before.size() - 1;
  const std::size_t groups = (tiles + CountTree::leaves - 1) / CountTree::leaves;
  std::vector<std::uint64_t> before(CountTree::leaves + 1);
  const auto find_before = [&](std::size_t first, std::size_t stride) {
    for (std::size_t i = 0; i <= CountTree::leaves; ++i) {
      before[i] = mass_before[std::min(first + i * stride, tiles)];
    }
    return before.data();
  };
  std::vector<std::uint64_t> of_groups(CountTree::leaves);
  of_groups[0] = samples;
  if (groups > 1) {
    divide_down(trees, CountTree::Stage::groups, 0, of_groups.data(),
                find_before(0, CountTree::leaves));
  }
  std::vector<std::uint64_t> counts(groups * CountTree::leaves);
  for (std::size_t group = 0; group < groups; ++group) {
    std::uint64_t* const of_group = counts.data() + group * CountTree::leaves;
    of_group[0] = of_groups[group];
    divide_down(trees, CountTree::Stage::tiles, static_cast<Index>(group), of_group,
                find_before(group * CountTree::leaves, 1));
  }
  return counts;
}

template <class T>
void count_items(std::span<const T> weights, std::span<std::uint64_t> counts, std::uint64_t samples,
                 RandomState state, unsigned threads) {
  const std::vector<MassTile> tiles = find_checked_mass_tiles(weights, threads);
  const CountTree trees(state);
  const std::vector<std::uint64_t> of_tiles =
      count_tiles(trees, masses_before_tiles(tiles), samples);
  parallel_for(tiles.size(), threads, [&](std::uint64_t number) {
    const auto tile = static_cast<Index>(number);
    const std::span<const T> part = weights_of_tile(weights, tile);
    // Items beyond the last one have no mass.
    std::array<std::uint64_t, mass_tile_items + 1> before{};
    write_masses(part, tiles[tile], before.data() + 1);
    for (std::size_t i = 1; i <= mass_tile_items; ++i) before[i] += before[i - 1];
    std::array<std::uint64_t, mass_tile_items> divided{};
    divided[0] = of_tiles[tile];
    divide_down(trees, CountTree::Stage::items, tile, divided.data(), before.data());
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
