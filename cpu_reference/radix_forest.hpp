// The radix forest of Binder and Keller (thesis 2.7) on the CPU.
#pragma once

#include <variant>

#include "cpu_reference/monotone_method.hpp"
#include "cpu_reference/radix_forest_view.hpp"

namespace wrsgpu {

/// Owner of a forest in host memory.
template <class Mass>
class HostRadixForest {
 public:
  void build(WeightsView weights, const WeightSummary& summary, unsigned log2_items_per_cell,
             unsigned threads);

  [[nodiscard]] std::size_t bytes() const { return nodes_.bytes() + roots_.bytes(); }
  [[nodiscard]] RadixForestView<Mass> view() const {
    return {nodes_.data(), roots_.data(), cells_, total_};
  }

 private:
  HostBuffer<RadixNode<Mass>> nodes_;
  HostBuffer<Index> roots_;
  RadixForestCells<Mass> cells_;
  Mass total_ = 0;
};

/// The cutpoint method with a binary search in every cell: a sample takes O(1) steps on average,
/// and at most one for each bit of a position, however light the items of a cell are. Draws the
/// samples of the scan methods.
class RadixForest final : public MonotoneMethod {
 public:
  /// A cell holds between 2^(log2_items_per_cell - 1) and 2^log2_items_per_cell items on average;
  /// exactly the latter in fixed-point arithmetic. Memory: 16 bytes per item and 4 bytes per cell.
  explicit RadixForest(const TableOptions& options, unsigned log2_items_per_cell = 0);

  [[nodiscard]] Index find(std::uint64_t word) const override;
  [[nodiscard]] std::size_t bytes() const override;

 private:
  /// Throws `Error` for more than `max_radix_forest_items` items.
  void do_build(WeightsView weights, const WeightSummary& summary) override;
  [[nodiscard]] std::vector<double> do_probabilities() const override;

  unsigned log2_items_per_cell_;
  std::variant<HostRadixForest<double>, HostRadixForest<std::uint64_t>> forest_;
};

}  // namespace wrsgpu
