// Exact verification: each item's mass in a finished structure, compared with its weight (thesis
// 4.9, "Summing up the Table Entries").
//
// Fixed-point tables. Rows hold integers, so item i's mass is an integer sum. It must equal the
// integer that `quantise` gives the weight, and that integer must lie within the bound of
// wrsgpu/detail/masses/mass_tiles.hpp around w_i * N * 2^32 / W.
//
// Floating-point tables. With u = 2^-53, B what a bucket holds, W the exact sum of the (scaled)
// weights and k_i the number of rows that have i as alias, the mass of item i is
//   m_i = own_i + sum over rows r with alias i of (B - own_r),
// added up here in double-double arithmetic, whose own error (below 2^-100 m_i) is ignored.
//
// 1. The bucket: |N B - W| <= 2^-45 W, as WeightSummary promises 2^-46 for the sum.
// 2. A zero-weight item gets exactly nothing.
// 3. An item that is light despite any rounding, w_i < B - E with E from rule 4, has its weight
//    stored, not computed: its row holds w_i up to one ulp, and it is nobody's alias. If E exceeds
//    half a bucket, an item of w_i < B / 2 may instead have a bucket to itself, because heavy items
//    ran out; the excess of all such items adds up to at most E.
// 4. A heavy item, w_i > B, is reduced once for each row it fills. A step makes at most two
//    roundings of numbers below w_i + B < 2 w_i, so a chain is off by at most 4 u (k_i + 1) w_i.
//    A split (PSA) starts a chain from two prefix sums and one product, each below 2 W: if a
//    prefix sum has passed through at most D roundings, that is off by at most (D + 4) u 2 W, once
//    where the chain starts and once where the next one takes over. Rows hold N B in total, so the
//    last items get the errors of all others, and N B - W. Together, for every item,
//      |m_i - w_i| <= E = |N B - W| + 4 u (D + 8) W + 4 u sum over j of (k_j + 1) w_j.
//
// For uniform weights E is 5 * 10^-10 of a bucket at N = 1000 and 10^-2 of one at N = 10^8; light
// items are checked to the last bit at any N.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu::verification {

/// Result of a comparison of masses with weights. Errors and bounds are in buckets, the mean mass
/// W/N of an item, so that they do not depend on the scale of the weights.
struct TableReport {
  bool ok = false;
  /// The first failure, in one line; empty when `ok`.
  std::string message;
  /// Items whose mass deviates from their weight by more than the rules allow.
  std::uint64_t wrong_items = 0;
  /// Zero-weight items that can be drawn.
  std::uint64_t drawn_zero_items = 0;
  /// Rows that violate an invariant: alias not less than N, own part not in [0, B] or not an
  /// integer in a fixed-point table.
  std::uint64_t broken_rows = 0;
  /// The item with the largest |mass - weight|, and that difference, in buckets.
  Index worst_item = 0;
  double worst_error = 0;
  /// Largest |mass - weight| / weight over items of positive weight.
  double worst_relative_error = 0;
  /// Bound of rule 4, in buckets (for fixed-point tables: the quantisation bound of the heaviest
  /// item).
  double bound = 0;
};

struct VerifyOptions {
  /// D of rule 4, the longest chain of roundings in a prefix sum; 0 means
  /// `default_prefix_roundings`.
  double prefix_roundings = 0;
  /// Host threads; 0 means all. The report does not depend on it.
  unsigned threads = 0;
};

/// min(N, 2^16 + N / 1024): plain addition of up to 2^16 items or partial sums in sequence, or a
/// device scan that passes its prefix from tile to tile of at least 1024 items.
[[nodiscard]] double default_prefix_roundings(std::uint64_t items);

/// Compares a table with the weights (host memory) from which it was built. Needs 24 bytes per item
/// besides both. Throws `Error` for invalid weights (`summarise`) and if the sizes differ.
[[nodiscard]] TableReport verify_table(const HostTable& table, Arithmetic arithmetic,
                                       WeightsView weights, const VerifyOptions& options = {});

/// Compares the probabilities of a structure that is not an alias table with w_i / W. Zero-weight
/// items must have probability 0. `floating`: within 4 u (D + 8), as for differences of a
/// cumulative sum. `fixed_point`: equal to q_i / (N * 2^32) with the integers q of `quantise`, and
/// within their bound.
[[nodiscard]] TableReport verify_probabilities(std::span<const double> probabilities,
                                               Arithmetic arithmetic, WeightsView weights,
                                               const VerifyOptions& options = {});

}  // namespace wrsgpu::verification
