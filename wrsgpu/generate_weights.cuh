// Generation of named weight distributions in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "wrsgpu/detail/core/device_buffer.cuh"

namespace wrsgpu::weights {

/// Generates the weights of a named distribution in device memory. They equal those of `generate`
/// on the host up to `DistributionInfo::device_difference`.
///
/// @tparam T float or double
/// @param name a distribution that `distributions()` lists
/// @param n number of items
/// @param seed used by distributions that are random
/// @param out the `n` weights, in device memory
/// @param stream the stream on which the work is launched
/// @throws Error as `generate` does
/// @note Asynchronous: one kernel, one thread per item. The exception is "words", which copies its
/// word counts to the device and synchronises the stream.
template <class T>
void generate_on_device(std::string_view name, std::uint64_t n, std::uint64_t seed,
                        std::span<T> out, cudaStream_t stream);

/// Generates the weights in new device memory.
///
/// @throws Error as `generate` does
/// @note Synchronises the default stream.
template <class T>
[[nodiscard]] DeviceBuffer<T> generate_on_device(std::string_view name, std::uint64_t n,
                                                 std::uint64_t seed);

}  // namespace wrsgpu::weights
