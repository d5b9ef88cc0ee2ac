// Lists of light and heavy items with their prefix sums (thesis 2.4.4 and 4.3), on host threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "construction/pack/element.hpp"
#include "construction/split/baseline.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/host_sweep/compensated_sum.hpp"

namespace wrsgpu {

/// The data structures of PSA: one element and one inclusive prefix sum per item, first for all
/// light items, then for all heavy ones.
template <class Element, class Mass>
struct Partition {
  HostBuffer<Element> elements;
  HostBuffer<Mass> sums;
  Index lights;
  Mass bucket;

  [[nodiscard]] Index size() const { return static_cast<Index>(elements.size()); }
  [[nodiscard]] Index heavies() const { return size() - lights; }
  [[nodiscard]] pack::Lists<Element> lists() const {
    return {elements.data(), elements.data() + lights, lights, heavies()};
  }
  [[nodiscard]] split::PrefixSums<Mass> prefix_sums() const {
    return {sums.data(), sums.data() + lights, lights, heavies(), bucket};
  }
};

/// Partitions `items(block)` for all `blocks`: calls `visit(block, f)`, which must call
/// `f(element, mass)` for the elements of that block, the same in each of two passes. Elements keep
/// their order, and the sums do not depend on the number of threads.
template <class Element, class Mass, class Visit>
[[nodiscard]] Partition<Element, Mass> partition(std::uint64_t blocks, Mass bucket,
                                                 unsigned threads, const Visit& visit) {
  struct Totals {
    Index count[2] = {0, 0};  // light, heavy
    CompensatedSum<Mass> mass[2];
  };
  std::vector<Totals> before(blocks + 1);
  parallel_for(blocks, threads, [&](std::uint64_t block) {
    Totals totals;
    visit(block, [&](const Element& /*element*/, Mass mass) {
      const int kind = mass > bucket ? 1 : 0;
      ++totals.count[kind];
      totals.mass[kind].add(mass);
    });
    before[block + 1] = totals;
  });
  for (std::uint64_t block = 0; block < blocks; ++block) {
    for (const int kind : {0, 1}) {
      before[block + 1].count[kind] += before[block].count[kind];
      before[block + 1].mass[kind].add(before[block].mass[kind]);
    }
  }
  const Index lights = before[blocks].count[0];
  const Index size = lights + before[blocks].count[1];
  Partition<Element, Mass> result{HostBuffer<Element>(size), HostBuffer<Mass>(size), lights,
                                  bucket};
  parallel_for(blocks, threads, [&](std::uint64_t block) {
    const Totals& start = before[block];
    Index position[2] = {start.count[0], lights + start.count[1]};
    CompensatedSum<Mass> sum[2] = {start.mass[0], start.mass[1]};
    visit(block, [&](const Element& element, Mass mass) {
      const int kind = mass > bucket ? 1 : 0;
      const Index at = position[kind]++;
      sum[kind].add(mass);
      result.elements[at] = element;
      result.sums[at] = sum[kind].value();
    });
  });
  return result;
}

/// Partitions the items 0 to n - 1.
template <class Masses>
[[nodiscard]] auto partition_items(const Masses& masses, Index n, unsigned threads) {
  using Mass = typename Masses::Mass;
  constexpr std::uint64_t block_items = 1 << 14;
  const std::uint64_t blocks = (n + block_items - 1) / block_items;
  return partition<Index, Mass>(
      blocks, masses.bucket, threads, [&](std::uint64_t block, auto&& item) {
        const std::uint64_t end = std::min<std::uint64_t>(n, (block + 1) * block_items);
        for (std::uint64_t i = block * block_items; i < end; ++i) {
          item(static_cast<Index>(i), masses[static_cast<Index>(i)]);
        }
      });
}

}  // namespace wrsgpu
