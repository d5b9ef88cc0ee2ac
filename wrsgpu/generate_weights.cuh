// Generation of named weight distributions in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "wrsgpu/detail/core/device_buffer.cuh"

namespace wrsgpu::weights {

/// Generates the weights of a named distribution in device memory. They equal those of `generate`
/// on the host bit by bit, except for distributions that need `exp`, `pow` or `sin`, whose double
/// weights differ by a factor of at most 1 + 2^-50 (1 + 10^-10 for "binomial").
///
/// @tparam T float or double
/// @param name as for `generate` on the host
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
