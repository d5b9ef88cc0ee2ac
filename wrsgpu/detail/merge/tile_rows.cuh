// The rows of one tile, by a block. Let D be the exclusive sum of deficits of a light item and E
// the inclusive sum of excesses of a heavy item. A light item is filled by the first heavy item
// with E >= D; a heavy item ends at the first D that exceeds its E, and keeps 2^32 + E - D. So in
// the merged sequence of both, where a light item precedes a heavy one of the same key, all that a
// row needs is adjacent to it.
#pragma once

#include "wrsgpu/detail/merge/exports.cuh"
#include "wrsgpu/detail/merge/merge_path.cuh"
#include "wrsgpu/detail/merge/tile_sequences.cuh"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu::merge {

/// The merge of one tile. All threads of the block must call each function.
template <class T, class Rows, class Shape, class Map>
class TileRows : public TileSequences<T, Shape, Map> {
  using Base = TileSequences<T, Shape, Map>;

 public:
  __device__ TileRows(TileStorage<T, Shape>& storage, const Rows& rows, Index number,
                      const typename Map::Items& items)
      : Base(storage, number, items), rows_(rows) {}

  /// Writes all rows of a tile that neither exports nor receives items.
  __device__ void merge_alone() {
    merge(all_.lights(), heavies(), [this](Index item) { return items_(item); });
    write([](Index alias) { return alias; });
  }

 protected:
  using Base::all_;
  using Base::heavies;
  using Base::heavy_begin;
  using Base::items_;
  using Base::size_;
  using Base::storage_;
  using Base::threads;
  static constexpr bool is_compact = Rows::layout == Layout::compact_rows;

  /// Writes the rows of the first `lights_ended` light items and of the first `ended` heavy items;
  /// each thread processes an equal part of the merged sequence. `alias_of` maps an item of the
  /// tile, or a donor after those, to the value to store.
  template <class AliasOf>
  __device__ void merge(Index lights_ended, Index ended, const AliasOf& alias_of) {
    const auto& keys = storage_.keys;
    const Index total = lights_ended + ended;
    const Index share = (total + threads - 1) / threads;
    const Index start = min(threadIdx.x * share, total);
    const Index stop = min(start + share, total);
    const Index low = start > ended ? start - ended : 0;
    const Index light = lights_of_steps(keys, heavy_begin(), start, low, min(start, lights_ended));
    merge_steps(keys, storage_.rows, light, heavy_begin() + start - light, stop - start, alias_of);
  }

  /// Writes the rows, in order. `alias_of` maps a value that the merge stored to the alias.
  template <class AliasOf>
  __device__ void write(const AliasOf& alias_of) {
    if constexpr (is_compact) {
      __syncthreads();
      const auto finished = [&](std::uint64_t row) {
        return std::uint64_t{alias_of(high_half(row))} << 32 | static_cast<Index>(row);
      };
      auto* const rows = reinterpret_cast<std::uint64_t*>(rows_.data());
      const Index pairs = size_ / 2;
      for (Index i = threadIdx.x; i < pairs; i += threads) {
        const ulonglong2 both = storage_.rows.pair(2 * i);
        *reinterpret_cast<ulonglong2*>(rows + items_(2 * i)) = {finished(both.x), finished(both.y)};
      }
      if (threadIdx.x == 0 && size_ % 2 == 1) {
        rows[items_(size_ - 1)] = finished(storage_.rows[size_ - 1]);
      }
    } else {
      write_made(alias_of);
    }
  }
  /// Writes the rows that are made here.
  template <class AliasOf>
  __device__ void write_made(const AliasOf& alias_of) {
    __syncthreads();
    for (Index i = threadIdx.x; i < size_; i += threads) {
      const std::uint64_t row = storage_.rows[i];
      if (row == no_row) continue;
      store(rows_, items_(i), static_cast<Index>(row), alias_of(high_half(row)));
    }
  }

  Rows rows_;
};

}  // namespace wrsgpu::merge
