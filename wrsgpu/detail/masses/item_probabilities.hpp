// The probability with which a table gives each item, for `SamplerViewWithProbabilities`.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// The probability with which a table of `items` items gives one of this mass: mass / (items 2^32),
/// rounded to a float. The same bits on the host and on the device.
///
/// @param mass in units of 2^-32 of the mean weight (wrsgpu/detail/masses/mass_tiles.hpp)
/// @param items at least 1
[[nodiscard]] WRSGPU_HD inline float probability_of_mass(std::uint64_t mass, Index items) {
  const double all = static_cast<double>(items) * 0x1p32;  // exact
  return static_cast<float>(static_cast<double>(mass) / all);
}

/// Writes the probabilities that the fixed-point table of `weights` gives: those of the masses that
/// the weights are rounded to.
///
/// @param weights in host memory, such as `summarise` accepts
/// @param probabilities as many, in host memory
/// @param threads host threads, 0 for all; the result does not depend on it
void write_probabilities(WeightsView weights, std::span<float> probabilities, unsigned threads);

/// Writes the probabilities from the rows of a fixed-point table, when the weights are unavailable.
///
/// @param table of fixed-point arithmetic
/// @param probabilities one for each row
void write_probabilities(const HostTable& table, std::span<float> probabilities);

}  // namespace wrsgpu
