// The cutpoint method of Fishman and Moore (thesis 2.2).
#pragma once

#include "cpu_reference/interval_method.hpp"

namespace wrsgpu {

/// Divides [0, 1) into segments and stores for each the first item whose interval intersects it;
/// the linear search starts there. With as many segments as items, a sample takes O(1) steps on
/// average, and O(N) in the worst case (many light items in one segment). Draws the samples of the
/// scan methods.
class Cutpoint final : public IntervalMethod {
 public:
  /// `segments` is the thesis's m; 0 means one per item. Memory: 8 bytes per item and 4 bytes per
  /// segment.
  explicit Cutpoint(const TableOptions& options, Index segments = 0)
      : IntervalMethod(options), segments_(segments) {}

  [[nodiscard]] Index find(std::uint64_t word) const override;
  [[nodiscard]] std::size_t bytes() const override {
    return IntervalMethod::bytes() + first_item_.bytes();
  }

 private:
  void do_build(WeightsView weights, const WeightSummary& summary) override;

  Index segments_;
  HostBuffer<Index> first_item_;  // one per segment
};

}  // namespace wrsgpu
