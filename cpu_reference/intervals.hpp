// Items as consecutive intervals, which the scan and the cutpoint method search (thesis 2.1, 2.2).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "cpu_reference/interval_position.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"

namespace wrsgpu {

/// The interval of item i is [end of item i - 1, end of item i), of the length of its mass; the
/// first one begins at 0. An item without mass has an empty interval, which contains no position.
///
/// `Mass` is std::uint64_t, for the integer masses of wrsgpu/detail/masses/mass_tiles.hpp, whose
/// sums are exact; or double, for scaled weights summed in double precision. In the latter case an
/// item that is lighter than one rounding of the sum before it has an empty interval and is never
/// drawn.
template <class Mass>
class Intervals {
  static_assert(std::is_same_v<Mass, std::uint64_t> || std::is_same_v<Mass, double>);

 public:
  /// The ends and any error are independent of the number of threads.
  void build(WeightsView weights, const WeightSummary& summary, unsigned threads) {
    if constexpr (std::is_same_v<Mass, std::uint64_t>) {
      ends_ = quantise(weights, threads);
    } else {
      if (ends_.size() != summary.size) ends_ = HostBuffer<Mass>(summary.size);
      weights.visit([&](auto w) {
        parallel_for(blocks(), threads, [&](std::uint64_t block) {
          for (std::size_t i = begin(block); i < begin(block + 1); ++i) {
            ends_[i] = static_cast<double>(w[i]) * summary.scale;
          }
        });
      });
    }
    sum(threads);
  }

  [[nodiscard]] Index size() const { return static_cast<Index>(ends_.size()); }
  [[nodiscard]] std::size_t bytes() const { return ends_.bytes(); }
  [[nodiscard]] std::span<const Mass> ends() const { return ends_.span(); }
  /// The sum of all masses.
  [[nodiscard]] Mass total() const { return ends_[ends_.size() - 1]; }

  /// `interval_position` within the sum of all masses.
  [[nodiscard]] Mass position(std::uint64_t word) const { return interval_position(word, total()); }

  /// The item whose interval contains `position`, by linear search from item `start`, which must
  /// not be after it.
  [[nodiscard]] Index find_from(Index start, Mass position) const {
    while (ends_[start] <= position) ++start;
    return start;
  }

  /// The item whose interval contains `position`, by bisection.
  [[nodiscard]] Index bisect(Mass position) const {
    return static_cast<Index>(std::upper_bound(ends_.begin(), ends_.end(), position) -
                              ends_.begin());
  }

  /// Lengths of the intervals, divided by their sum.
  [[nodiscard]] std::vector<double> probabilities() const {
    std::vector<double> p(ends_.size());
    Mass before = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] = static_cast<double>(ends_[i] - before) / static_cast<double>(total());
      before = ends_[i];
    }
    return p;
  }

 private:
  // Sums within blocks first and then over blocks, so that threads can share the work and sums of
  // doubles have fewer roundings.
  static constexpr std::size_t block_items = std::size_t{1} << 16;

  [[nodiscard]] std::uint64_t blocks() const {
    return (ends_.size() + block_items - 1) / block_items;
  }
  [[nodiscard]] std::size_t begin(std::uint64_t block) const {
    return std::min(ends_.size(), static_cast<std::size_t>(block) * block_items);
  }

  // Turns masses into ends, in place. They never decrease, even in double: rounding is monotone,
  // and the next block starts with exactly the last end of the preceding one.
  void sum(unsigned threads) {
    parallel_for(blocks(), threads, [&](std::uint64_t block) {
      for (std::size_t i = begin(block) + 1; i < begin(block + 1); ++i) ends_[i] += ends_[i - 1];
    });
    std::vector<Mass> start(blocks(), Mass{0});
    for (std::size_t block = 1; block < start.size(); ++block) {
      start[block] = start[block - 1] + ends_[begin(block) - 1];
    }
    parallel_for(blocks(), threads, [&](std::uint64_t block) {
      for (std::size_t i = begin(block); i < begin(block + 1); ++i) ends_[i] += start[block];
    });
  }

  HostBuffer<Mass> ends_;
};

}  // namespace wrsgpu
