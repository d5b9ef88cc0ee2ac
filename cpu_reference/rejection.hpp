// Rejection sampling of Bringmann and Larsen, "Succinct sampling from discrete distributions"
// (STOC 2013; thesis 2.8).
#pragma once

#include "construction/alias_table.hpp"
#include "cpu_reference/occurrences.hpp"

namespace wrsgpu {

/// With x_i = N w_i / W, item i has max(1, ceil(x_i)) cells of an ordered list. A draw selects a
/// cell; the first cell of an item accepts with probability x_i minus the number of its other
/// cells, every other cell always. Attempt a for a sample takes its word from subsequence a
/// (wrsgpu/detail/random/philox.hpp), so that a sample does not depend on the rejections of others.
///
/// In the paper and the thesis, item i has floor(x_i) + 1 cells. The two differ only if x_i is a
/// positive integer; the item then has one cell fewer here. Otherwise equal weights would be
/// accepted with probability 1/2 only.
///
/// `fixed_point`: x_i = q_i / 2^32 with the masses q of wrsgpu/detail/masses/mass_tiles.hpp,
/// everything exact. `floating`: x_i in double precision. Both store the acceptance probability of
/// the first cell as a multiple of 2^-63.
///
/// Memory: 8 bytes per item for these probabilities (the paper reads the input weights, which the
/// caller owns here), and the list, of at most 2N cells.
template <class Occurrences>
class BasicRejection : public SamplingAlgorithm {
 public:
  explicit BasicRejection(const TableOptions& options) : options_(options) {}

  [[nodiscard]] Device device() const final { return Device::cpu; }
  [[nodiscard]] Arithmetic arithmetic() const final { return options_.arithmetic; }
  [[nodiscard]] std::size_t bytes() const final { return first_share_.bytes() + list_.bytes(); }

  /// Probability that a draw is accepted, more than 1/2. Requires a build.
  [[nodiscard]] double acceptance() const;

 protected:
  [[nodiscard]] WeightSummary check(WeightsView weights) const final {
    return summarise(weights, options_.threads);
  }
  void do_build(WeightsView weights, const WeightSummary& summary) final;
  void do_sample(std::span<Index> out, RandomState state) const final;
  [[nodiscard]] std::vector<double> do_probabilities() const final;

 private:
  TableOptions options_;
  Occurrences list_;
  // Acceptance probability of the first cell of each item, in units of 2^-63.
  HostBuffer<std::uint64_t> first_share_;
};

/// The list as an array.
class Rejection final : public BasicRejection<OccurrenceArray> {
 public:
  using BasicRejection::BasicRejection;
};

}  // namespace wrsgpu
