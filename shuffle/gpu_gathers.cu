// The random gather, which bounds what a shuffle can reach, and the shuffle that is one.
#include "wrsgpu/shuffle/gpu_gather.cuh"
#include "wrsgpu/shuffle/gpu_keys.cuh"
#include "wrsgpu/shuffle/gpu_methods.cuh"
#include "wrsgpu/shuffle/lazy_permutation.hpp"

namespace wrsgpu::shuffle {
namespace {

/// Places all over [0, size) by a cheap hash; some come twice, some never.
struct RandomPlaces {
  std::uint64_t size;
  std::uint64_t seed;

  [[nodiscard]] __device__ std::uint64_t operator()(std::uint64_t index) const {
    std::uint64_t x = (index + seed) * 0x9E37'79B9'7F4A'7C15U;
    x ^= x >> 32;
    return __umul64hi(x * 0xD6E8'FEB8'6659'FD93U, size);
  }
};

template <class MakePlaces>
void launch(const GpuShuffleTask& task, const DeviceArena& arena, cudaStream_t stream,
            const MakePlaces& make_places) {
  if (!arena.has_block()) return;
  visit_keys(task, [&](const auto& keys, auto* out) {
    launch_gather(make_places(task.size, task.seed), 0, keys, out, task.size, stream);
  });
}

}  // namespace

GpuShuffleMethod gather_method() {
  return {
      .name = "gather",
      .source = "section 2.2",
      .summary = "reads at random places, which repeat: no shuffle, but as much work for memory",
      .launch =
          [](const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream) {
            launch(task, arena, stream, [](std::uint64_t size, std::uint64_t seed) {
              return RandomPlaces{size, seed};
            });
          },
      .permutes = false};
}

GpuShuffleMethod cycle_walk_method() {
  return {.name = "cycle_walk",
          .source = "wrsgpu",
          .summary = "one gather at the places of the lazy permutation; no scan, no storage",
          .launch = [](const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream) {
            launch(task, arena, stream, lazy_permutation);
          }};
}

}  // namespace wrsgpu::shuffle
