// The probabilities of item_probabilities.hpp in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <span>

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

/// What a construction leaves of its tiles, for the probabilities of single items (device memory).
template <class Tile, class Kind>
struct KeptTiles {
  Tile* tiles = nullptr;  ///< `mass_tile_count`
  Kind* kind = nullptr;
};
struct KeptTilesKind {
  Index items;
  tile_sample::Findings found;  ///< as in `DeviceTileMap`
  bool valid;                   ///< as in `DeviceWeightSummary`
};
using KeptMassTiles = KeptTiles<const MassTile, const KeptTilesKind>;
using KeptMassTilesOut = KeptTiles<MassTile, KeptTilesKind>;

/// Copies the tiles that `merge::balance_tiles` found.
///
/// @note Asynchronous; no allocation.
void keep_mass_tiles(const DeviceMassTiles& tiles, const DeviceWeightSummary* summary,
                     const KeptMassTilesOut& kept, cudaStream_t stream);

/// Computes the probabilities of some items, bit for bit those of all. Reads 2,048 weights for
/// each.
///
/// @param weights those of the construction whose tiles were kept, in device memory
/// @param items of 4 or 8 bytes, in device memory; below weights.size()
/// @param probabilities items.size() elements in device memory
/// @note Asynchronous; no allocation.
template <class Number>
void write_probabilities_of(WeightsView weights, const KeptMassTiles& kept,
                            std::span<const Number> items, float* probabilities,
                            cudaStream_t stream);

/// Computes the probabilities from the rows of a table (item_probabilities.hpp), bit for bit.
///
/// @param rows, probabilities in device memory
/// @param stream where the work is launched
/// @note Asynchronous; allocates 8 bytes per item from the device's pool.
void write_probabilities_on_device(const CompactRows& rows, float* probabilities,
                                   cudaStream_t stream);

}  // namespace wrsgpu
