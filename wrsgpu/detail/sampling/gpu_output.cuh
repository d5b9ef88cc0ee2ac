// Output policies of the GPU samplers. A kernel is templated over one; `put` is called once for
// each sample, `finish` once by every thread of a block at its end.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <variant>

#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Sample k goes to samples[k].
struct ToSamples {
  Index* samples;
  __device__ void put(std::uint64_t k, Index item) const { samples[k] = item; }
  __device__ void finish() const {}
};

/// Each sample adds one to its item's count.
struct ToHistogram {
  unsigned long long* counts;
#ifdef __CUDACC__  // C++ sources see the type only
  __device__ void put(std::uint64_t /*k*/, Index item) const { atomicAdd(counts + item, 1ULL); }
#endif
  __device__ void finish() const {}
};

/// The thesis's mode: samples are drawn and not kept. Each thread sums them up modulo 2, so that
/// drawing is not optimised away (thesis 4.7.2); where any of these sums is odd, 1 is written.
struct DiscardSamples {
  Index* any_odd;
  Index sum = 0;
  __device__ void put(std::uint64_t /*k*/, Index item) { sum += item; }
#ifdef __CUDACC__
  // One store for each block: millions of threads would wait for each other.
  __device__ void finish() const {
    if (__syncthreads_or((sum & 1) != 0) != 0 && threadIdx.x == 0) *any_odd = 1;
  }
#endif
};

using AnyOutput = std::variant<ToSamples, ToHistogram, DiscardSamples>;

}  // namespace wrsgpu
