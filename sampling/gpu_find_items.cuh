// The items that an alias table gives for words of the caller, such as quasi-random ones.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "wrsgpu/detail/table/device_table.cuh"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Sets out[k] to the item for the uniform 64-bit words[k] (both in device memory). Throws `Error`
/// if the sizes differ or are 0.
///
/// @note Asynchronous on `stream`.
void find_items(const DeviceTable& table, std::span<const std::uint64_t> words,
                std::span<Index> out, cudaStream_t stream);

/// Throws `Error` if the sizes differ or are 0.
void require_words_for(std::span<const std::uint64_t> words, std::span<const Index> out);

}  // namespace wrsgpu
