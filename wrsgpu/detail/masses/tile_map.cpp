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
bool are_neighbours_alike(std::span<const T> weights) {
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
  const auto count_above = [&](Index k) {
    const auto own = chunk(k);
    return static_cast<Index>(std::count_if(
        own.begin(), own.end(), [sum](T weight) { return is_above_mean(counted(weight), sum); }));
  };
  Above above;
  for (Index k = 0; k < chunks; k += 2) above.add_pair(count_above(k), count_above(k + 1));
  return are_alike(above);
}

TileMap find_tile_map(WeightsView weights) {
  check_size_and_memory(weights, Device::cpu);
  const auto items = static_cast<Index>(weights.size());
  const bool is_interleaved = items >= tile_sample::threshold_items &&
                              weights.visit([](auto span) { return are_neighbours_alike(span); });
  return {items, is_interleaved};
}

template bool are_neighbours_alike(std::span<const float>);
template bool are_neighbours_alike(std::span<const double>);

}  // namespace wrsgpu
