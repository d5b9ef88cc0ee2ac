// What a pack kernel works on.
#pragma once

#include <variant>

#include "wrsgpu/construction/device_weights.cuh"
#include "wrsgpu/construction/pack/packer.hpp"
#include "wrsgpu/construction/partition/items.cuh"
#include "wrsgpu/construction/split/sections.hpp"

namespace wrsgpu::pack {

inline constexpr Index no_section = 0xFFFF'FFFF;

/// Where a pack method that cannot pack every table says so (device memory).
struct Refusal {
  Index section;  ///< the first section it could not pack, or `no_section`
};

/// Sections to pack (device memory); section k lies between splits k and k + 1. How many items are
/// left to pack is known on the device only, `size` at most.
template <class SourceT, class ElementT>
struct Task {
  using Source = SourceT;
  using Element = ElementT;
  using Mass = typename Source::Masses::Mass;
  Source source;
  partition::Items<Element> items;
  Index size;
  Index section_items;
  const split::State<Mass>* splits;
  Refusal* refusal;

  /// For kernels.
  [[nodiscard]] WRSGPU_HD split::Sections sections() const {
    return {items.counts[0] + items.counts[1], section_items};
  }
  /// Most sections there can be: what is launched for.
  [[nodiscard]] Index max_sections() const { return split::Sections{size, section_items}.count(); }
};

/// Elements with masses need nothing of the weights but the bucket.
using AnyTask =
    std::variant<Task<FloatingSource<float>, Index>, Task<FloatingSource<double>, Index>,
                 Task<IntegerSource, Index>, Task<BucketSource<double>, ItemMass<double>>,
                 Task<BucketSource<std::uint64_t>, ItemMass<std::uint64_t>>>;

/// Calls `launch(task, rows)` with the types of both. Compact rows of floating-point masses do not
/// exist (AliasTable's constructor refuses them), so that kernels for them are not compiled.
template <class Launch>
struct Dispatch {
  Launch launch;
  template <class Source, class Element, class Rows>
  void operator()(const Task<Source, Element>& task, const Rows& rows) const {
    using Mass = typename Task<Source, Element>::Mass;
    if constexpr (Rows::layout != Layout::compact_rows || std::is_integral_v<Mass>) {
      launch(task, rows);
    }
  }
};
template <class Launch>
void dispatch(const AnyTask& task, const AnyRows& rows, Launch launch) {
  std::visit(Dispatch<Launch>{launch}, task, rows);
}

/// Blocks of `workers` sections.
[[nodiscard]] constexpr unsigned blocks_for(Index sections, unsigned workers) {
  return static_cast<unsigned>((sections + std::uint64_t{workers} - 1) / workers);
}

}  // namespace wrsgpu::pack
