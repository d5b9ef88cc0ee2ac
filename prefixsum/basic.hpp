// The basic parallel prefix sum (Horn, "Stream reduction operations for GPGPU applications", GPU
// Gems 2, 2005; thesis 1.4.1, Figure 1.7).
#pragma once

#include <algorithm>
#include <cstdint>

#include "prefixsum/prefix_sum.hpp"
#include "wrsgpu/detail/core/bit_width.hpp"

namespace wrsgpu::prefixsum {

/// One thread of one pass: adds to item k the item `offset` before it.
template <class Source, class Target>
struct AddOffsetItem {
  Source from;
  Target to;
  std::uint64_t offset;

  WRSGPU_HD void operator()(std::uint64_t k) const {
    const auto own = from.load(k);
    to.store(k, k < offset ? own : from.load(k - offset) + own);
  }
};
// Clang before 17 cannot deduce the arguments of aggregates.
template <class Source, class Target>
AddOffsetItem(Source, Target, std::uint64_t) -> AddOffsetItem<Source, Target>;

/// log2(N) passes over all items from one buffer to another; the offset doubles in each.
struct Basic {
  static constexpr const char* name = "basic";
  static constexpr const char* source = "thesis 1.4.1, Figure 1.7";
  static constexpr const char* summary = "Horn: log2(N) passes over all items, double-buffered";
  static constexpr bool in_place = false;

  [[nodiscard]] static constexpr unsigned passes(std::uint64_t size) {
    return std::max(1U, static_cast<unsigned>(bit_width(size - 1)));
  }
  [[nodiscard]] static constexpr std::uint64_t temporary_items(std::uint64_t size) {
    return passes(size) > 1 ? size : 0;
  }

  /// Inclusive, for a power of two: N log2(N) writes and 2 N log2(N) - N + 1 reads. (The thesis
  /// writes the same sum, but gives (2N - 1) log2(N) + 1 as its value.)
  [[nodiscard]] static constexpr Traffic traffic(std::uint64_t size, Kind kind) {
    Traffic traffic;
    for (unsigned pass = 0; pass < passes(size); ++pass) {
      const std::uint64_t unchanged = std::min(size, std::uint64_t{1} << pass);
      traffic.reads += size + (size - unchanged);
      traffic.writes += size;
      ++traffic.launches;
    }
    // The 0 at the front of a shifted array is not read.
    if (kind == Kind::exclusive) traffic.reads -= size > 1 ? 2 : 1;
    return traffic;
  }

  template <class Execution, class T>
  static void run(Execution& execution, const T* in, T* out, T* temporary, std::uint64_t size,
                  Kind kind) {
    // The targets alternate so that the last pass writes to `out`.
    const auto target = [&](unsigned pass) {
      return execution.array((passes(size) - 1 - pass) % 2 == 0 ? out : temporary);
    };
    const auto input = execution.array(in);
    if (kind == Kind::inclusive) {
      execution.threads(size, AddOffsetItem{input, target(0), 1});
    } else {
      execution.threads(size, AddOffsetItem{ShiftedRight{input}, target(0), 1});
    }
    for (unsigned pass = 1; pass < passes(size); ++pass) {
      execution.threads(size,
                        AddOffsetItem{target(pass - 1), target(pass), std::uint64_t{1} << pass});
    }
  }
};

}  // namespace wrsgpu::prefixsum
