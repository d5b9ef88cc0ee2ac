// What the bijective shuffle is compared with (Mitchell and others 2021, sections 2.1 and 6).
#include <thrust/device_ptr.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/random.h>
#include <thrust/shuffle.h>
#include <thrust/system/cuda/execution_policy.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <map>
#include <memory>

#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/memory_pool.cuh"
#include "wrsgpu/random/philox.hpp"
#include "wrsgpu/shuffle/gpu_gather.cuh"
#include "wrsgpu/shuffle/gpu_keys.cuh"
#include "wrsgpu/shuffle/gpu_methods.cuh"
#include "wrsgpu/shuffle/round_keys.hpp"

namespace wrsgpu::shuffle {
namespace {

constexpr unsigned threads = 256;

// --- thrust::shuffle_copy -----------------------------------------------------------------------

/// Gives Thrust its temporary memory in the order of the stream, as the pool's buffers.
class PoolAllocator {
 public:
  using value_type = char;
  explicit PoolAllocator(cudaStream_t stream) : stream_(stream) {}

  char* allocate(std::ptrdiff_t bytes) {
    auto buffer = std::make_unique<PoolBuffer<char>>(static_cast<std::size_t>(bytes), stream_);
    char* const data = buffer->data();
    buffers_[data] = std::move(buffer);
    return data;
  }
  void deallocate(char* data, std::size_t /*bytes*/) { buffers_.erase(data); }

 private:
  cudaStream_t stream_;
  std::map<char*, std::unique_ptr<PoolBuffer<char>>> buffers_;
};

void thrust_shuffle(const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream) {
  if (!arena.has_block()) return;
  visit_keys(task, [&](const auto& keys, auto* out) {
    PoolAllocator allocator(stream);
    const auto first =
        thrust::make_transform_iterator(thrust::make_counting_iterator(std::uint64_t{0}), keys);
    thrust::default_random_engine engine(static_cast<std::uint32_t>(task.seed));
    thrust::shuffle_copy(thrust::cuda::par_nosync(allocator).on(stream), first, first + task.size,
                         thrust::device_pointer_cast(out), engine);
  });
}

// --- Sorting by random keys ---------------------------------------------------------------------

__global__ void __launch_bounds__(threads)
    write_random_words(std::uint64_t seed, std::uint64_t* words, std::uint64_t size) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < size) {
    words[i] = random::philox_word(
        seed, i, random::permutations_subsequence + static_cast<std::uint64_t>(KeyUse::sort));
  }
}

template <class Keys>
__global__ void __launch_bounds__(threads)
    copy_keys(Keys keys, typename Keys::Key* out, std::uint64_t size) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < size) out[i] = keys(i);
}

void sort_shuffle(const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream) {
  auto* words = arena.take<std::uint64_t>(task.size);
  auto* sorted_words = arena.take<std::uint64_t>(task.size);
  visit_keys(task, [&](const auto& keys, auto* out) {
    using Keys = std::remove_cvref_t<decltype(keys)>;
    using Key = typename Keys::Key;
    // The sort reads keys that lie in memory.
    constexpr bool are_stored = std::is_same_v<Keys, StoredKeys<Key>>;
    const Key* stored = nullptr;
    if constexpr (are_stored) {
      stored = keys.keys;
    } else {
      stored = arena.take<Key>(task.size);
    }
    const auto sort = [&](void* storage, std::size_t& bytes) {
      WRSGPU_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(storage, bytes, words, sorted_words, stored,
                                                        out, static_cast<std::int64_t>(task.size),
                                                        0, 64, stream));
    };
    std::size_t bytes = 0;
    sort(nullptr, bytes);
    auto* storage = arena.take<std::byte>(bytes);
    if (!arena.has_block()) return;
    const unsigned blocks = blocks_for(task.size, threads);
    write_random_words<<<blocks, threads, 0, stream>>>(task.seed, words, task.size);
    check_launch("shuffle::write_random_words");
    if constexpr (!are_stored) {
      copy_keys<<<blocks, threads, 0, stream>>>(keys, const_cast<Key*>(stored), task.size);
      check_launch("shuffle::copy_keys");
    }
    sort(storage, bytes);
  });
}

// --- Dart throwing ------------------------------------------------------------------------------

constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// Throws each key at random slots until one is free.
__global__ void __launch_bounds__(threads)
    throw_darts(RoundKeys<2> seed, std::uint32_t* slots, std::uint64_t slot_count,
                std::uint64_t size) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= size) return;
  const auto key = static_cast<std::uint32_t>(i);
  for (std::uint32_t round = 0;; ++round) {
    const random::PhiloxBlock block =
        random::philox4x32({{key, round, 0, 0}}, seed.key[0], seed.key[1]);
    for (int half = 0; half < 2; ++half) {
      const std::uint64_t word = block.word[2 * half] | std::uint64_t{block.word[2 * half + 1]}
                                                            << 32;
      if (atomicCAS(slots + __umul64hi(word, slot_count), nobody, key) == nobody) return;
    }
  }
}

struct IsSomebody {
  [[nodiscard]] __device__ bool operator()(std::uint32_t slot) const { return slot != nobody; }
};

void dart_throwing(const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream) {
  if (task.size >= nobody) {
    throw Error("dart_throwing: " + std::to_string(task.size) +
                " keys; it numbers them with 32 bits, of which one number means nobody");
  }
  const std::uint64_t slot_count = 2 * task.size;
  auto* slots = arena.take<std::uint32_t>(slot_count);
  auto* places = arena.take<std::uint32_t>(task.size);
  auto* count = arena.take<std::uint64_t>(1);
  const auto compact = [&](void* storage, std::size_t& bytes) {
    WRSGPU_CUDA_CHECK(cub::DeviceSelect::If(storage, bytes, slots, places, count,
                                            static_cast<std::int64_t>(slot_count), IsSomebody{},
                                            stream));
  };
  std::size_t bytes = 0;
  compact(nullptr, bytes);
  auto* storage = arena.take<std::byte>(bytes);
  if (!arena.has_block()) return;
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(slots, 0xFF, slot_count * sizeof *slots, stream));
  throw_darts<<<blocks_for(task.size, threads), threads, 0, stream>>>(
      round_keys<2>(task.seed, task.size, KeyUse::darts), slots, slot_count, task.size);
  check_launch("shuffle::throw_darts");
  compact(storage, bytes);
  visit_keys(task, [&](const auto& keys, auto* out) {
    launch_gather(PlacesFrom<std::uint32_t>{places}, 0, keys, out, task.size, stream);
  });
}

}  // namespace

GpuShuffleMethod thrust_method() {
  return {.name = "thrust_shuffle_copy",
          .source = "CCCL",
          .summary =
              "thrust::shuffle_copy with its own storage and generator, which takes the seed "
              "modulo 2^31 - 1",
          .launch = thrust_shuffle};
}

GpuShuffleMethod sort_method() {
  return {.name = "sort",
          .source = "section 6, SortShuffle",
          .summary = "cub::DeviceRadixSort by random 64-bit words",
          .launch = sort_shuffle};
}

GpuShuffleMethod dart_throwing_method() {
  return {.name = "dart_throwing",
          .source = "sections 2.1 and 6",
          .summary =
              "keys thrown at twice as many slots until one is free, then compacted; at most "
              "2^32 - 2 keys",
          .launch = dart_throwing,
          .reproducible = false};
}

}  // namespace wrsgpu::shuffle
