// The scan method with a linear search (thesis 2.1).
#pragma once

#include "cpu_reference/interval_method.hpp"

namespace wrsgpu {

/// Examines one item after the other: O(N) per sample.
class ScanLinear final : public IntervalMethod {
 public:
  using IntervalMethod::IntervalMethod;
  [[nodiscard]] Index find(std::uint64_t word) const override;
};

}  // namespace wrsgpu
