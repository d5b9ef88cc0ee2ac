// The lookup table (thesis 2.3).
#pragma once

#include "cpu_reference/monotone_method.hpp"

namespace wrsgpu {

/// Writes the weights as w_i = alpha * d_i with integers d_i and the largest alpha for which that
/// is exact, and holds every item d_i times. A sample is one look-up; nothing is rounded, so the
/// probabilities are those of the weights as they are stored.
///
/// alpha exists for any weights: with w_i = m_i * 2^e_i and m_i odd, it is gcd(m_i) * 2^min(e_i).
/// But the table has W / alpha entries, and that is small only for weights that are integers, or
/// multiples of a not too small power of two. Decimal fractions such as 0.1 and 0.3 are not
/// multiples of one another in binary; multiply such weights with 10 first.
class LookupTable final : public MonotoneMethod {
 public:
  /// 4 bytes each: 256 MiB.
  static constexpr Index default_entries = Index{1} << 26;

  /// A table of more than `largest` entries is rejected.
  explicit LookupTable(const TableOptions& options, Index largest = default_entries)
      : MonotoneMethod(options), largest_(largest) {}

  [[nodiscard]] std::size_t bytes() const override { return entries_.bytes(); }
  [[nodiscard]] Index find(std::uint64_t word) const override;

 private:
  /// Throws `Error` when the table would be larger than the limit; the message says how large and
  /// which weight stands against a larger alpha.
  void do_build(WeightsView weights, const WeightSummary& summary) override;
  [[nodiscard]] std::vector<double> do_probabilities() const override;

  Index largest_;
  HostBuffer<Index> entries_;
};

}  // namespace wrsgpu
