// The probability of each item in a table, for `SamplerViewWithProbabilities`.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// The probability with which a table of `items` items selects an item of this mass: mass / (items
/// 2^32), to a relative error below 2^-24 + 2^-52. Bitwise identical on host and device. By a
/// product, because a division for each item takes a GPU longer than reading the weights.
///
/// @param mass in units of 2^-32 of the mean weight (wrsgpu/detail/masses/mass_tiles.hpp)
/// @param items at least 1
[[nodiscard]] WRSGPU_HD inline float probability_of_mass(std::uint64_t mass, Index items) {
  const double share = 1.0 / (static_cast<double>(items) * 0x1p32);
  return static_cast<float>(static_cast<double>(mass) * share);
}

/// Writes the probabilities of the items in the fixed-point table of `weights`: those of the masses
/// to which the weights are rounded.
///
/// @param weights in host memory, valid (see `summarise`)
/// @param probabilities in host memory, one per weight
/// @param threads host threads, 0 for all; the result does not depend on it
void write_probabilities(WeightsView weights, std::span<float> probabilities, unsigned threads);

/// Computes the probabilities from the rows of a fixed-point table, if the weights are not
/// available.
///
/// @param table of fixed-point arithmetic
/// @param probabilities in host memory, one per row
void write_probabilities(const HostTable& table, std::span<float> probabilities);

}  // namespace wrsgpu
