#include "wrsgpu/multinomial_counts.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <vector>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/counts/division.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

using detail::Division;
using Counts = std::array<std::uint64_t, Division::parts>;

/// Divides `samples` samples; `mass_before` are the prefix sums of the masses, with that of all at
/// the end.
[[nodiscard]] Counts divide(const Division& division, std::uint64_t samples,
                            const std::uint64_t* mass_before) {
  const auto mass_of = [&](Index part) { return mass_before[part + 1] - mass_before[part]; };
  Counts counts{};
  for (std::uint64_t number = 0; samples > Division::max_single; ++number) {
    const Division::Round round(number, samples, mass_before[Division::parts] - mass_before[0]);
    Counts drawn;
    std::uint64_t sum = 0;
    for (Index part = 0; part < Division::parts; ++part) {
      drawn[part] = 0;
      if (mass_of(part) == 0) continue;
      Division::Random words = division.words(round, part);
      drawn[part] = random::poisson<random::PortableMath>(words, round.mean(mass_of(part)));
      sum += drawn[part];
    }
    if (sum > round.samples) continue;
    samples -= sum;
    for (Index part = 0; part < Division::parts; ++part) counts[part] += drawn[part];
  }
  Division::Random words = division.words_of_single(0);
  for (; samples > 0; --samples) ++counts[Division::part_of(mass_before, words())];
  return counts;
}

/// The samples of each tile, where `mass_before` are the prefix sums of their masses. Rounded up to
/// whole groups.
[[nodiscard]] std::vector<std::uint64_t> count_tiles(RandomState state,
                                                     const std::vector<std::uint64_t>& mass_before,
                                                     std::uint64_t samples) {
  const std::size_t tiles = mass_before.size() - 1;
  const std::size_t groups = (tiles + Division::parts - 1) / Division::parts;
  const auto divide_among = [&](Division::Stage stage, std::size_t number, std::uint64_t all,
                                std::size_t stride) {
    std::array<std::uint64_t, Division::parts + 1> before;
    for (std::size_t i = 0; i < before.size(); ++i) {
      before[i] = mass_before[std::min(number * Division::parts + i * stride, tiles)];
    }
    return divide({state, stage, static_cast<Index>(number)}, all, before.data());
  };
  Counts of_groups{samples};
  if (groups > 1) of_groups = divide_among(Division::Stage::groups, 0, samples, Division::parts);
  std::vector<std::uint64_t> counts;
  for (std::size_t group = 0; group < groups; ++group) {
    const Counts of_tiles = divide_among(Division::Stage::tiles, group, of_groups[group], 1);
    counts.insert(counts.end(), of_tiles.begin(), of_tiles.end());
  }
  return counts;
}

template <class T>
void count_items(std::span<const T> weights, std::span<std::uint64_t> counts, std::uint64_t samples,
                 RandomState state, unsigned threads) {
  const std::vector<MassTile> tiles = find_checked_mass_tiles(weights, threads);
  const std::vector<std::uint64_t> of_tiles =
      count_tiles(state, masses_before_tiles(tiles), samples);
  parallel_for(tiles.size(), threads, [&](std::uint64_t number) {
    const auto tile = static_cast<Index>(number);
    const std::span<const T> part = weights_of_tile(weights, tile);
    // Items beyond the last one have no mass.
    std::array<std::uint64_t, mass_tile_items + 1> before{};
    write_masses(part, tiles[tile], before.data() + 1);
    for (std::size_t i = 1; i <= mass_tile_items; ++i) before[i] += before[i - 1];
    const Counts divided =
        divide({state, Division::Stage::items, tile}, of_tiles[tile], before.data());
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
