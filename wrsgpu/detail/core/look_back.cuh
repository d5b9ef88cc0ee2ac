// Single-pass exclusive scan over tiles by decoupled look-back.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cub/agent/single_pass_scan_operators.cuh>
#include <cuda/std/functional>

#include "wrsgpu/detail/core/device_arena.cuh"

namespace wrsgpu {

/// Tile states that the blocks of a kernel, one per tile, publish. The sums are integers, so they
/// do not depend on the order in which blocks finish.
using LookBackSums = cub::ScanTileState<std::uint64_t>;
/// Prefix callback: the first warp of a block passes the sum of its tile and gets the sum of the
/// preceding tiles.
using LookBack = cub::TilePrefixCallbackOp<std::uint64_t, ::cuda::std::plus<>, LookBackSums>;

/// Storage for `tiles` tiles from the arena, initialised on the stream; an arena without a block
/// only counts it.
[[nodiscard]] LookBackSums take_look_back_sums(int tiles, DeviceArena& arena, cudaStream_t stream);

}  // namespace wrsgpu
