// Item numbers of 64 bits from those of 32 bits.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Copies items to as many numbers of 64 bits; `no_item` becomes -1 there, too.
///
/// @param items, out in device memory; must not overlap
/// @note Asynchronous; no allocation. Can be captured in a CUDA graph.
void widen_items(std::span<const Index> items, std::span<std::uint64_t> out, cudaStream_t stream);

}  // namespace wrsgpu
