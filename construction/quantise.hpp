// Weights as integers that add up to exactly N * 2^32, one bucket of 2^32 per item.
//
// Two steps, both exact apart from one stated rounding each:
//   1. v_i = round(w_i * 2^k), k chosen so that V = sum(v) lies near 2^62;
//   2. q_i = floor(P_i * M / V) - floor(P_(i-1) * M / V) with P the prefix sums of v, M = N * 2^32
//      (cumulative rounding), so that sum(q) = M whatever the rounding, and v_i = 0 gives q_i = 0.
// Bound, with the exact mass m_i = w_i * M / W:
//   |q_i - m_i| < 1 + (M / V) / 2 + m_i * N / (2 V),
// where the first term is step 2 and the others step 1. V > 2^60, so for N up to 2^27 the second
// term is below 1/2 and the third below m_i * 2^-34.
#pragma once

#include <cmath>
#include <cstdint>

#include "wrsgpu/construction/rows.hpp"
#include "wrsgpu/construction/weight_summary.hpp"
#include "wrsgpu/core/host_buffer.hpp"
#include "wrsgpu/core/host_device.hpp"
#include "wrsgpu/weights/weights_view.hpp"

namespace wrsgpu {

/// The factor 2^k of step 1 for a sum of weights of about `total` (relative error up to 2^-41:
/// sums that differ in their last bits give the same factor). The result is 2^61 < total * 2^k <=
/// 2^62, up to that error.
[[nodiscard]] WRSGPU_HD inline double quantisation_factor(double total) {
  // Powers of two are natural totals; the nudge moves the border away from them.
  // Half of the total cannot overflow when it is nudged.
  return ldexp(1.0, 60 - ilogb(total * 0.5 * (1 + 0x1p-40)));
}

/// Step 1 for one weight; `scale` is `WeightSummary::scale`.
[[nodiscard]] WRSGPU_HD inline std::uint64_t integer_weight(double weight, double scale,
                                                            double factor) {
  return static_cast<std::uint64_t>(weight * scale * factor + 0.5);
}

/// floor(prefix * size * 2^32 / total) for prefix <= total < 2^63.
[[nodiscard]] WRSGPU_HD inline std::uint64_t scaled_prefix(std::uint64_t prefix, Index size,
                                                           std::uint64_t total) {
  using Wide = unsigned __int128;
  const std::uint64_t mass = std::uint64_t{size} << 32;
  return static_cast<std::uint64_t>(static_cast<Wide>(prefix) * mass / total);
}

/// The integer masses q of `weights` (host memory), on up to `threads` threads (0: all). They do
/// not depend on the number of threads.
[[nodiscard]] HostBuffer<std::uint64_t> quantise(WeightsView weights, const WeightSummary& summary,
                                                 unsigned threads);

}  // namespace wrsgpu
