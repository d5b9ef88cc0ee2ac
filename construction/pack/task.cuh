// Arguments of a pack kernel.
#pragma once

#include <type_traits>
#include <variant>

#include "construction/cache.cuh"
#include "construction/device_masses.cuh"
#include "construction/pack/packer.hpp"
#include "construction/partition/items.cuh"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/sampling/sections.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::pack {

inline constexpr Index no_section = 0xFFFF'FFFF;

/// Result of a pack method that cannot pack the table (device memory).
struct Refusal {
  Index section;  ///< first section that it could not pack, or `no_section`
};

/// Sections to pack (device memory); section k is between splits k and k + 1. The number of items
/// to pack is known only on the device; it is at most `size`.
template <class SourceT, class ElementT>
struct PackTask {
  using Source = SourceT;
  using Element = ElementT;
  using Mass = typename Source::Masses::Mass;
  Source source;
  partition::Items<Element> items;
  Index size;
  Index section_items;
  const split::State<Mass>* splits;
  Refusal* refusal;
  split::Range range = {};  ///< the sections to pack
  Cache cache = Cache::no_preference;

  /// For device code.
  [[nodiscard]] WRSGPU_HD split::Sections sections() const {
    return {items.counts[0] + items.counts[1], section_items};
  }
  /// End of the sections to pack; for device code.
  [[nodiscard]] WRSGPU_HD Index past_section() const {
    const Index all = sections().count();
    return range.past < all ? static_cast<Index>(range.past) : all;
  }
  /// Maximum number of sections in the range, for which kernels are launched.
  [[nodiscard]] Index max_sections() const {
    const Index all = split::Sections{size, section_items}.count();
    return (range.past < all ? static_cast<Index>(range.past) : all) - range.first;
  }
};

/// With elements that include masses, only the bucket is needed of the weights.
using AnyPackTask =
    std::variant<PackTask<FloatingSource<float>, Index>, PackTask<FloatingSource<double>, Index>,
                 PackTask<IntegerSource, Index>, PackTask<BucketSource<double>, ItemMass<double>>,
                 PackTask<BucketSource<std::uint64_t>, ItemMass<std::uint64_t>>>;

/// True if kernels that pack elements with `Mass` into `Rows` are compiled. Compact rows hold
/// integer masses only; narrow stores are for a comparison with one kind of element.
template <class Task, class Rows>
inline constexpr bool has_kernels =
    Rows::layout == Layout::compact_rows
        ? std::is_integral_v<typename Task::Mass>
        : !std::is_same_v<Rows, NarrowStoreRows> ||
              std::is_same_v<typename Task::Source, BucketSource<double>>;

/// Calls `launch(task, rows)` with the types of both. AliasTableSplitGpu's constructor rejects the
/// types that `has_kernels` excludes.
template <class Launch>
struct Dispatch {
  Launch launch;
  template <class Source, class Element, class Rows>
  void operator()(const PackTask<Source, Element>& task, const Rows& rows) const {
    if constexpr (has_kernels<PackTask<Source, Element>, Rows>) {
      launch(task, rows);
    } else {
      throw Error("pack: no kernel was compiled for these lists and rows");
    }
  }
};
template <class Launch>
void dispatch(const AnyPackTask& task, const AnyRows& rows, Launch launch) {
  std::visit(Dispatch<Launch>{launch}, task, rows);
}

}  // namespace wrsgpu::pack
