// The light and heavy items of one section, compacted for a sweep without branches.
#pragma once

#include <cstdint>
#include <type_traits>

#include "wrsgpu/construction/masses.hpp"
#include "wrsgpu/core/types.hpp"

namespace wrsgpu {

/// Items of a section. Its lists fit the second-level cache several times over.
inline constexpr Index section_items = 1024;

/// What a mass exceeds the bucket by: negative for light items. In fixed-point arithmetic saturated
/// at 2^62, more than a whole section can take.
template <class Mass>
using Slack = std::conditional_t<std::is_floating_point_v<Mass>, double, std::int64_t>;

/// Working memory for one section; positions are relative to the section's first item. The lists
/// have room for a few stores past their ends.
template <class Mass>
struct SectionLists {
  static constexpr std::size_t capacity = section_items + 16;

  alignas(64) Slack<Mass> light_slack[capacity];
  alignas(64) Slack<Mass> heavy_slack[capacity];
  alignas(64) Index light[capacity];
  alignas(64) Index heavy[capacity];
  Index lights;
  Index heavies;
  /// The section's rows in the making; `classify` sets `own` to the items' masses.
  alignas(64) Mass own[section_items];
  alignas(64) Index alias[section_items];
};

/// Reads the `count` items from `first` on and fills the lists, in index order.
template <class Masses>
void classify(const Masses& masses, Index first, Index count,
              SectionLists<typename Masses::Mass>& lists);

extern template void classify(const ScaledWeights<float>&, Index, Index, SectionLists<double>&);
extern template void classify(const ScaledWeights<double>&, Index, Index, SectionLists<double>&);
extern template void classify(const IntegerMasses&, Index, Index, SectionLists<std::uint64_t>&);

}  // namespace wrsgpu
