// The light and the heavy items of segments as lists (segment_rows.hpp), from their weights.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "wrsgpu/detail/core/host_code.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/segments/segment_masses.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::segments {

/// What the masses of a part follow from, besides its weights: S in units of 2^-shift, and Q.
struct Part {
  TileSum sum;
  std::uint64_t mass;
};

/// Consecutive items of both kinds, each with its sum, D or E, in one array: light items from
/// element 0 on, heavy ones from element `room` on.
struct Lists {
  /// Elements of a kind. Eight more may be written.
  static constexpr std::uint64_t capacity = 16 * std::uint64_t{part_items};
  static constexpr std::uint64_t room = capacity + 8;

  /// The items of a kind that have no rows yet, and the sum of the next one, or E before it.
  struct Kind {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t sum;
    [[nodiscard]] std::uint64_t size() const { return end - begin; }
  };
  Kind light{0, 0, 0};
  Kind heavy{room, room, 0};
  std::array<std::uint64_t, 2 * room> sums;
  std::array<Index, 2 * room> items;
  /// Of an item, the place of the first one of the other kind with a greater sum, for light items,
  /// or one that is not less.
  std::array<Index, 2 * room + 8> others;
  std::array<CompactRow, 2 * room> rows;  ///< of the items
  /// S_i, then F(S_i), of a part or of segments. Eight more may be written.
  std::array<std::uint64_t, part_items + 8> prefix_sums;
};

/// Step 3 of segment_masses.hpp: replaces S_i by F(S_i) and the mass `before` the part.
void sums_to_prefix_masses(std::span<std::uint64_t> sums, const Part& part,
                           std::uint64_t before = 0);

/// The loops over items, for one instruction set. The weights are valid.
template <class T>
struct ListLoops {
  /// Step 1 for a part: sums[i] = S_i, with as many elements as the next multiple of eight. Returns
  /// S.
  TileSum (*write_prefix_sums)(std::span<const T> weights, std::uint64_t* sums);
  /// The same where e is known.
  std::uint64_t (*write_sums)(std::span<const T> weights, int shift, std::uint64_t* sums);

  /// Appends the items of a part, which are numbered from `first` on.
  void (*append)(std::span<const T> weights, const Part& part, Index first, Lists& lists);

  /// Appends the items of segments of at most one part each, and of one part together; segment s
  /// has the items [offsets[s], offsets[s + 1]). Those of a segment without weight are appended as
  /// if their weights were equal, and their range to `without_weight`.
  void (*append_segments)(const T* weights, std::span<const std::uint64_t> offsets, Lists& lists,
                          std::vector<Range>& without_weight);
};

/// The loops that `code` selects.
template <class T>
[[nodiscard]] const ListLoops<T>& list_loops(HostCode code = HostCode::best);

}  // namespace wrsgpu::segments
