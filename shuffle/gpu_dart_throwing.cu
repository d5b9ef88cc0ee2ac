// Dart throwing (Mitchell and others 2021, sections 2.1 and 6).
#include <thrust/iterator/transform_output_iterator.h>

#include <cub/device/device_select.cuh>

#include "shuffle/gpu_methods.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/shuffle/gpu_keys.cuh"
#include "wrsgpu/detail/shuffle/round_keys.hpp"

namespace wrsgpu::shuffle {
namespace {

constexpr unsigned dart_threads = 256;

constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// Throws each key at a random slot by one atomic exchange, and whichever key was there at another
/// one, until a slot was free. The words do not depend on the keys, and slots are alike, so that
/// each order of the keys in the slots that are taken is as likely as any other.
__global__ void __launch_bounds__(dart_threads)
    throw_darts(RoundKeys<2> seed, std::uint32_t* slots, std::uint64_t slot_count,
                std::uint64_t size) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * dart_threads + threadIdx.x;
  if (i >= size) return;
  const auto thread = static_cast<std::uint32_t>(i);
  std::uint32_t key = thread;
  for (std::uint32_t round = 0;; ++round) {
    const random::PhiloxBlock block =
        random::philox4x32({{thread, round, 0, 0}}, seed.key[0], seed.key[1]);
    for (int half = 0; half < 2; ++half) {
      const std::uint64_t word = block.word[2 * half] | std::uint64_t{block.word[2 * half + 1]}
                                                            << 32;
      key = atomicExch(slots + __umul64hi(word, slot_count), key);
      if (key == nobody) return;
    }
  }
}

struct IsSomebody {
  [[nodiscard]] __device__ bool operator()(std::uint32_t slot) const { return slot != nobody; }
};

/// The key of a place that the compaction writes.
template <class Keys>
struct KeyOfPlace {
  Keys keys;
  [[nodiscard]] __device__ typename Keys::Key operator()(std::uint32_t place) const {
    return keys(place);
  }
};

void dart_throwing(const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream) {
  if (task.size >= nobody) {
    throw Error("dart_throwing: " + std::to_string(task.size) +
                " keys; it numbers them with 32 bits, of which one number means nobody");
  }
  const std::uint64_t slot_count = 2 * task.size;
  auto* slots = arena.take<std::uint32_t>(slot_count);
  auto* count = arena.take<std::uint64_t>(1);
  visit_keys(task, [&](const auto& keys, auto* out) {
    const auto to_keys = thrust::make_transform_output_iterator(out, KeyOfPlace{keys});
    const auto compact = [&](void* storage, std::size_t& bytes) {
      WRSGPU_CUDA_CHECK(cub::DeviceSelect::If(storage, bytes, slots, to_keys, count,
                                              static_cast<std::int64_t>(slot_count), IsSomebody{},
                                              stream));
    };
    std::size_t bytes = 0;
    compact(nullptr, bytes);
    auto* storage = arena.take<std::byte>(bytes);
    if (!arena.has_block()) return;
    WRSGPU_CUDA_CHECK(cudaMemsetAsync(slots, 0xFF, slot_count * sizeof *slots, stream));
    throw_darts<<<blocks_for(task.size, dart_threads), dart_threads, 0, stream>>>(
        round_keys<2>(task.seed, task.size, KeyUse::darts), slots, slot_count, task.size);
    check_launch("shuffle::throw_darts");
    compact(storage, bytes);
  });
}

}  // namespace

GpuShuffleMethod dart_throwing_method() {
  return {.name = "dart_throwing",
          .source = "sections 2.1 and 6",
          .summary =
              "keys exchanged with those in twice as many slots until one is free, then compacted; "
              "at most 2^32 - 2 keys",
          .launch = dart_throwing,
          .reproducible = false};
}

}  // namespace wrsgpu::shuffle
