// The lookup table (thesis 2.3).
#pragma once

#include "cpu_reference/monotone_method.hpp"

namespace wrsgpu {

/// Writes the weights as w_i = alpha * d_i with integers d_i and the largest alpha for which that
/// is exact, and holds every item d_i times. A sample is one lookup; nothing is rounded, so the
/// probabilities are those of the stored weights.
///
/// alpha exists for any weights: with w_i = m_i * 2^e_i and m_i odd, it is gcd(m_i) * 2^min(e_i).
/// But the table has W / alpha entries, which is small only for weights that are integers, or
/// multiples of a power of two that is not too small. Decimal fractions such as 0.1 and 0.3 are not
/// multiples of one another in binary; multiply such weights by 10 first.
class LookupTable final : public MonotoneMethod {
 public:
  /// Default maximum number of entries of 4 bytes: 256 MiB.
  static constexpr Index default_entries = Index{1} << 26;

  /// Weights that need more than `largest` entries are rejected.
  explicit LookupTable(const TableOptions& options, Index largest = default_entries)
      : MonotoneMethod(options), largest_(largest) {}

  [[nodiscard]] std::size_t bytes() const override { return entries_.bytes(); }
  [[nodiscard]] Index find(std::uint64_t word) const override;

 private:
  /// Throws `Error` if the table would exceed the limit; the message gives its size and the weight
  /// that prevents a larger alpha.
  void do_build(WeightsView weights, const WeightSummary& summary) override;
  [[nodiscard]] std::vector<double> do_probabilities() const override;

  Index largest_;
  HostBuffer<Index> entries_;
};

}  // namespace wrsgpu
