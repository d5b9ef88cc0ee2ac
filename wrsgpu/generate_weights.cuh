// Generation of named weight distributions in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "wrsgpu/detail/core/device_buffer.cuh"

namespace wrsgpu::weights {

/// Writes the weights of a named distribution to device memory: those that `generate` writes on the
/// host, up to `DistributionInfo::device_difference`.
///
/// @tparam T float or double
/// @param name a distribution that `distributions()` lists
/// @param n number of items
/// @param seed of the distributions that are random
/// @param out the `n` weights, in device memory
/// @param stream where the work is launched
/// @throws Error as `generate` does
/// @note Asynchronous: one launch, one thread per item. Only "words" copies its list to the device
/// and waits for the stream.
template <class T>
void generate_on_device(std::string_view name, std::uint64_t n, std::uint64_t seed,
                        std::span<T> out, cudaStream_t stream);

/// Returns the weights in new device memory.
///
/// @throws Error as `generate` does
/// @note Waits for the kernel.
template <class T>
[[nodiscard]] DeviceBuffer<T> generate_on_device(std::string_view name, std::uint64_t n,
                                                 std::uint64_t seed);

}  // namespace wrsgpu::weights
