// Direct draws to 64-bit numbers, and with a random state in device memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>
#include <variant>

#include "wrsgpu/detail/sampling/gpu_output.cuh"
#include "wrsgpu/detail/table/device_table.cuh"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/sampler_options.hpp"

namespace wrsgpu {

/// Stores sample k in numbers[k], of 4 or 8 bytes: four at a time where that is aligned to 16
/// bytes, which the kernel finds out.
template <class Number>
struct ToNumbers {
  Number* numbers;
  __device__ void put(std::uint64_t k, Index item) const { numbers[k] = item; }
#ifdef __CUDACC__  // C++ sources see only the type
  __device__ void put_quad(std::uint64_t k, const Index (&items)[4]) const {
    Number* const to = numbers + k;
    if (reinterpret_cast<std::uintptr_t>(to) % sizeof(uint4) != 0) {
      for (unsigned s = 0; s < 4; ++s) to[s] = items[s];
    } else if constexpr (sizeof(Number) == 4) {
      __stcs(reinterpret_cast<uint4*>(to), make_uint4(items[0], items[1], items[2], items[3]));
    } else {
      __stcs(reinterpret_cast<ulonglong2*>(to), make_ulonglong2(items[0], items[1]));
      __stcs(reinterpret_cast<ulonglong2*>(to) + 1, make_ulonglong2(items[2], items[3]));
    }
  }
#endif
  __device__ void finish() const {}
};

/// Stores first + sample k in numbers[k].
struct ToNumbersFrom {
  std::uint64_t first;
  std::uint64_t* numbers;
  __device__ void put(std::uint64_t k, Index item) const { numbers[k] = first + item; }
#ifdef __CUDACC__
  __device__ void put_quad(std::uint64_t k, const Index (&items)[4]) const {
    std::uint64_t* const to = numbers + k;
    if (reinterpret_cast<std::uintptr_t>(to) % sizeof(ulonglong2) != 0) {
      for (unsigned s = 0; s < 4; ++s) to[s] = first + items[s];
      return;
    }
    __stcs(reinterpret_cast<ulonglong2*>(to), make_ulonglong2(first + items[0], first + items[1]));
    __stcs(reinterpret_cast<ulonglong2*>(to) + 1,
           make_ulonglong2(first + items[2], first + items[3]));
  }
#endif
  __device__ void finish() const {}
};

/// Draws the samples of `DirectGpuSampler`, as 64-bit numbers, from the fastest rows.
///
/// @param table compact rows
/// @param first is added to each sample
/// @param out in device memory; may be empty
/// @note Asynchronous on `stream`; allocates from its pool only (`with_fastest_rows`).
void draw_64_bit(const DeviceTable& table, Generator generator, std::uint64_t first,
                 std::span<std::uint64_t> out, RandomState state, cudaStream_t stream);

/// Samples or counts, which are added to, in device memory.
using StateOutput = std::variant<ToNumbers<Index>, ToNumbers<std::uint64_t>, ToHistogram>;

/// Draws the samples of `DirectGpuSampler` for the state that `state` holds when the work runs, and
/// adds `samples` to its offset. One launch for a few thousand samples, else two.
///
/// @param rows in device memory
/// @param state in device memory, which no other work may use meanwhile
/// @note Asynchronous on `stream`; no allocation.
void draw_from_state(const CompactRows& rows, Generator generator, const StateOutput& output,
                     std::uint64_t samples, RandomState* state, cudaStream_t stream);

}  // namespace wrsgpu
