// One draw from a segment.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/sampler_options.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu {
struct SegmentedDrawOptions;  // segmented_sampler.hpp
}

namespace wrsgpu::segments {

[[nodiscard]] constexpr int rounds_of(Generator generator) {
  return generator == Generator::philox7 ? 7 : 10;
}

/// Where a segment lies among all items.
struct Segment {
  std::uint64_t begin;
  Index items;
};

/// Segment `number` of `count`; one without items for a greater number.
template <class Offsets>
[[nodiscard]] WRSGPU_HD Segment segment_of(const Offsets& offsets, std::uint64_t count,
                                           std::uint64_t number) {
  if (number >= count) return {0, 0};
  const std::uint64_t begin = offsets[number];
  return {begin, static_cast<Index>(offsets[number + 1] - begin)};
}

/// Reads a row or a number. In device memory, `is_once` says that it leaves the L2 before what else
/// is there.
[[nodiscard]] WRSGPU_HD inline CompactRow read_at_random(const CompactRow* row,
                                                         [[maybe_unused]] bool is_once) {
#ifdef __CUDA_ARCH__
  const auto* const bits = reinterpret_cast<const uint2*>(row);
  const uint2 found = is_once ? __ldcs(bits) : __ldg(bits);
  return {found.x, found.y};
#else
  return *row;
#endif
}
[[nodiscard]] WRSGPU_HD inline Index read_at_random(const Index* number,
                                                    [[maybe_unused]] bool is_once) {
#ifdef __CUDA_ARCH__
  return is_once ? __ldcs(number) : __ldg(number);
#else
  return *number;
#endif
}

/// The item that a choice from a segment selects, of which this is the row, numbered over all
/// segments, or `no_item`.
[[nodiscard]] WRSGPU_HD inline Index item_of(const Segment& segment, const RowChoice& choice,
                                             const CompactRow& row) {
  if (segment.items == 0) return no_item;
  const bool is_own = CompactRows::accepts(row, CompactRows::variate(choice.fraction));
  return is_own ? static_cast<Index>(segment.begin + choice.row) : row.alias;
}

/// The item that `word` selects, likewise.
[[nodiscard]] WRSGPU_HD inline Index draw_item(const CompactRow* rows, const Segment& segment,
                                               std::uint64_t word, bool is_once = false) {
  if (segment.items == 0) return no_item;
  const RowChoice choice = choose_row(word, segment.items);
  return item_of(segment, choice, read_at_random(rows + segment.begin + choice.row, is_once));
}

/// Up to so many samples in all are drawn without tables from the rows of a matrix that have more
/// than one part.
inline constexpr std::uint64_t max_searched_samples = std::uint64_t{1} << 13;

/// The place that `word` selects on the line of the masses of a segment.
[[nodiscard]] WRSGPU_HD inline std::uint64_t place_of(std::uint64_t word, Index items) {
  return static_cast<std::uint64_t>(WideInteger{word} * (std::uint64_t{items} << 32) >> 64);
}

/// The first of `count` inclusive prefix sums that exceeds `place`; the last one does.
[[nodiscard]] WRSGPU_HD inline Index first_above(const std::uint64_t* prefix, Index count,
                                                 std::uint64_t place) {
  // The one sought is among the `count` from `low` on. Without branches, which no processor could
  // predict.
  Index low = 0;
  while (count > 1) {
    const Index half = count / 2;
    low += half * static_cast<Index>(prefix[low + half - 1] <= place);
    count -= half;
  }
  return low;
}

/// The item that `word` selects by the prefix sums of the masses of a segment (inclusive), numbered
/// within it, or `no_item` if there is no mass.
[[nodiscard]] WRSGPU_HD inline Index find_item(const std::uint64_t* prefix, Index items,
                                               std::uint64_t word) {
  if (items == 0 || prefix[items - 1] == 0) return no_item;
  return first_above(prefix, items, place_of(word, items));
}

/// What a draw returns for an item.
struct ItemNames {
  bool local;
  const Index* payload;  ///< may be null

  [[nodiscard]] WRSGPU_HD Index operator()(Index item, const Segment& segment) const {
    if (item == no_item) return item;
    if (payload != nullptr) return payload[item];
    return local ? item - static_cast<Index>(segment.begin) : item;
  }
};

/// Consecutive words of a stream; those of one Philox block are computed together.
template <int rounds>
class ConsecutiveWords {
 public:
  /// @param first the number of the first word
  WRSGPU_HD ConsecutiveWords(const random::SplitWords<rounds>& words, std::uint64_t first)
      : words_(words), next_(first) {
    load();
  }

  [[nodiscard]] WRSGPU_HD std::uint64_t next() {
    const auto k = static_cast<unsigned>(next_ & 3);
    // Without an index into a register, which would put the block into memory.
    const auto select = [k](const random::PhiloxBlock& block) {
      const std::uint32_t low = (k & 1) != 0 ? block.word[1] : block.word[0];
      const std::uint32_t high = (k & 1) != 0 ? block.word[3] : block.word[2];
      return (k & 2) != 0 ? high : low;
    };
    const std::uint64_t word = words_.joined(select(high_), select(low_));
    ++next_;
    if (k == 3) load();
    return word;
  }

 private:
  WRSGPU_HD void load() {
    high_ = words_.high_halves(next_ >> 2);
    low_ = words_.low_halves(next_ >> 2);
  }

  const random::SplitWords<rounds>& words_;
  std::uint64_t next_;
  random::PhiloxBlock high_;
  random::PhiloxBlock low_;
};

/// What walks read as if once (`read_at_random`).
struct ReadOnce {
  bool rows = false;
  bool neighbours = false;
};

/// Walks from `start`: calls `put(step, vertex)` for steps 1 to `length`.
template <int rounds, class Offsets, class Put>
WRSGPU_HD void walk_from(Index start, std::uint64_t length, const CompactRow* rows,
                         const Offsets& offsets, std::uint64_t segments, const Index* neighbours,
                         ConsecutiveWords<rounds> words, const ReadOnce& once, const Put& put) {
  Index vertex = start;
  for (std::uint64_t step = 1; step <= length; ++step) {
    const std::uint64_t word = words.next();
    const Segment segment = segment_of(offsets, segments, vertex);
    const Index item = draw_item(rows, segment, word, once.rows);
    vertex = item == no_item ? no_item : read_at_random(neighbours + item, once.neighbours);
    put(step, vertex);
  }
}

/// Throws the `Error`s of draws of `k` samples from each of `from` segments: for spans of sizes
/// that do not fit.
void check_draw(std::uint64_t from, std::uint64_t k, std::uint64_t out, Index items,
                const SegmentedDrawOptions& options);
/// Throws the `Error`s for weights that are not as many as the items, or in other memory.
void check_weights(const WeightsView& weights, Index items, Device device);
/// Throws the `Error`s of walks, likewise.
void check_walk(std::uint64_t starts, std::uint64_t length, std::uint64_t out, Index items,
                std::uint64_t neighbours);

}  // namespace wrsgpu::segments
