// Alias tables of segments in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "wrsgpu/detail/core/bit_width.hpp"
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
  // Numbers less 1, modulo 2^32.
  Index shorter;  ///< segments of more than one part, but of no more than `few_parts`
  Index longer;   ///< other segments of more than one part
  Index parts;    ///< of both
  Index tasks;
  Index taken;  ///< parts whose rows are being made or have been

  [[nodiscard]] WRSGPU_HD bool has_found_invalid() const {
    return bad_item != none || no_weight != none;
  }
};

/// The first segment that begins at or after some item, and its first item.
struct Border {
  Index segment;
  Index item;
};

/// Segments of one part each, and of one part together, of which a block makes the rows.
struct Task {
  Index segment;   ///< the first one
  Index segments;  ///< some of them may be empty
  Index item;
  Index items;
};

/// A segment of more than one part.
struct ListedSegment {
  Index segment;
  Index items;
  Index first_part;
};

/// A part of such a segment.
struct PartItems {
  Index begin;  ///< its first item
  Index items;
};

/// Sum and number of the light or of the heavy items that parts leave over, as far as it is known.
struct alignas(16) KnownSum {
  static constexpr Index none = 0;
  static constexpr Index own = 1;     ///< of one part
  static constexpr Index prefix = 2;  ///< of the part and all before

  std::uint64_t sum;
  Index count;
  Index known;
};

/// Tables and temporary memory, as kernels see them.
struct DeviceSegments {
  std::uint64_t segments;
  Index items;
  Index chunk_digits;
  bool empty_ok;
  Index* offsets;    ///< segments + 1
  CompactRow* rows;  ///< one per item
  SegmentStatus* status;
  Border* borders;  ///< of chunks of items, and the end
  Task* tasks;      ///< in any order
  // Of the segments of more than one part; those of few parts come first, the others last.
  ListedSegment* long_segments;
  Index slots;      ///< elements of `long_segments`; at least as many as there can be parts
  Index few_parts;  ///< at most so many
  // One element for each part; those of a segment follow each other.
  PartItems* parts;
  TileSum* part_sums;     ///< step 1 of segment_masses.hpp: S in units of 2^-shift
  std::uint64_t* masses;  ///< Q, or `without_weight`
  /// Sums of Q up to and including the part, 0 without weight; null if there will be tables.
  std::uint64_t* prefix_masses;
  KnownSum* known_sums[2];  ///< of light items, and of heavy ones
  // What parts leave over, light items from the first element on, heavy ones from the last one
  // backwards.
  std::uint64_t* sums;  ///< one per item: D of the light ones, E of the heavy ones
  Index* list_items;    ///< one per item: their numbers

  static constexpr std::uint64_t without_weight = ~std::uint64_t{0};
  /// Segments that begin among 2^`chunk_digits` items, a chunk, are divided into tasks by a warp.
  /// More make tasks fuller, but take the warp longer, which matters for few items.
  static constexpr int most_digits = 15;
  static constexpr int least_digits = 12;
  static constexpr int chunk_count_digits = 10;
  [[nodiscard]] static constexpr Index digits_for(Index items) {
    return static_cast<Index>(
        std::clamp(bit_width(items) - chunk_count_digits, least_digits, most_digits));
  }
  [[nodiscard]] WRSGPU_HD Index chunks() const {
    return items == 0 ? 0 : ((items - 1) >> chunk_digits) + 1;
  }
  /// Bounds for up to so many items. Of two tasks of a chunk that follow each other, or a task and
  /// a long segment, more than 2,048 items are in both together.
  [[nodiscard]] static constexpr std::uint64_t most_chunks(std::uint64_t items) {
    constexpr std::uint64_t chunks = std::uint64_t{1} << chunk_count_digits;
    return std::max(std::min(items >> least_digits, chunks), items >> most_digits) + 1;
  }
  [[nodiscard]] static constexpr std::uint64_t most_tasks(std::uint64_t items) {
    return items / 1024 + 2 * most_chunks(items);
  }
  /// A segment of n >= 2 parts has more than 2048 (n - 1) items, which is at least 1024 n.
  [[nodiscard]] static constexpr std::uint64_t most_parts(std::uint64_t items) {
    return items / 1024 + 1;
  }
};

/// Finds the masses of the parts of the rows of a matrix in device memory, for draws without
/// tables, where each row has more than one part; invalid weights count as 0. The parts of a row
/// follow those of the row before. Follows the conventions of `DeviceArena`.
[[nodiscard]] DeviceSegments find_masses_of_parts(std::uint64_t rows, const WeightsView& weights,
                                                  bool empty_ok, DeviceArena& arena,
                                                  cudaStream_t stream);

/// Owner of tables in device memory.
class DeviceSegmentTables {
 public:
  /// Memory for tables of up to this many segments and items. Throws `OutOfMemory`.
  DeviceSegmentTables(std::uint64_t segments, Index items);

  [[nodiscard]] std::uint64_t segment_capacity() const { return offsets_.size() - 1; }
  [[nodiscard]] Index item_capacity() const { return static_cast<Index>(rows_.size()); }

  /// Builds the tables; invalid weights count as 0. The sizes are valid and within the capacity,
  /// the arguments in device memory. Asynchronous; allocates the temporary memory, also during a
  /// capture, if there is none.
  void build(const SegmentsView& segments, const WeightsView& weights, bool empty_ok,
             cudaStream_t stream);
  /// Waits for `stream`, and throws the `Error` of the last `build` from these arguments.
  void finish(const SegmentsView& segments, const WeightsView& weights, cudaStream_t stream) const;
  /// Frees the temporary memory.
  void release_temporary() { storage_ = {}; }

  [[nodiscard]] const CompactRow* rows() const { return rows_.data(); }
  [[nodiscard]] const Index* offsets() const { return offsets_.data(); }
  [[nodiscard]] const SegmentStatus* status() const { return status_.data(); }

 private:
  /// Takes the temporary memory for this many items from `arena`.
  static DeviceSegments with_storage(Index items, DeviceArena& arena);
  /// Allocates the temporary memory if there is none.
  void reserve_temporary();

  DeviceBuffer<Index> offsets_;
  DeviceBuffer<CompactRow> rows_;
  DeviceBuffer<SegmentStatus> status_;
  DeviceBuffer<std::byte> storage_;  // temporary memory, for all items of the capacity
};

}  // namespace wrsgpu::segments
