// Output policies of the GPU samplers, a template parameter of their kernels. `put` is called once
// per sample, `finish` once by every thread of a block at its end.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <variant>

#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Stores sample k in samples[k].
struct ToSamples {
  Index* samples;
  __device__ void put(std::uint64_t k, Index item) const { samples[k] = item; }
  __device__ void finish() const {}
};

/// Adds one to the count of the item for each sample.
struct ToHistogram {
  unsigned long long* counts;
#ifdef __CUDACC__  // C++ sources see only the type
  __device__ void put(std::uint64_t /*k*/, Index item) const { atomicAdd(counts + item, 1ULL); }
#endif
  __device__ void finish() const {}
};

/// The mode in which the thesis measures: samples are drawn and discarded. Each thread sums its
/// samples modulo 2, so that the compiler cannot remove the computation (thesis 4.7.2), and 1 is
/// written if any of these sums is odd.
struct DiscardSamples {
  Index* any_odd;
  Index sum = 0;
  __device__ void put(std::uint64_t /*k*/, Index item) { sum += item; }
#ifdef __CUDACC__
  // One store per block: stores by millions of threads would contend.
  __device__ void finish() const {
    if (__syncthreads_or((sum & 1) != 0) != 0 && threadIdx.x == 0) *any_odd = 1;
  }
#endif
};

using AnyOutput = std::variant<ToSamples, ToHistogram, DiscardSamples>;

}  // namespace wrsgpu
