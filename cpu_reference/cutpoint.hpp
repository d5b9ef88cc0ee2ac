// The cutpoint method of Fishman and Moore (thesis 2.2).
#pragma once

#include "cpu_reference/interval_method.hpp"

namespace wrsgpu {

/// Divides [0, 1) into segments and stores for each the first item whose interval it meets; the
/// linear scan starts there. With as many segments as items a sample takes O(1) steps on average,
/// in the worst case (many light items in one segment) O(N). Same samples as the scan methods.
class Cutpoint final : public IntervalMethod {
 public:
  /// `segments` is the thesis's m; 0 means one for each item. Memory: 8 bytes an item and 4 bytes
  /// a segment.
  explicit Cutpoint(const TableOptions& options, Index segments = 0)
      : IntervalMethod(options), segments_(segments) {}

  [[nodiscard]] Index find(std::uint64_t word) const override;
  [[nodiscard]] std::size_t bytes() const override {
    return IntervalMethod::bytes() + first_item_.bytes();
  }

 private:
  void do_build(WeightsView weights, const WeightSummary& summary) override;

  Index segments_;
  HostBuffer<Index> first_item_;  // one for each segment
};

}  // namespace wrsgpu
