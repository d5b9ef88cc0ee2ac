// Sorting by random words (Mitchell and others 2021, sections 2.1 and 6).
#include <cub/device/device_radix_sort.cuh>

#include "shuffle/gpu_methods.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/shuffle/gpu_keys.cuh"
#include "wrsgpu/detail/shuffle/round_keys.hpp"

namespace wrsgpu::shuffle {
namespace {

constexpr unsigned sort_threads = 256;

__global__ void __launch_bounds__(sort_threads)
    write_random_words(std::uint64_t seed, std::uint64_t* words, std::uint64_t size) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (i < size) {
    words[i] = random::philox_word(
        seed, i, random::permutations_subsequence + static_cast<std::uint64_t>(KeyUse::sort));
  }
}

template <class Keys>
__global__ void __launch_bounds__(sort_threads)
    copy_keys(Keys keys, typename Keys::Key* out, std::uint64_t size) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (i < size) out[i] = keys(i);
}

void sort_shuffle(const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream) {
  auto* words = arena.take<std::uint64_t>(task.size);
  auto* sorted_words = arena.take<std::uint64_t>(task.size);
  visit_keys(task, [&](const auto& keys, auto* out) {
    using Keys = std::remove_cvref_t<decltype(keys)>;
    using Key = typename Keys::Key;
    // The sort reads keys from memory.
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
    const unsigned blocks = blocks_for(task.size, sort_threads);
    write_random_words<<<blocks, sort_threads, 0, stream>>>(task.seed, words, task.size);
    check_launch("shuffle::write_random_words");
    if constexpr (!are_stored) {
      copy_keys<<<blocks, sort_threads, 0, stream>>>(keys, const_cast<Key*>(stored), task.size);
      check_launch("shuffle::copy_keys");
    }
    sort(storage, bytes);
  });
}

}  // namespace

GpuShuffleMethod sort_method() {
  return {.name = "sort",
          .source = "section 6, SortShuffle",
          .summary = "cub::DeviceRadixSort by random 64-bit words",
          .launch = sort_shuffle};
}

}  // namespace wrsgpu::shuffle
