// The scan method with a binary search (thesis 2.1): inversion of the cumulative distribution.
#pragma once

#include "cpu_reference/interval_method.hpp"

namespace wrsgpu {

/// Bisects the intervals: O(log N) per sample.
class ScanBinary final : public IntervalMethod {
 public:
  using IntervalMethod::IntervalMethod;
  [[nodiscard]] Index find(std::uint64_t word) const override;
};

}  // namespace wrsgpu
