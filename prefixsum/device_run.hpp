// Interface of a prefix sum on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "prefixsum/prefix_sum.hpp"

struct CUstream_st;  // the pointee of cudaStream_t

namespace wrsgpu::prefixsum {

/// Computes the prefix sum of `in` into `out`, both `size` items of device memory.
///
/// As in CUB, a call with `temporary` = nullptr only sets `temporary_bytes` (at least 1) to the
/// storage that a call for `size` items needs, aligned to 256 bytes.
///
/// @throws Error if `in` or `out` is null and `size` is positive, if they are the same array and
///   the method is not in place, if `temporary_bytes` is too small, and if a launch fails
/// @note Asynchronous on `stream`; no allocation.
template <class T>
using DeviceRun = void (*)(void* temporary, std::size_t& temporary_bytes, const T* in, T* out,
                           std::uint64_t size, Kind kind, CUstream_st* stream);

/// A method for every item type.
using DeviceRuns = std::tuple<DeviceRun<std::uint32_t>, DeviceRun<std::uint64_t>, DeviceRun<float>,
                              DeviceRun<double>>;

/// The device functions of `Method`; defined in its .cu file.
template <class Method>
[[nodiscard]] DeviceRuns device_runs();

/// The argument checks of `DeviceRun`.
void check_arguments(const char* method, std::size_t temporary_bytes, std::size_t needed_bytes,
                     const void* in, const void* out, std::uint64_t size, bool in_place);

}  // namespace wrsgpu::prefixsum
