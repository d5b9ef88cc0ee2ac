#include <algorithm>
#include <array>

#include "wrsgpu/detail/masses/tile_reader.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"

namespace wrsgpu {
namespace {

template <std::size_t count>
[[nodiscard]] double sum_pairwise(std::array<double, count> sums) {
  for (std::size_t distance = count / 2; distance > 0; distance /= 2) {
    for (std::size_t k = 0; k < distance; ++k) sums[k] += sums[k + distance];
  }
  return sums[0];
}

}  // namespace

template <class T>
tile_sample::Findings look_at_sample(std::span<const T> weights) {
  using namespace tile_sample;
  const auto all_items = static_cast<Index>(weights.size());
  const auto chunk = [&](Index k) {
    return weights.subspan(first_item(k, all_items), chunk_items);
  };
  std::array<double, warps> sums;
  for (Index warp = 0; warp < warps; ++warp) {
    std::array<double, lanes> of_lanes{};
    for (Index k = 0; k < warp_chunks; ++k) {
      const auto own = chunk(warp * warp_chunks + k);
      for (Index i = 0; i < chunk_items; ++i) of_lanes[i % lanes] += counted(own[i]);
    }
    sums[warp] = sum_pairwise(of_lanes);
  }
  const double sum = sum_pairwise(sums);
  const auto count = [&](Index k, const auto& is_one) {
    const auto own = chunk(k);
    return static_cast<Index>(std::count_if(
        own.begin(), own.end(), [&](T weight) { return is_one(counted(weight), sum); }));
  };
  Counts counts;
  for (Index k = 0; k < chunks; k += 2) {
    counts.add_pair(count(k, is_above_mean), count(k + 1, is_above_mean),
                    count(k, is_below_mean) + count(k + 1, is_below_mean));
  }
  return findings(counts);
}

TileMap find_tile_map(WeightsView weights) {
  check_size_and_memory(weights, Device::cpu);
  const auto items = static_cast<Index>(weights.size());
  if (items < tile_sample::threshold_items) return {items};
  const auto found = weights.visit([](auto span) { return look_at_sample(span); });
  return {items, found.are_alike, found.are_mostly_heavy};
}

template tile_sample::Findings look_at_sample(std::span<const float>);
template tile_sample::Findings look_at_sample(std::span<const double>);

}  // namespace wrsgpu
