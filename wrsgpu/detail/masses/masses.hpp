// Weights as a construction reads them.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

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

/// Fixed-point masses: the integers of wrsgpu/detail/masses/mass_tiles.hpp, for the items from
/// `first` on.
struct IntegerMasses {
  using Mass = std::uint64_t;
  const std::uint64_t* masses;
  Index first = 0;
  static constexpr std::uint64_t bucket = fixed_bucket;

  [[nodiscard]] WRSGPU_HD std::uint64_t operator[](Index i) const { return masses[i - first]; }
};

/// Calls `use(masses, rows)` with the scaled weights and the rows of `table`, whose layout must
/// hold floating-point masses. Throws `Error` for other layouts.
template <class Use>
void with_scaled_weights(WeightsView weights, const WeightSummary& summary, HostTable& table,
                         const Use& use) {
  weights.visit([&]<class T>(std::span<const T> w) {
    table.visit([&](auto rows) {
      if constexpr (decltype(rows)::layout != Layout::compact_rows) {
        use(ScaledWeights<T>{w.data(), summary.scale, summary.bucket()}, rows);
      } else {
        throw Error("compact rows hold fixed-point tables only");
      }
    });
  });
}

}  // namespace wrsgpu
