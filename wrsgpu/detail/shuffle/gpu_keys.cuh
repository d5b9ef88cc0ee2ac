// The keys of a task as kernels read them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/shuffle/gpu_shuffle_task.cuh"

namespace wrsgpu::shuffle {

/// A 16-byte key, moved in one access.
using WideKey = ulonglong2;

template <class K>
struct StoredKeys {
  using Key = K;
  const Key* keys;
  [[nodiscard]] WRSGPU_HD Key operator()(std::uint64_t place) const { return keys[place]; }
};

/// Keys that are the places themselves.
template <class K>
struct Numbers {
  using Key = K;
  [[nodiscard]] WRSGPU_HD Key operator()(std::uint64_t place) const {
    return static_cast<Key>(place);
  }
};

/// Calls `f(keys, out)` with the typed keys and output of a checked task.
template <class F>
void visit_keys(const GpuShuffleTask& task, F&& f) {
  const auto stored = [&]<class Key>(Key) {
    f(StoredKeys<Key>{static_cast<const Key*>(task.keys)}, static_cast<Key*>(task.out));
  };
  if (task.keys == nullptr) {
    if (task.key_bytes == 4)
      return f(Numbers<std::uint32_t>{}, static_cast<std::uint32_t*>(task.out));
    return f(Numbers<std::uint64_t>{}, static_cast<std::uint64_t*>(task.out));
  }
  if (task.key_bytes == 4) return stored(std::uint32_t{});
  if (task.key_bytes == 8) return stored(std::uint64_t{});
  return stored(WideKey{});
}

}  // namespace wrsgpu::shuffle
