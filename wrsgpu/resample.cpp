#include "wrsgpu/resample.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/resampling/ancestors.hpp"
#include "wrsgpu/detail/sampling/philox_words.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

using detail::ResamplingPoints;

/// Masses of the items of a tile.
using TileMasses = std::array<std::uint64_t, mass_tile_items>;

/// Ancestors of an item of residual resampling that need no point.
[[nodiscard]] Index certain_ancestors(const detail::Strata& strata, std::uint64_t mass) {
  return strata.place(mass).stratum;
}

/// The certain ancestors of all items before each tile.
template <class T>
[[nodiscard]] std::vector<Index> certain_before_tiles(std::span<const T> weights,
                                                      const std::vector<MassTile>& tiles,
                                                      const detail::Strata& strata,
                                                      unsigned threads) {
  std::vector<Index> before(tiles.size() + 1, 0);
  parallel_for(tiles.size(), threads, [&](std::uint64_t tile) {
    TileMasses masses;
    const auto part = weights_of_tile(weights, tile);
    write_masses(part, tiles[tile], masses.data());
    for (std::size_t i = 0; i < part.size(); ++i) {
      before[tile] += certain_ancestors(strata, masses[i]);
    }
  });
  std::exclusive_scan(before.begin(), before.end(), before.begin(), Index{0});
  return before;
}

/// Counts `points` points in as many random strata, and adds the counts of earlier ones.
[[nodiscard]] std::vector<Index> count_points(Index points, RandomState state, unsigned threads) {
  std::vector<Index> before(std::size_t{points} + 1, 0);
  const random::SplitWords<> words(state.seed);
  constexpr std::uint64_t block = 1 << 11;  // words that the cache holds
  parallel_for((points + block - 1) / block, threads, [&](std::uint64_t number) {
    const auto begin = static_cast<Index>(number * block);
    std::array<std::uint64_t, block> first_words;
    std::array<Index, block> strata;
    const auto count = static_cast<Index>(std::min<std::uint64_t>(block, points - begin));
    split_words(state.seed, state.offset + begin, std::span(first_words).first(count));
    for (Index j = 0; j < count; ++j) {
      // The first word decides unless it may be rejected.
      const WideInteger product = WideInteger{first_words[j]} * points;
      strata[j] = static_cast<std::uint64_t>(product) < points
                      ? ResamplingPoints::random_stratum(words, state, begin + j, points)
                      : static_cast<Index>(product >> 64);
      __builtin_prefetch(&before[strata[j]], 1);
    }
    for (Index j = 0; j < count; ++j) {
      std::atomic_ref(before[strata[j]]).fetch_add(1, std::memory_order_relaxed);
    }
  });
  std::exclusive_scan(before.begin(), before.end(), before.begin(), Index{0});
  return before;
}

/// Writes the ancestors of all items. `certain_before` is empty unless some need no point.
template <class T, class Points>
void write_ancestors(std::span<const T> weights, const std::vector<MassTile>& tiles,
                     const Points& points, const std::vector<Index>& certain_before,
                     std::span<Index> ancestors, unsigned threads) {
  const detail::Strata strata(static_cast<Index>(weights.size()),
                              static_cast<Index>(ancestors.size()));
  const bool is_residual = !certain_before.empty();
  const std::vector<std::uint64_t> mass_before = masses_before_tiles(tiles);
  parallel_for(tiles.size(), threads, [&](std::uint64_t tile) {
    TileMasses masses;
    const auto part = weights_of_tile(weights, tile);
    write_masses(part, tiles[tile], masses.data());
    std::uint64_t mass = mass_before[tile];
    Index certain = is_residual ? certain_before[tile] : 0;
    Index begin = points.ancestors_up_to(mass, certain);
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (masses[i] == 0) continue;
      mass += masses[i];
      if (is_residual) certain += certain_ancestors(strata, masses[i]);
      const Index end = points.ancestors_up_to(mass, certain);
      std::fill(ancestors.begin() + begin, ancestors.begin() + end,
                static_cast<Index>(tile * mass_tile_items + i));
      begin = end;
    }
  });
}

template <class T>
void resample_items(std::span<const T> weights, std::span<Index> ancestors, ResamplingScheme scheme,
                    RandomState state, unsigned threads) {
  const auto items = static_cast<Index>(weights.size());
  const auto count = static_cast<Index>(ancestors.size());
  const std::vector<MassTile> tiles = find_checked_mass_tiles(weights, threads);
  if (scheme == ResamplingScheme::systematic) {
    const detail::SystematicPoints points(detail::ItemDivision(items), count, state);
    return write_ancestors(weights, tiles, points, {}, ancestors, threads);
  }
  const std::vector<Index> certain_before =
      scheme == ResamplingScheme::residual
          ? certain_before_tiles(weights, tiles, {items, count}, threads)
          : std::vector<Index>{};
  const Index certain = certain_before.empty() ? 0 : certain_before.back();
  const std::vector<Index> points_before = detail::has_random_strata(scheme)
                                               ? count_points(count - certain, state, threads)
                                               : std::vector<Index>{};
  const ResamplingPoints points(items, count, state,
                                points_before.empty() ? nullptr : points_before.data());
  write_ancestors(weights, tiles, points, certain_before, ancestors, threads);
}

}  // namespace

namespace detail {

void require_ancestors(std::uint64_t ancestors) {
  if (ancestors > 0 && ancestors <= max_items) return;
  throw Error("argument 'ancestors' has " + std::to_string(ancestors) +
              " elements; it must have at least 1 and at most 2^32 - 2");
}

}  // namespace detail

void resample(const AnyWeights& any_weights, std::span<Index> ancestors, ResamplingScheme scheme,
              RandomState state, unsigned threads) {
  const WeightsView weights = any_weights.view();
  check_size_and_memory(weights, Device::cpu);
  detail::require_ancestors(ancestors.size());
  try {
    weights.visit([&](auto w) { resample_items(w, ancestors, scheme, state, threads); });
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("resample: out of host memory for " + std::to_string(ancestors.size()) +
                      " ancestors of " + std::to_string(weights.size()) + " items");
  }
}

}  // namespace wrsgpu
