// Weights as a construction reads them.
#pragma once

#include <cstdint>

#include "wrsgpu/construction/rows.hpp"
#include "wrsgpu/core/host_device.hpp"
#include "wrsgpu/core/types.hpp"

namespace wrsgpu {

/// Floating-point masses: the caller's weights times a power of two (WeightSummary::scale).
template <class T>
struct ScaledWeights {
  using Mass = double;
  const T* weights;
  double scale;
  double bucket;  // W/N, scaled

  [[nodiscard]] WRSGPU_HD double operator[](Index i) const {
    return static_cast<double>(weights[i]) * scale;
  }
};

/// Fixed-point masses: the integers of construction/mass_tiles.hpp, of the items from `first` on.
struct IntegerMasses {
  using Mass = std::uint64_t;
  const std::uint64_t* masses;
  Index first = 0;
  static constexpr std::uint64_t bucket = fixed_bucket;

  [[nodiscard]] WRSGPU_HD std::uint64_t operator[](Index i) const { return masses[i - first]; }
};

}  // namespace wrsgpu
