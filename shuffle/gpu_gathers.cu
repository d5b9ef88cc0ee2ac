// The random gather, an upper bound for the throughput of a shuffle, and cycle walking, a shuffle
// by one gather.
#include "shuffle/gpu_methods.cuh"
#include "wrsgpu/detail/shuffle/gpu_gather.cuh"
#include "wrsgpu/detail/shuffle/gpu_keys.cuh"

namespace wrsgpu::shuffle {
namespace {

/// Places in [0, size) by a cheap hash; some occur twice, some never.
struct RandomPlaces {
  std::uint64_t size;
  std::uint64_t seed;

  [[nodiscard]] __device__ std::uint64_t operator()(std::uint64_t index) const {
    std::uint64_t x = (index + seed) * 0x9E37'79B9'7F4A'7C15U;
    x ^= x >> 32;
    return __umul64hi(x * 0xD6E8'FEB8'6659'FD93U, size);
  }
};

void launch_random_gather(const GpuShuffleTask& task, cudaStream_t stream) {
  visit_keys(task, [&](const auto& keys, auto* out) {
    launch_gather(RandomPlaces{task.size, task.seed}, 0, keys, out, task.size, stream);
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
            if (arena.has_block()) launch_random_gather(task, stream);
          },
      .permutes = false};
}

GpuShuffleMethod cycle_walk_method() {
  return {.name = "cycle_walk",
          .source = "wrsgpu",
          .summary = "one gather at the places of the lazy permutation; no scan, no storage",
          .launch = [](const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream) {
            if (arena.has_block()) detail::launch_cycle_walk(task, stream);
          }};
}

}  // namespace wrsgpu::shuffle
