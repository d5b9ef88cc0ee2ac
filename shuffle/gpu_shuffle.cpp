#include "wrsgpu/shuffle/gpu_shuffle.cuh"

#include <fmt/format.h>

#include "wrsgpu/core/checked_bytes.hpp"
#include "wrsgpu/core/device_memory.cuh"
#include "wrsgpu/core/find_by_name.hpp"
#include "wrsgpu/shuffle/gpu_methods.cuh"
#include "wrsgpu/shuffle/lazy_permutation.hpp"

namespace wrsgpu::shuffle {
namespace {

[[nodiscard]] std::uintptr_t address(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory);
}

[[nodiscard]] bool overlap(const void* first, std::uint64_t first_bytes, const void* second,
                           std::uint64_t second_bytes) {
  return address(first) < address(second) + second_bytes &&
         address(second) < address(first) + first_bytes;
}

void require_aligned(const void* memory, unsigned bytes, const char* argument) {
  if (address(memory) % bytes != 0) {
    throw Error(fmt::format("argument '{}' is not aligned to {} bytes", argument, bytes));
  }
}

/// See `launch_shuffle`.
void require_storage(const GpuShuffleMethod& method, const GpuShuffleTask& task,
                     std::span<std::byte> storage) {
  const std::size_t needed = storage_bytes(method, task);
  if (storage.size() < needed) {
    throw Error(fmt::format("argument 'storage' has {} bytes; {} of {} keys needs {}",
                            storage.size(), method.name, task.size, needed));
  }
  if (needed == 0) return;
  require_on_device(storage.data(), "storage");
  require_aligned(storage.data(), 256, "storage");
  const std::uint64_t bytes = task.size * task.key_bytes;
  if (overlap(storage.data(), storage.size(), task.out, bytes) ||
      (task.keys != nullptr && overlap(storage.data(), storage.size(), task.keys, bytes))) {
    throw Error("shuffle: argument 'storage' overlaps 'keys' or 'out'");
  }
}

}  // namespace

const std::vector<GpuShuffleMethod>& gpu_shuffle_methods() {
  static const std::vector<GpuShuffleMethod> all{
      gather_method(),     cycle_walk_method(), bijective0_method(),
      bijective1_method(), bijective2_method(), bijective2_lcg_method(),
      thrust_method(),     sort_method(),       dart_throwing_method(),
  };
  return all;
}

const GpuShuffleMethod& find_gpu_shuffle_method(std::string_view name) {
  return find_by_name(gpu_shuffle_methods(), name, "shuffle");
}

void check(const GpuShuffleTask& task) {
  require_size(task.size, "shuffle: the number of keys");
  const bool is_known =
      task.key_bytes == 4 || task.key_bytes == 8 || (task.key_bytes == 16 && task.keys != nullptr);
  if (!is_known) {
    throw Error(fmt::format("shuffle: {} of {} bytes; 4, 8 and 16 are known (numbers: 4 and 8)",
                            task.keys == nullptr ? "numbers" : "keys", task.key_bytes));
  }
  if (task.keys == nullptr && task.key_bytes == 4 && task.size > std::uint64_t{1} << 32) {
    throw Error(fmt::format("shuffle: {} numbers do not fit in 32 bits", task.size));
  }
  require_on_device(task.out, "out");
  require_aligned(task.out, task.key_bytes, "out");
  if (task.keys == nullptr) return;
  require_on_device(task.keys, "keys");
  require_aligned(task.keys, task.key_bytes, "keys");
  const std::uint64_t bytes = checked_bytes(task.size, task.key_bytes);
  if (overlap(task.keys, bytes, task.out, bytes)) {
    throw Error("shuffle: arguments 'keys' and 'out' overlap; a shuffle does not work in place");
  }
}

std::size_t storage_bytes(const GpuShuffleMethod& method, const GpuShuffleTask& task) {
  DeviceArena sizes;
  method.launch(task, sizes, nullptr);
  return sizes.used();
}

void launch_shuffle(const GpuShuffleMethod& method, const GpuShuffleTask& task,
                    std::span<std::byte> storage, cudaStream_t stream) {
  check(task);
  require_storage(method, task, storage);
  std::byte none{};
  DeviceArena arena(storage.empty() ? std::span(&none, 1) : storage);  // an arena needs a block
  method.launch(task, arena, stream);
}

namespace detail {

void shuffle_checked(const GpuShuffleTask& task, std::uint64_t keys, cudaStream_t stream) {
  if (keys != task.size) {
    throw Error(
        fmt::format("shuffle: argument 'out' has room for {} keys, there are {}", task.size, keys));
  }
  static const GpuShuffleMethod ours = cycle_walk_method();
  launch_shuffle(ours, task, {}, stream);
}

}  // namespace detail
}  // namespace wrsgpu::shuffle
