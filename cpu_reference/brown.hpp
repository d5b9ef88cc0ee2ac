// Brown's method (thesis 2.5) on the CPU.
#pragma once

#include <span>

#include "construction/alias_table.hpp"
#include "cpu_reference/brown_view.hpp"

namespace wrsgpu {

/// The table of `TiledSweep` in the arrays of `BrownView`: sample k is that of the sampler `direct`
/// from that table. One word gives both of Brown's random numbers, as the row of an alias table and
/// the fraction of its bucket do not overlap. Fixed-point arithmetic only.
class Brown final : public SamplingAlgorithm {
 public:
  /// Throws `Error` for floating-point arithmetic.
  explicit Brown(const TableOptions& options);

  [[nodiscard]] Device device() const override { return Device::cpu; }
  [[nodiscard]] Arithmetic arithmetic() const override { return Arithmetic::fixed_point; }
  [[nodiscard]] std::size_t bytes() const override { return thresholds_.bytes() + items_.bytes(); }

  /// The item for a uniform 64-bit word. Requires a build.
  [[nodiscard]] Index find(std::uint64_t word) const { return view().find(word); }

 private:
  [[nodiscard]] BrownView view() const {
    return {thresholds_.data(), items_.data(), static_cast<Index>(thresholds_.size())};
  }
  [[nodiscard]] WeightSummary check(WeightsView weights) const override {
    return summarise(weights, threads_);
  }
  void do_build(WeightsView weights, const WeightSummary& summary) override;
  void do_sample(std::span<Index> out, RandomState state) const override;
  [[nodiscard]] std::vector<double> do_probabilities() const override;

  unsigned threads_;
  HostBuffer<Index> thresholds_;
  HostBuffer<Index> items_;
};

/// The probabilities of such arrays, summed as integers.
[[nodiscard]] std::vector<double> brown_probabilities(std::span<const Index> thresholds,
                                                      std::span<const Index> items);

/// Throws `Error` for floating-point arithmetic.
void require_brown_options(const TableOptions& options);

}  // namespace wrsgpu
