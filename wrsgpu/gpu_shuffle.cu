#include "wrsgpu/gpu_shuffle.cuh"

#include <string>

#include "wrsgpu/detail/core/checked_bytes.hpp"
#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/shuffle/gpu_gather.cuh"
#include "wrsgpu/detail/shuffle/gpu_keys.cuh"
#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::shuffle {
namespace {

[[nodiscard]] std::uintptr_t address(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory);
}

}  // namespace

namespace detail {

bool overlap(const void* first, std::uint64_t first_bytes, const void* second,
             std::uint64_t second_bytes) {
  return address(first) < address(second) + second_bytes &&
         address(second) < address(first) + first_bytes;
}

void require_aligned(const void* memory, unsigned bytes, const char* argument) {
  if (address(memory) % bytes != 0) {
    throw Error("argument '" + std::string(argument) + "' is not aligned to " +
                std::to_string(bytes) + " bytes");
  }
}

}  // namespace detail

void check(const GpuShuffleTask& task) {
  require_size(task.size, "shuffle: the number of keys");
  const bool is_known =
      task.key_bytes == 4 || task.key_bytes == 8 || (task.key_bytes == 16 && task.keys != nullptr);
  if (!is_known) {
    throw Error(std::string("shuffle: ") + (task.keys == nullptr ? "numbers" : "keys") + " of " +
                std::to_string(task.key_bytes) +
                " bytes; 4, 8 and 16 are known (numbers: 4 and 8)");
  }
  if (task.keys == nullptr && task.key_bytes == 4 && task.size > std::uint64_t{1} << 32) {
    throw Error("shuffle: " + std::to_string(task.size) + " numbers do not fit in 32 bits");
  }
  require_on_device(task.out, "out");
  detail::require_aligned(task.out, task.key_bytes, "out");
  if (task.keys == nullptr) return;
  require_on_device(task.keys, "keys");
  detail::require_aligned(task.keys, task.key_bytes, "keys");
  const std::uint64_t bytes = checked_bytes(task.size, task.key_bytes);
  if (detail::overlap(task.keys, bytes, task.out, bytes)) {
    throw Error("shuffle: arguments 'keys' and 'out' overlap; a shuffle does not work in place");
  }
}

namespace detail {

void launch_cycle_walk(const GpuShuffleTask& task, cudaStream_t stream) {
  visit_keys(task, [&](const auto& keys, auto* out) {
    launch_gather(lazy_permutation(task.size, task.seed), 0, keys, out, task.size, stream);
  });
}

void shuffle_checked(const GpuShuffleTask& task, std::uint64_t keys, cudaStream_t stream) {
  if (keys != task.size) {
    throw Error("shuffle: argument 'out' has " + std::to_string(task.size) +
                " elements, expected " + std::to_string(keys));
  }
  check(task);
  launch_cycle_walk(task, stream);
}

}  // namespace detail
}  // namespace wrsgpu::shuffle
