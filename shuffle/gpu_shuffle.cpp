#include "shuffle/gpu_shuffle.cuh"

#include <fmt/format.h>

#include "shuffle/gpu_methods.cuh"
#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/core/find_by_name.hpp"

namespace wrsgpu::shuffle {
namespace {

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
  detail::require_aligned(storage.data(), 256, "storage");
  const std::uint64_t bytes = task.size * task.key_bytes;
  if (detail::overlap(storage.data(), storage.size(), task.out, bytes) ||
      (task.keys != nullptr && detail::overlap(storage.data(), storage.size(), task.keys, bytes))) {
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

}  // namespace wrsgpu::shuffle
