#include "wrsgpu/detail/masses/gpu_item_probabilities.cuh"

#include <algorithm>

#include "wrsgpu/detail/masses/balance.cuh"
#include "wrsgpu/detail/masses/item_probabilities.hpp"
#include "wrsgpu/detail/masses/write_masses.cuh"

namespace wrsgpu {
namespace {

struct ProbabilityOf {
  Index items;
  [[nodiscard]] __device__ float operator()(std::uint64_t mass) const {
    return probability_of_mass(mass, items);
  }
};

/// An arena without a block is only asked for its size.
void launch_with(DeviceArena& arena, WeightsView weights, float* probabilities,
                 cudaStream_t stream) {
  weights.visit([&]<class T>(std::span<const T> w) {
    auto* const summary = arena.take<DeviceWeightSummary>(1);
    const MassTile* const tiles = merge::balance_tiles(w, summary, arena, stream).tiles;
    if (!arena.has_block()) return;
    write_masses_on_device(w, tiles, summary, ProbabilityOf{static_cast<Index>(w.size())},
                           probabilities, stream);
  });
}

/// Bytes that it takes for `items` weights of either type.
std::size_t temporary_bytes(Index items) {
  const auto bytes = [&]<class T>(const T* absent) {
    DeviceArena arena;
    launch_with(arena, WeightsView::on_device(std::span(absent, items)), nullptr, nullptr);
    return arena.used();
  };
  return std::max(bytes(static_cast<const float*>(nullptr)),
                  bytes(static_cast<const double*>(nullptr)));
}

}  // namespace

DeviceItemProbabilities::DeviceItemProbabilities(Index items)
    : values_(items), temporary_(items > 0 ? temporary_bytes(items) : 0) {}

void DeviceItemProbabilities::launch(WeightsView weights, cudaStream_t stream) {
  DeviceArena arena(temporary_.span());
  launch_with(arena, weights, values_.data(), stream);
}

}  // namespace wrsgpu
