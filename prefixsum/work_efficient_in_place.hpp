// The work-efficient prefix sum in place, for any length (thesis 4.2).
//
// The thesis's idea is to work in batches of blockSize^k items. With B = blockSize, level k
// consists of batches of B^k items, each represented by its last item (the last batch may be
// shorter), and a block of threads processes B representatives at a time:
//   - up, for k = 0, 1, ...: the representative of B batches becomes their sum;
//   - down, for k = ..., 1, 0: the representatives become prefix sums.
// Only the last item of a batch is overwritten early, by a sum, and no prefix sum needs its own
// value any more: an exclusive sum does not contain the last item, and the inclusive sum at the
// last item is the representative itself. So no memory besides the array is needed, and only the
// shared memory of a block is padded.
#pragma once

#include <algorithm>
#include <cstdint>

#include "prefixsum/prefix_sum.hpp"
#include "prefixsum/tree.hpp"

namespace wrsgpu::prefixsum {

/// The array as batches of `span` items.
struct BatchLevel {
  std::uint64_t size;  // items of the array
  std::uint64_t span;  // B^k

  /// Number of batches.
  [[nodiscard]] WRSGPU_HD constexpr std::uint64_t count() const {
    return size / span + (size % span == 0 ? 0 : 1);
  }
  /// The item that represents batch `batch`.
  [[nodiscard]] WRSGPU_HD constexpr std::uint64_t last_item(std::uint64_t batch) const {
    const std::uint64_t end = (batch + 1) * span;
    return (end < size ? end : size) - 1;
  }
};

/// The batches that one block processes.
template <unsigned block_size>
struct BlockRange {
  std::uint64_t first;
  unsigned count;

  WRSGPU_HD constexpr BlockRange(const BatchLevel& level, std::uint64_t block)
      : first(block * block_size),
        count(level.count() - first < block_size ? static_cast<unsigned>(level.count() - first)
                                                 : block_size) {}
};

/// Up: the last representative of each block becomes the sum of the block.
template <unsigned block_size, class Source, class Target>
struct SumBatches {
  using Value = typename Target::Value;
  static constexpr unsigned items = block_size;
  Source from;
  Target to;
  BatchLevel level;

  template <class Team>
  WRSGPU_HD void operator()(const Team& team, PaddedArray<Value> shared,
                            std::uint64_t block) const {
    const BlockRange<block_size> range(level, block);
    team.each(block_size, [&](unsigned i) {
      shared.store(i, i < range.count ? from.load(level.last_item(range.first + i)) : Value{0});
    });
    up_sweep(team, shared, block_size, true);
    team.each(1, [&](unsigned) {
      to.store(level.last_item(range.first + range.count - 1), shared.load(block_size - 1));
    });
  }
};

/// Down: each representative becomes its prefix sum. The last one of a block holds, if exclusive,
/// the sum of everything before the block; if inclusive, it already holds its own prefix sum, with
/// which the next block begins.
template <unsigned block_size, class Source, class Target>
struct ScanBatches {
  using Value = typename Target::Value;
  static constexpr unsigned items = block_size;
  Source from;
  Target to;
  BatchLevel level;
  Kind kind;

  template <class Team>
  WRSGPU_HD void operator()(const Team& team, PaddedArray<Value> shared,
                            std::uint64_t block) const {
    const BlockRange<block_size> range(level, block);
    const unsigned summands = range.count - 1;  // all but the last
    const bool inclusive = kind == Kind::inclusive;
    if (inclusive && summands == 0) return;
    // As in WorkEfficient, an inclusive sum is an exclusive one of the array shifted left by one.
    const unsigned moved = inclusive ? 1 : 0;
    team.each(block_size, [&](unsigned i) {
      shared.store(
          i, i + moved < summands ? from.load(level.last_item(range.first + i + moved)) : Value{0});
    });
    up_sweep(team, shared, block_size, false);
    team.each(1, [&](unsigned) { shared.store(block_size - 1, root(block, range)); });
    down_sweep(team, shared, block_size);
    team.each(inclusive ? summands : range.count,
              [&](unsigned i) { to.store(level.last_item(range.first + i), shared.load(i)); });
  }

 private:
  /// Initial value of every sum of the block.
  [[nodiscard]] WRSGPU_HD Value root(std::uint64_t block,
                                     const BlockRange<block_size>& range) const {
    if (kind == Kind::inclusive) {
      const Value before = block == 0 ? Value{0} : to.load(level.last_item(range.first - 1));
      return before + from.load(level.last_item(range.first));
    }
    const bool only_block = level.count() <= block_size;
    return only_block ? Value{0} : to.load(level.last_item(range.first + range.count - 1));
  }
};

/// `block_size` is a power of two, at least 2.
template <unsigned block_size>
struct BasicWorkEfficientInPlace {
  static constexpr const char* name = "work_efficient_in_place";
  static constexpr const char* source = "thesis 4.2";
  static constexpr const char* summary =
      "Blelloch in batches of blockSize^k, in place, any length, in shared memory";
  static constexpr bool in_place = true;

  [[nodiscard]] static constexpr std::uint64_t temporary_items(std::uint64_t) { return 0; }

  /// About 2N reads and N writes: items are read during the up-sweep and again during the
  /// down-sweep.
  [[nodiscard]] static constexpr Traffic traffic(std::uint64_t size, Kind kind) {
    Traffic traffic;
    for (std::uint64_t span = 1;; span *= block_size) {
      const std::uint64_t items = BatchLevel{size, span}.count();
      const std::uint64_t blocks = (items + block_size - 1) / block_size;
      const bool top = blocks == 1;
      const bool last_block_has_one_item = items % block_size == 1;
      if (kind == Kind::inclusive) {
        traffic.reads += items;  // up
        traffic.writes += blocks;
        traffic.reads += items - 1 - (last_block_has_one_item && !top ? 1 : 0);
        traffic.writes += items - blocks;
        traffic.launches += 2;
      } else {
        if (!top) {
          traffic.reads += items;  // up
          traffic.writes += blocks;
          ++traffic.launches;
        }
        traffic.reads += items - blocks + (top ? 0 : blocks);
        traffic.writes += items;
        ++traffic.launches;
      }
      if (top) return traffic;
    }
  }

  template <class Execution, class T>
  static void run(Execution& execution, const T* in, T* out, T* /*temporary*/, std::uint64_t size,
                  Kind kind) {
    const auto input = execution.array(in);
    const auto data = execution.array(out);
    BatchLevel level{size, 1};
    const auto blocks = [&] { return (level.count() + block_size - 1) / block_size; };
    // Representatives above level 0 are sums, stored in `out`; the items themselves are in `in`.
    const auto sum = [&](auto from) {
      execution.blocks(blocks(),
                       SumBatches<block_size, decltype(from), decltype(data)>{from, data, level});
    };
    const auto scan = [&](auto from) {
      execution.blocks(blocks(), ScanBatches<block_size, decltype(from), decltype(data)>{
                                     from, data, level, kind});
    };
    const auto sum_level = [&] {
      if (level.span == 1) {
        sum(input);
      } else {
        sum(data);
      }
    };
    for (; blocks() > 1; level.span *= block_size) sum_level();
    // The sum of all items is the inclusive sum at the last item; an exclusive sum does not need
    // it.
    if (kind == Kind::inclusive) sum_level();
    for (; level.span > 1; level.span /= block_size) scan(data);
    scan(input);
  }
};

using WorkEfficientInPlace = BasicWorkEfficientInPlace<1024>;

}  // namespace wrsgpu::prefixsum
