// Generation of named weight distributions in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "wrsgpu/detail/core/device_buffer.cuh"

namespace wrsgpu::weights {

/// Writes the `n` weights of the distribution `name` to `out`, which is device memory, on `stream`.
/// T is float or double. They are the weights that `generate` writes on the host, up to
/// `DistributionInfo::device_difference`. One thread per item, one launch; "words" also copies its
/// list to the device and waits for the stream. Throws `Error` as `generate` does.
template <class T>
void generate_on_device(std::string_view name, std::uint64_t n, std::uint64_t seed,
                        std::span<T> out, cudaStream_t stream);

/// The same in new memory, finished when it returns.
template <class T>
[[nodiscard]] DeviceBuffer<T> generate_on_device(std::string_view name, std::uint64_t n,
                                                 std::uint64_t seed);

}  // namespace wrsgpu::weights
