// Base of the methods that map one random word to an item, monotonically.
#pragma once

#include "construction/alias_table.hpp"
#include "cpu_reference/sample_words.hpp"

namespace wrsgpu {

/// Sample k is `find` of word `offset + k` of `random::SplitWords`. A larger word never gives a
/// smaller item, which preserves the low discrepancy of quasi-random words (thesis 2.7).
class MonotoneMethod : public SamplingAlgorithm {
 public:
  explicit MonotoneMethod(const TableOptions& options) : options_(options) {}

  [[nodiscard]] Device device() const final { return Device::cpu; }
  [[nodiscard]] Arithmetic arithmetic() const final { return options_.arithmetic; }

  /// The item for a uniform 64-bit word. Requires a build.
  [[nodiscard]] virtual Index find(std::uint64_t word) const = 0;

 protected:
  [[nodiscard]] const TableOptions& options() const { return options_; }

  [[nodiscard]] WeightSummary check(WeightsView weights) const final {
    return summarise(weights, options_.threads);
  }
  void do_sample(std::span<Index> out, RandomState state) const final {
    sample_words(out, state, options_.threads, [&](std::uint64_t word) { return find(word); });
  }

 private:
  TableOptions options_;
};

}  // namespace wrsgpu
