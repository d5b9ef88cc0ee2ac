#include "cpu_reference/lookup_table.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

// A positive weight as odd * 2^exponent.
struct Binary {
  std::uint64_t odd;
  int exponent;
};

Binary binary(double weight) {
  int exponent = 0;
  const auto digits = static_cast<std::uint64_t>(std::ldexp(std::frexp(weight, &exponent), 53));
  const int zeros = std::countr_zero(digits);
  return {digits >> zeros, exponent - 53 + zeros};
}

// alpha = divisor * 2^exponent, and the first item that determines the exponent.
struct Alpha {
  std::uint64_t divisor = 0;
  int exponent = 0;
  std::size_t item = 0;

  // d_i, as a double because it may exceed 53 bits: for the error message only.
  [[nodiscard]] double multiple(double weight) const {
    const Binary b = binary(weight);
    const auto quotient = b.odd / divisor;  // exact division
    return std::ldexp(static_cast<double>(quotient), b.exponent - exponent);
  }
};

template <class T>
Alpha find_alpha(std::span<const T> weights) {
  Alpha alpha;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    const Binary b = binary(static_cast<double>(weights[i]));
    if (alpha.divisor == 0 || b.exponent < alpha.exponent) {
      alpha.exponent = b.exponent;
      alpha.item = i;
    }
    alpha.divisor = std::gcd(alpha.divisor, b.odd);
  }
  return alpha;
}

}  // namespace

Index LookupTable::find(std::uint64_t word) const {
  return entries_[choose_row(word, static_cast<Index>(entries_.size())).row];
}

std::vector<double> LookupTable::do_probabilities() const {
  std::vector<double> p(size(), 0.0);
  for (const Index item : entries_.span()) ++p[item];
  for (double& count : p) count /= static_cast<double>(entries_.size());
  return p;
}

void LookupTable::do_build(WeightsView weights, const WeightSummary&) {
  weights.visit([&](auto w) {
    const Alpha alpha = find_alpha(w);
    // Exact within the limit, which is less than 2^53.
    double needed = 0;
    for (const auto weight : w) {
      if (weight > 0) needed += alpha.multiple(static_cast<double>(weight));
    }
    if (needed > largest_) {
      throw Error(fmt::format(
          "argument 'weights': a lookup table needs {} entries, at most {} are allowed "
          "(weights must be integer multiples of {} * 2^{}, because of weight {} = {})",
          needed < 1e300 ? fmt::format("{:.16g}", needed) : "more than 10^300", largest_,
          alpha.divisor, alpha.exponent, alpha.item, static_cast<double>(w[alpha.item])));
    }
    const auto count = static_cast<std::size_t>(needed);
    if (entries_.size() != count) entries_ = HostBuffer<Index>(count);
    Index* next = entries_.data();
    for (std::size_t i = 0; i < w.size(); ++i) {
      if (w[i] == 0) continue;
      const auto copies = static_cast<std::size_t>(alpha.multiple(static_cast<double>(w[i])));
      next = std::fill_n(next, copies, static_cast<Index>(i));
    }
  });
}

}  // namespace wrsgpu
