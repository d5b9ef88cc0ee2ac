// Spin-waiting for another resident block.
#pragma once

#include <cuda/atomic>

#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Reads a word with acquire semantics until `is_enough` holds for it, and returns it.
template <class IsEnough>
__device__ Index spin_until(Index& word, const IsEnough& is_enough) {
  const cuda::atomic_ref<Index, cuda::thread_scope_device> shared(word);
  Index found;
  while (!is_enough(found = shared.load(cuda::memory_order_acquire))) __nanosleep(100);
  return found;
}

}  // namespace wrsgpu
