// Preferred carveout of the unified L1 cache and shared memory (thesis 4.8.5).
#pragma once

#include <cuda_runtime.h>

#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu {

enum class Cache { no_preference, prefer_l1, prefer_shared };

/// Sets the preference for all later launches of a kernel.
template <class Kernel>
void set_cache(Kernel kernel, Cache cache) {
  int carveout = cudaSharedmemCarveoutDefault;
  if (cache == Cache::prefer_l1) carveout = cudaSharedmemCarveoutMaxL1;
  if (cache == Cache::prefer_shared) carveout = cudaSharedmemCarveoutMaxShared;
  WRSGPU_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                         cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
}

}  // namespace wrsgpu
