// Base of the methods that search the interval that contains a random position.
#pragma once

#include <variant>

#include "cpu_reference/intervals.hpp"
#include "cpu_reference/monotone_method.hpp"

namespace wrsgpu {

/// Holds the intervals in the arithmetic of the options: exact integers (`fixed_point`), so that
/// item i is drawn with probability q_i / (N * 2^32) for the masses q of mass_tiles.hpp, or doubles
/// (`floating`).
class IntervalMethod : public MonotoneMethod {
 public:
  explicit IntervalMethod(const TableOptions& options) : MonotoneMethod(options) {
    if (options.arithmetic == Arithmetic::fixed_point) {
      intervals_.emplace<Intervals<std::uint64_t>>();
    }
  }

  [[nodiscard]] std::size_t bytes() const override {
    return std::visit([](const auto& all) { return all.bytes(); }, intervals_);
  }

 protected:
  [[nodiscard]] std::vector<double> do_probabilities() const final {
    return std::visit([](const auto& all) { return all.probabilities(); }, intervals_);
  }
  void do_build(WeightsView weights, const WeightSummary& summary) override {
    std::visit([&](auto& all) { all.build(weights, summary, options().threads); }, intervals_);
  }

  /// Calls `f` with the `Intervals`.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(static_cast<F&&>(f), intervals_);
  }

 private:
  std::variant<Intervals<double>, Intervals<std::uint64_t>> intervals_;
};

}  // namespace wrsgpu
