// The work-efficient prefix sum with one launch per level of its tree (Blelloch 1990; thesis 1.4.2,
// Figure 1.8).
#pragma once

#include <bit>
#include <cstdint>

#include "prefixsum/prefix_sum.hpp"
#include "prefixsum/tree.hpp"
#include "wrsgpu/detail/core/bit_width.hpp"

namespace wrsgpu::prefixsum {

/// Copies the items of the input from `first` on, and zeros past its end.
template <class Source, class Target>
struct LoadPadded {
  Source from;
  Target to;
  std::uint64_t first;
  std::uint64_t size;
  WRSGPU_HD void operator()(std::uint64_t i) const {
    to.store(i, first + i < size ? from.load(first + i) : typename Target::Value{0});
  }
};
// Clang before 17 cannot deduce the arguments of aggregates.
template <class Source, class Target>
LoadPadded(Source, Target, std::uint64_t, std::uint64_t) -> LoadPadded<Source, Target>;

template <class Source, class Target>
struct CopyItem {
  Source from;
  Target to;
  WRSGPU_HD void operator()(std::uint64_t i) const { to.store(i, from.load(i)); }
};
// Clang before 17 cannot deduce the arguments of aggregates.
template <class Source, class Target>
CopyItem(Source, Target) -> CopyItem<Source, Target>;

template <class Array>
struct UpSweepLevel {
  Array data;
  std::uint64_t stride;
  WRSGPU_HD void operator()(std::uint64_t node) const { sum_up(data, TreeNode(stride, node)); }
};

template <class Array>
struct DownSweepLevel {
  Array data;
  std::uint64_t stride;
  WRSGPU_HD void operator()(std::uint64_t node) const { hand_down(data, TreeNode(stride, node)); }
};

/// Initial value of every sum: 0, or the first item of the input.
template <class Source, class Target>
struct SetRoot {
  Source input;
  Target data;
  std::uint64_t root;
  Kind kind;
  WRSGPU_HD void operator()(std::uint64_t) const {
    data.store(root, kind == Kind::inclusive ? input.load(0) : typename Target::Value{0});
  }
};

/// Up-sweep, root, down-sweep over an array padded to a power of two: in `out` if the length is a
/// power of two, otherwise in temporary memory.
///
/// According to the thesis, setting the root to the first item instead of 0 gives an inclusive
/// prefix sum. That holds if the items are also shifted left by one, as they are here: a_0 + (a_1 +
/// ... + a_k); without the shift, item 1 would become a_0 + a_0.
struct WorkEfficient {
  static constexpr const char* name = "work_efficient";
  static constexpr const char* source = "thesis 1.4.2, Figure 1.8";
  static constexpr const char* summary = "Blelloch: up-sweep and down-sweep, one launch a level";
  static constexpr bool in_place = false;

  [[nodiscard]] static constexpr std::uint64_t temporary_items(std::uint64_t size) {
    return std::has_single_bit(size) ? 0 : std::bit_ceil(size);
  }

  /// Traffic of the two sweeps over N = `size` items, a power of two: 2 log2(N) launches, 3N - 3
  /// writes, 4N - 6 reads and one more if inclusive. (The thesis counts 5N - 9 reads: three for
  /// every node of the down-sweep, none for the root; it reads the value of the right child twice.
  /// Here that value stays in a register, and the root is read.)
  [[nodiscard]] static constexpr Traffic sweep_traffic(std::uint64_t size, Kind kind) {
    const auto levels = static_cast<std::uint64_t>(bit_width(size) - 1);
    const std::uint64_t up = size > 1 ? size - 2 : 0;  // nodes except the root
    const std::uint64_t down = size - 1;
    return {2 * up + (kind == Kind::inclusive ? 1 : 0) + 2 * down, up + 1 + 2 * down,
            levels > 0 ? 2 * levels : 1};
  }

  /// The sweeps, including loads of the array before, and stores after if it had to be padded.
  [[nodiscard]] static constexpr Traffic traffic(std::uint64_t size, Kind kind) {
    const std::uint64_t padded = std::bit_ceil(size);
    Traffic traffic = sweep_traffic(padded, kind);
    traffic.reads += kind == Kind::inclusive ? size - 1 : size;
    traffic.writes += padded;
    traffic.launches += 1;
    if (padded != size) {
      traffic.reads += size;
      traffic.writes += size;
      traffic.launches += 1;
    }
    return traffic;
  }

  template <class Execution, class T>
  static void run(Execution& execution, const T* in, T* out, T* temporary, std::uint64_t size,
                  Kind kind) {
    const std::uint64_t padded = std::bit_ceil(size);
    const auto input = execution.array(in);
    const auto data = execution.array(padded == size ? out : temporary);
    const std::uint64_t first = kind == Kind::inclusive ? 1 : 0;
    execution.threads(padded, LoadPadded{input, data, first, size});
    sweep(execution, input, data, padded, kind);
    if (padded != size) execution.threads(size, CopyItem{data, execution.array(out)});
  }

  /// The two sweeps over `data`, `size` items, a power of two.
  template <class Execution, class Source, class Array>
  static void sweep(Execution& execution, Source input, Array data, std::uint64_t size, Kind kind) {
    for (std::uint64_t stride = 1; stride < size / 2; stride *= 2) {
      execution.threads(size / (2 * stride), UpSweepLevel<Array>{data, stride});
    }
    execution.threads(1, SetRoot<Source, Array>{input, data, size - 1, kind});
    for (std::uint64_t stride = size / 2; stride > 0; stride /= 2) {
      execution.threads(size / (2 * stride), DownSweepLevel<Array>{data, stride});
    }
  }
};

}  // namespace wrsgpu::prefixsum
