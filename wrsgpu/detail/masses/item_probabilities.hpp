// The probability with which a table gives each item, for `SamplerViewWithProbabilities`.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {

/// The probability of an item of this mass (wrsgpu/detail/masses/mass_tiles.hpp) among `items`. The
/// same bits on the host and on the device.
[[nodiscard]] WRSGPU_HD inline float probability_of_mass(std::uint64_t mass, Index items) {
  const double all = static_cast<double>(items) * 0x1p32;  // exact
  return static_cast<float>(static_cast<double>(mass) / all);
}

/// Writes those of the fixed-point table that is built from `weights` (host memory, such as
/// `summarise` accepts) to `probabilities` (as many), on up to `threads` threads (0: all).
void write_probabilities(WeightsView weights, std::span<float> probabilities, unsigned threads);

/// The same from the rows of a fixed-point table, where there are no weights.
void write_probabilities(const HostTable& table, std::span<float> probabilities);

}  // namespace wrsgpu
