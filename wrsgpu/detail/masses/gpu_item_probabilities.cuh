// The probabilities of item_probabilities.hpp in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include "wrsgpu/detail/masses/device_tile_map.cuh"
#include "wrsgpu/detail/masses/device_weights.cuh"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// Computes the host's probabilities (item_probabilities.hpp), bit for bit.
///
/// @param weights in device memory; invalid ones give all items the same probability
/// @param tiles, summary what `merge::balance_tiles` found for these weights
/// @param probabilities one per weight, in device memory
/// @param stream where the work is launched
/// @note Asynchronous; no allocation.
void write_probabilities_on_device(WeightsView weights, const DeviceMassTiles& tiles,
                                   const DeviceWeightSummary* summary, float* probabilities,
                                   cudaStream_t stream);

/// Computes the probabilities from the rows of a table (item_probabilities.hpp), bit for bit.
///
/// @param rows, probabilities in device memory
/// @param stream where the work is launched
/// @note Asynchronous; allocates 8 bytes per item from the device's pool.
void write_probabilities_on_device(const CompactRows& rows, float* probabilities,
                                   cudaStream_t stream);

}  // namespace wrsgpu
