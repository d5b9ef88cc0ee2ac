// Arguments of a split kernel.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>
#include <variant>

#include "construction/split/baseline.hpp"
#include "wrsgpu/detail/sampling/sections.hpp"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu::split {

/// The part of one kind in the inclusive prefix sums over all light, then all heavy masses.
template <class Mass>
struct DeviceSums {
  const Mass* sums;
  Mass before;
  [[nodiscard]] WRSGPU_HD Mass operator[](Index i) const { return sums[i] - before; }
};

/// The splits to find (device memory). Split k is the state before section k; there is one more
/// split than sections. The number of items is known only on the device; it is at most `size`.
template <class MassT>
struct SplitTask {
  using Mass = MassT;
  const Mass* sums;        ///< inclusive prefix sums, light items first
  const Mass* heavy_sums;  ///< sums of the heavy items if stored separately
  const Index* counts;     ///< numbers of light and of heavy items
  const double* bucket;    ///< mass of a bucket; not read for integer masses
  Index size;
  Index section_items;
  State<Mass>* splits;
  Range range = {};  ///< the splits to find

  /// For device code.
  [[nodiscard]] WRSGPU_HD Sections sections() const {
    return {counts[0] + counts[1], section_items};
  }
  [[nodiscard]] WRSGPU_HD PrefixSums<Mass, DeviceSums<Mass>> prefix_sums() const {
    const Index lights = counts[0];
    const Mass light_mass = lights == 0 ? Mass{0} : sums[lights - 1];
    Mass capacity = static_cast<Mass>(fixed_bucket);
    if constexpr (std::is_floating_point_v<Mass>) capacity = *bucket;
    if (heavy_sums != nullptr) {
      return {{sums, Mass{0}}, {heavy_sums, Mass{0}}, lights, counts[1], capacity};
    }
    return {{sums, Mass{0}}, {sums + lights, light_mass}, lights, counts[1], capacity};
  }
  /// End of the splits to find; for device code.
  [[nodiscard]] WRSGPU_HD std::uint64_t past_split() const {
    const std::uint64_t all = sections().count() + std::uint64_t{1};
    return range.past < all ? range.past : all;
  }
  /// Maximum number of splits in total and in the range, for which kernels are launched.
  [[nodiscard]] std::uint64_t max_splits() const {
    return Sections{size, section_items}.count() + std::uint64_t{1};
  }
  [[nodiscard]] std::uint64_t max_splits_in_range() const {
    const std::uint64_t past = range.past < max_splits() ? range.past : max_splits();
    return past - range.first;
  }
};

using AnySplitTask = std::variant<SplitTask<double>, SplitTask<std::uint64_t>>;

}  // namespace wrsgpu::split
