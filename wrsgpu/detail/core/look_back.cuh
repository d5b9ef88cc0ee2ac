// Sums over the tiles before one's own, in one pass (decoupled look-back).
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cub/agent/single_pass_scan_operators.cuh>
#include <cuda/std/functional>

#include "wrsgpu/detail/core/device_arena.cuh"

namespace wrsgpu {

/// What the blocks of a kernel, one for each tile, tell each other. The sums are integers, so they
/// do not depend on which block finishes when.
using LookBackSums = cub::ScanTileState<std::uint64_t>;
/// What a block's first warp calls with its tile's own sum; it returns that of the tiles before.
using LookBack = cub::TilePrefixCallbackOp<std::uint64_t, ::cuda::std::plus<>, LookBackSums>;

/// Storage for `tiles` tiles from the arena, made ready on the stream; without a block it is only
/// counted.
[[nodiscard]] LookBackSums take_look_back_sums(int tiles, DeviceArena& arena, cudaStream_t stream);

}  // namespace wrsgpu
