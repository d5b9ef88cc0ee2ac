// Different items by a table alone.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "wrsgpu/detail/random/random_source.cuh"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/sampler_options.hpp"

namespace wrsgpu {

/// One block finds the items in its shared memory.
inline constexpr std::size_t max_gpu_distinct = 4096;

/// Draws what `WeightedSampler::draw_distinct` draws, with one block.
///
/// @param rows in device memory
/// @param out at most `max_gpu_distinct` items, in device memory; not more than there are rows
/// @param advanced null, or a state in device memory, to whose offset `*used` is added
/// @param used in device memory: set to the number of words used; 0 where the host throws because
/// the draws do not suffice, and `out` is then unchanged
/// @note Asynchronous on `stream`; no allocation.
void draw_distinct(const CompactRows& rows, Generator generator, std::span<Index> out,
                   const random::RandomSource& source, RandomState* advanced, std::uint64_t* used,
                   cudaStream_t stream);

}  // namespace wrsgpu
