// Alias tables of segments in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/segments/segment_draws.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/segments_view.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu::segments {

/// What a build finds, in device memory. All bytes are 0xFF before.
struct SegmentStatus {
  static constexpr unsigned long long none = ~0ULL;

  unsigned long long bad_offset;  ///< the first segment whose offsets are invalid, or `none`
  unsigned long long bad_item;    ///< the first item whose weight is invalid, or `none`
  unsigned long long no_weight;   ///< the first segment without weight, or `none`; unless permitted
  Index long_segments;            ///< their number less 1, modulo 2^32
  Index taken;                    ///< stretches whose parts are listed, likewise

  [[nodiscard]] WRSGPU_HD bool has_found_invalid() const {
    return bad_item != none || no_weight != none;
  }
};

/// The first segment that begins at or after some item, and its first item.
struct Border {
  Index segment;
  Index item;
};

/// Sums over some items of a segment.
struct ListSums {
  std::uint64_t deficits;
  std::uint64_t excesses;
  Index lights;
  Index heavies;
};

/// Tables and temporary memory, as kernels see them.
struct DeviceSegments {
  std::uint64_t segments;
  Index items;
  bool empty_ok;
  Index* offsets;    ///< segments + 1
  CompactRow* rows;  ///< one per item
  SegmentStatus* status;
  Border* borders;       ///< of the stretches of items, each the task of a block, and the end
  Index* long_segments;  ///< of more than one part, in any order
  // Of long segments; one element for each part, at `slot` of its segment plus its number.
  TileSum* part_sums;     ///< step 1 of segment_masses.hpp
  std::uint64_t* masses;  ///< Q, or `without_weight`
  /// Sums of Q up to and including the part, 0 without weight; null if there will be tables.
  std::uint64_t* prefix_masses;
  ListSums* own_sums;     ///< of the items of the part
  ListSums* prefix_sums;  ///< of the items of the segment up to and including those of the part
  Index* known_sums;      ///< `no_sums`, `own`, or `prefix` if both are known
  Index* splits;          ///< light items before step 2,048 p of the merge of the segment
  // Light items of a long segment from its first item on, heavy ones from its last item backwards.
  std::uint64_t* sums;  ///< one per item: D of the light ones, E of the heavy ones
  Index* list_items;    ///< one per item: their numbers

  static constexpr std::uint64_t without_weight = ~std::uint64_t{0};
  static constexpr Index no_sums = 0;
  static constexpr Index own = 1;
  static constexpr Index prefix = 2;
  /// A block makes the tables of the segments that begin among this many items. Does not affect the
  /// tables; less than 2,048, so that most often all of them fit in a block.
  static constexpr Index stretch_items = 1936;
  [[nodiscard]] static constexpr std::uint64_t stretches(std::uint64_t items) {
    return (items + stretch_items - 1) / stretch_items;
  }
  static constexpr Index slot_items = 1024;
  /// The slot of the first part of a long segment that begins with item `begin`. The slots of a
  /// segment of n >= 2 parts, of more than 2048 (n - 1) items, end before those of the next.
  [[nodiscard]] WRSGPU_HD static constexpr Index slot(Index begin) { return begin / slot_items; }
  [[nodiscard]] static constexpr std::uint64_t slots(std::uint64_t items) {
    return items / slot_items + 2;
  }
  /// `prefix_masses` of the parts of the segment that begins with item `begin`.
  [[nodiscard]] WRSGPU_HD const std::uint64_t* prefixes_of(std::uint64_t begin) const {
    return prefix_masses + slot(static_cast<Index>(begin));
  }
};

/// Finds the masses of the parts of segments in device memory, for draws without tables, where each
/// segment has more than one part; invalid weights count as 0. Follows the conventions of
/// `DeviceArena`.
[[nodiscard]] DeviceSegments find_masses_of_parts(const SegmentsView& segments,
                                                  const WeightsView& weights, bool empty_ok,
                                                  DeviceArena& arena, cudaStream_t stream);

/// Owner of tables in device memory.
class DeviceSegmentTables {
 public:
  /// Memory for tables of up to this many segments and items. Throws `OutOfMemory`.
  DeviceSegmentTables(std::uint64_t segments, Index items);

  [[nodiscard]] std::uint64_t segment_capacity() const { return offsets_.size() - 1; }
  [[nodiscard]] Index item_capacity() const { return static_cast<Index>(rows_.size()); }

  /// Builds the tables; invalid weights count as 0. The sizes are valid and within the capacity,
  /// the arguments in device memory. Asynchronous; no allocation.
  void build(const SegmentsView& segments, const WeightsView& weights, bool empty_ok,
             cudaStream_t stream);
  /// Waits for `stream`, and throws the `Error` of the last `build` from these arguments.
  void finish(const SegmentsView& segments, const WeightsView& weights, cudaStream_t stream) const;

  [[nodiscard]] const CompactRow* rows() const { return rows_.data(); }
  [[nodiscard]] const Index* offsets() const { return offsets_.data(); }
  [[nodiscard]] const SegmentStatus* status() const { return status_.data(); }

 private:
  /// Takes the temporary memory for this many items from `arena`.
  static DeviceSegments with_storage(Index items, DeviceArena& arena);

  DeviceBuffer<Index> offsets_;
  DeviceBuffer<CompactRow> rows_;
  DeviceBuffer<SegmentStatus> status_;
  DeviceBuffer<std::byte> storage_;
};

}  // namespace wrsgpu::segments
