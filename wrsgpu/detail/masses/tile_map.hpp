// Which items the tiles of masses have: neighbours, or chunks from all over the weights.
//
// Where neighbours are alike, as in sorted weights or a smooth image, whole tiles of neighbours are
// heavy and others light, and half of all items would have to be exchanged between tiles. Chunks of
// 64 neighbours that lie far apart make every tile a sample of all weights; the memory does not
// mind, as the chunks beside them belong to tiles that are processed at the same time. Weights in
// random order keep tiles of neighbours, which are simpler to address.
#pragma once

#include <cstdint>
#include <limits>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

inline constexpr Index chunk_items = 64;
inline constexpr Index tile_chunks = mass_tile_items / chunk_items;
/// Interleaved tiles that follow each other are of columns in different groups of neighbours.
inline constexpr Index column_groups = 64;

/// The items of one tile, in its order.
class TileItems {
 public:
  TileItems() = default;
  /// Neighbours.
  WRSGPU_HD TileItems(Index number, Index items)
      : begin_(number * mass_tile_items),
        size_(items - begin_ < mass_tile_items ? items - begin_ : mass_tile_items) {}

  /// Chunks. The array has one row of chunks for each chunk of a tile. A row has a chunk for each
  /// full tile, and some rows have one for the last, incomplete tile. Rows are rotated by different
  /// fractions of their length, so that no period of the weights meets one tile.
  [[nodiscard]] WRSGPU_HD static TileItems interleaved(Index number, Index items) {
    TileItems tile(number, items);
    tile.full_tiles_ = items / mass_tile_items;
    // Tiles that follow each other exchange items, so they are of columns that lie far apart.
    const Index columns = tile.full_tiles_ / column_groups;
    const Index place = number / column_groups;
    tile.begin_ = place < columns ? number % column_groups * columns + place : number;
    tile.more_chunks_ = items % mass_tile_items / chunk_items;
    return tile;
  }

  /// The number of the tile that has this item.
  [[nodiscard]] WRSGPU_HD static Index interleaved_tile_of(Index item, Index items) {
    const TileItems any = interleaved(0, items);
    const Index full = any.full_tiles_;
    const Index chunk = item / chunk_items;
    if (chunk >= full * tile_chunks + any.more_chunks_) return full;
    Index row = chunk / full < tile_chunks ? chunk / full : tile_chunks - 1;
    while (any.row_begin(row) > chunk) --row;
    const Index column = chunk - any.row_begin(row);
    const Index rotation = any.rotation(row);
    const Index begin =
        column >= rotation ? column - rotation : column + any.row_length(row) - rotation;
    const Index columns = full / column_groups;
    return begin < column_groups * columns ? begin % columns * column_groups + begin / columns
                                           : begin;
  }

  [[nodiscard]] WRSGPU_HD bool is_interleaved() const { return full_tiles_ > 0; }
  [[nodiscard]] WRSGPU_HD Index size() const { return size_; }
  /// The item at a place of the tile.
  [[nodiscard]] WRSGPU_HD Index operator()(Index place) const {
    return is_interleaved() ? chunk(place / chunk_items) + place % chunk_items : begin_ + place;
  }
  /// The first item of a chunk. The two halves of a tile alternate between the rows, so that both
  /// are samples of all weights.
  [[nodiscard]] WRSGPU_HD Index chunk(Index number) const {
    if (!is_interleaved()) return begin_ + number * chunk_items;
    constexpr Index half = tile_chunks / 2;
    Index row = number % half * 2 + number / half;
    if (begin_ == full_tiles_) {
      // The last items of all, fewer than a chunk.
      if (number >= more_chunks_) return chunk_items * (full_tiles_ * tile_chunks + more_chunks_);
      row = (number * tile_chunks + tile_chunks / 2 - 1) / more_chunks_;
    }
    const Index length = row_length(row);
    Index column = begin_ + rotation(row);
    if (column >= length) column -= length;
    return chunk_items * (row_begin(row) + column);
  }

 private:
  /// The first chunk of a row, their number, and by how many it is rotated.
  [[nodiscard]] WRSGPU_HD Index row_begin(Index row) const {
    return row * full_tiles_ + rows_with_more(row);
  }
  [[nodiscard]] WRSGPU_HD Index row_length(Index row) const {
    return row_begin(row + 1) - row_begin(row);
  }
  [[nodiscard]] WRSGPU_HD Index rotation(Index row) const {
    constexpr std::uint32_t golden_ratio = 0x9E3779B9;
    return static_cast<Index>(
        (std::uint64_t{static_cast<std::uint32_t>(row * golden_ratio)} * row_length(row)) >> 32);
  }
  /// Of the rows before this one, those that have a chunk for the incomplete tile: spread evenly.
  [[nodiscard]] WRSGPU_HD Index rows_with_more(Index row) const {
    return (row * more_chunks_ + tile_chunks / 2) / tile_chunks;
  }

  Index begin_ = 0;  // the first item, or the column of an interleaved tile
  Index size_ = 0;
  Index full_tiles_ = 0;  // 0 for neighbours
  Index more_chunks_ = 0;
};

/// The items of a tile of neighbours, for code that is compiled for these alone.
class NeighbourItems {
 public:
  NeighbourItems() = default;
  WRSGPU_HD NeighbourItems(Index number, Index items)
      : begin_(number * mass_tile_items),
        size_(items - begin_ < mass_tile_items ? items - begin_ : mass_tile_items) {}

  [[nodiscard]] WRSGPU_HD static constexpr bool is_interleaved() { return false; }
  [[nodiscard]] WRSGPU_HD Index size() const { return size_; }
  [[nodiscard]] WRSGPU_HD Index operator()(Index place) const { return begin_ + place; }
  [[nodiscard]] WRSGPU_HD Index chunk(Index number) const { return begin_ + number * chunk_items; }

 private:
  Index begin_ = 0;
  Index size_ = 0;
};

/// Tiles of either kind.
struct NeighbourMap {
  using Items = NeighbourItems;
  static constexpr bool is_interleaved = false;
  Index items;

  [[nodiscard]] WRSGPU_HD Items operator[](Index tile) const { return {tile, items}; }
  [[nodiscard]] WRSGPU_HD Index tile_of(Index item) const { return item / mass_tile_items; }
};
struct InterleavedMap {
  using Items = TileItems;
  static constexpr bool is_interleaved = true;
  Index items;

  [[nodiscard]] WRSGPU_HD Items operator[](Index tile) const {
    return TileItems::interleaved(tile, items);
  }
  [[nodiscard]] WRSGPU_HD Index tile_of(Index item) const {
    return TileItems::interleaved_tile_of(item, items);
  }
};

/// The tiles of all weights.
struct TileMap {
  Index items;
  bool is_interleaved = false;
  bool is_mostly_heavy = false;  ///< most weights are at least the mean

  [[nodiscard]] WRSGPU_HD TileItems operator[](std::uint64_t tile) const {
    const auto number = static_cast<Index>(tile);
    return is_interleaved ? TileItems::interleaved(number, items) : TileItems(number, items);
  }
  /// The k-th tile in the order in which they lie in memory.
  [[nodiscard]] std::uint64_t in_memory(std::uint64_t k) const {
    const std::uint64_t columns = items / mass_tile_items / column_groups;
    return is_interleaved && k < column_groups * columns ? k % columns * column_groups + k / columns
                                                         : k;
  }
};

/// The sample of weights that decides, and says whether most are heavy: pairs of chunks at places
/// of low discrepancy. In random order, the numbers of weights above the sample's mean in both
/// chunks of a pair differ as binomial ones do; where neighbours are alike, one chunk may have all
/// and the other none.
namespace tile_sample {

/// With fewer weights all tiles are of neighbours: on a GPU the sample takes 7 us, a tenth of what
/// 10^7 weights in random order take.
inline constexpr Index threshold_items = Index{1} << 24;
inline constexpr Index chunks = 256;
inline constexpr Index items = chunks * chunk_items;

/// The mean is from a sum in double precision, in the order of a block of threads: each warp has
/// `warp_chunks` chunks, of which each lane adds up every 32nd weight; then the lanes' sums are
/// added pairwise, the distance halving, and then those of the warps. Single operations in a fixed
/// order are the same everywhere.
inline constexpr Index lanes = 32;
inline constexpr Index warps = 16;
inline constexpr Index warp_chunks = chunks / warps;

/// The first item of a chunk of the sample of `all_items`.
[[nodiscard]] WRSGPU_HD inline Index first_item(Index chunk, Index all_items) {
  const std::uint64_t fraction = static_cast<std::uint32_t>(chunk * 0x9E3779B9U);
  return static_cast<Index>(fraction * (all_items / chunk_items) >> 32) * chunk_items;
}
/// The weight as it counts: 0 if it is invalid.
template <class T>
[[nodiscard]] WRSGPU_HD double counted(T weight) {
  const bool is_valid = weight > 0 && weight <= std::numeric_limits<T>::max();
  return is_valid ? static_cast<double>(weight) : 0;
}
[[nodiscard]] WRSGPU_HD constexpr bool is_above_mean(double weight, double sum) {
  return weight * items > sum;
}
[[nodiscard]] WRSGPU_HD constexpr bool is_below_mean(double weight, double sum) {
  return weight * items < sum;
}
/// The weights above the mean, the squared differences between their numbers in both chunks of a
/// pair, and the weights below the mean.
struct Counts {
  Index above = 0;
  Index squares = 0;
  Index below = 0;

  WRSGPU_HD constexpr void add_pair(Index first_above, Index second_above, Index both_below) {
    above += first_above + second_above;
    squares += (first_above - second_above) * (first_above - second_above);
    below += both_below;
  }
};
/// Whether neighbours are alike. The squares' expectation in random order is `above` times the
/// share of the others. They are eight times as many if runs of eight weights are equal; if
/// half of all weights are above the mean and the weights are sorted, 128 times.
[[nodiscard]] WRSGPU_HD constexpr bool are_alike(const Counts& counts) {
  return std::uint64_t{counts.squares} * items >
         8 * std::uint64_t{counts.above} * (items - counts.above);
}
/// Whether at least three quarters of the weights are heavy: then tiles exchange fewer light items
/// than heavy ones.
[[nodiscard]] WRSGPU_HD constexpr bool are_mostly_heavy(const Counts& counts) {
  return 4 * counts.below <= items;
}

/// What the sample says.
struct Findings {
  bool are_alike = false;
  bool are_mostly_heavy = false;
};
[[nodiscard]] WRSGPU_HD constexpr Findings findings(const Counts& counts) {
  return {are_alike(counts), are_mostly_heavy(counts)};
}

}  // namespace tile_sample

}  // namespace wrsgpu
