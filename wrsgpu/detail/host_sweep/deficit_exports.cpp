#include "wrsgpu/detail/host_sweep/deficit_exports.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/masses/deficit_exports.hpp"
#include "wrsgpu/detail/masses/tile_reader.hpp"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu::detail {
namespace {

/// Places of a tile's items: the light ones with the exclusive sums of their deficits and, behind
/// them, the sum of all; the heavy ones with the inclusive sums of their excesses.
struct TileSequences {
  Index lights = 0;
  Index heavies = 0;
  std::array<Index, mass_tile_items> light;
  std::array<std::uint64_t, mass_tile_items + 1> before;
  std::array<Index, mass_tile_items> heavy;
  std::array<std::uint64_t, mass_tile_items> inclusive_sum;

  void read(std::span<const std::uint64_t> masses) {
    lights = heavies = 0;
    std::uint64_t deficits = 0;
    std::uint64_t excesses = 0;
    for (Index place = 0; place < masses.size(); ++place) {
      if (masses[place] <= fixed_bucket) {
        light[lights] = place;
        before[lights++] = deficits;
        deficits += fixed_bucket - masses[place];
      } else {
        excesses += masses[place] - fixed_bucket;
        heavy[heavies] = place;
        inclusive_sum[heavies++] = excesses;
      }
    }
    before[lights] = deficits;
  }
  [[nodiscard]] std::uint64_t deficits() const { return before[lights]; }
  [[nodiscard]] std::uint64_t excesses() const {
    return heavies == 0 ? 0 : inclusive_sum[heavies - 1];
  }
  [[nodiscard]] std::uint64_t deficit(Index l) const { return before[l + 1] - before[l]; }

  /// Makes the rows of the first `filled` light items and of the first `ended` heavy ones.
  template <class Rows>
  void make_rows(Index filled, Index ended, const TileItems& items, const Rows& rows) const {
    Index donor = 0;
    for (Index l = 0; l < filled; ++l) {
      const Index item = items(light[l]);
      while (donor < heavies && inclusive_sum[donor] < before[l]) ++donor;
      rows.store(item, fixed_bucket - deficit(l), deficit(l) == 0 ? item : items(heavy[donor]));
    }
    Index end = 0;
    for (Index h = 0; h < ended; ++h) {
      const Index item = items(heavy[h]);
      while (end <= lights && before[end] <= inclusive_sum[h]) ++end;
      if (end > lights) {
        rows.store(item, fixed_bucket, item);
      } else {
        rows.store(item, fixed_bucket + inclusive_sum[h] - before[end], items(heavy[h + 1]));
      }
    }
  }
};

/// LackingTile items of a tile, with the inclusive sums of their deficits over all tiles.
struct LackingTile {
  std::uint64_t before;  ///< sum over the preceding tiles
  std::vector<Index> items;
  std::vector<std::uint64_t> inclusive_sum;
};

/// A tile with an excess.
struct ExcessTile {
  std::uint64_t before;  ///< sum over the preceding tiles
  Index first;           ///< the first heavy item that exceeds the tile's deficits
  /// The last heavy item, what it keeps, and whether the first one of the next tile has the rest.
  Index last;
  std::uint64_t kept;
  bool goes_on;
};

/// Makes the rows of a tile without an excess. Returns false if it would export too many items.
template <class Rows>
[[nodiscard]] bool export_from(const TileSequences& tile, const TileItems& items, const Rows& rows,
                               LackingTile& exported) {
  const std::uint64_t filled = tile.excesses();
  const auto* const begin = tile.before.begin();
  Index first = 0;
  if (tile.heavies > 0) {
    first = static_cast<Index>(std::upper_bound(begin, begin + tile.lights, filled) - begin);
  }
  const bool is_last_exported = tile.heavies > 0 && tile.deficits() > filled;
  tile.make_rows(first, tile.heavies - (is_last_exported ? 1 : 0), items, rows);
  const auto put = [&](Index place, std::uint64_t end) {
    exported.items.push_back(items(place));
    exported.inclusive_sum.push_back(exported.before + end - filled);
  };
  if (is_last_exported) put(tile.heavy[tile.heavies - 1], tile.before[first]);
  for (Index l = first; l < tile.lights; ++l) {
    if (tile.deficit(l) == 0) {
      rows.store(items(tile.light[l]), fixed_bucket, items(tile.light[l]));
    } else {
      put(tile.light[l], tile.before[l + 1]);
    }
  }
  return exported.items.size() <= deficit_exports::max_exported;
}

/// Makes the rows of a tile with an excess, which is less than `end` of all, except its last heavy
/// item's, and those of the exported items that begin within it. Returns false if it has a part in
/// too many.
template <class Rows>
[[nodiscard]] bool fill(const TileSequences& tile, const TileItems& items, const Rows& rows,
                        const std::vector<LackingTile>& lacks, ExcessTile& excess) {
  const auto* const sums = tile.inclusive_sum.begin();
  const auto* const sums_end = sums + tile.heavies;
  const auto ended = static_cast<Index>(std::upper_bound(sums, sums_end, tile.deficits()) - sums);
  tile.make_rows(tile.lights, ended, items, rows);
  excess.first = items(tile.heavy[ended]);
  excess.last = items(tile.heavy[tile.heavies - 1]);
  excess.kept = fixed_bucket;
  excess.goes_on = false;
  const std::uint64_t end = excess.before + tile.excesses() - tile.deficits();
  /// Of a heavy item beyond the tile's own light items, over all tiles.
  const auto sum_of = [&](Index h) {
    return excess.before + tile.inclusive_sum[h] - tile.deficits();
  };

  auto lack =
      std::upper_bound(lacks.begin(), lacks.end(), excess.before,
                       [](std::uint64_t sum, const LackingTile& e) { return sum < e.before; });
  --lack;
  Index heavy = ended;  // the next without a row
  Index donor = ended;  // of the next exported item
  Index received = 0;
  std::uint64_t begin = lack->before;
  for (; lack != lacks.end() && begin <= end; ++lack) {
    for (std::size_t k = 0; k < lack->items.size() && begin <= end; ++k) {
      const std::uint64_t item_begin = begin;
      begin = lack->inclusive_sum[k];
      if (begin <= excess.before) continue;
      if (++received > deficit_exports::max_received) return false;
      for (; heavy < tile.heavies && sum_of(heavy) < begin; ++heavy) {
        const std::uint64_t kept = fixed_bucket + sum_of(heavy) - begin;
        if (heavy + 1 < tile.heavies) {
          rows.store(items(tile.heavy[heavy]), kept, items(tile.heavy[heavy + 1]));
        } else {
          excess.kept = kept;
          excess.goes_on = true;
        }
      }
      // An item that begins with the tile's excess belongs to the tile before.
      if (item_begin <= excess.before && excess.before > 0) continue;
      while (sum_of(donor) < item_begin) ++donor;
      rows.store(lack->items[k], fixed_bucket - (begin - item_begin), items(tile.heavy[donor]));
    }
  }
  // Nothing is left to fill.
  for (; heavy + 1 < tile.heavies; ++heavy) {
    rows.store(items(tile.heavy[heavy]), fixed_bucket, items(tile.heavy[heavy]));
  }
  return true;
}

/// All tiles, in parallel.
template <class T>
struct AllTiles {
  static constexpr std::uint64_t task_tiles = 64;
  std::span<const T> weights;
  const MassTiles& tiles;
  unsigned threads;

  /// Calls `make(number, tile)` for each tile with an excess, or for each other one, while
  /// `is_supported`, which is false if it returns false.
  template <class Make>
  void visit(bool with_excess, std::atomic<bool>& is_supported, const Make& make) const {
    const std::uint64_t count = tiles.tiles.size();
    parallel_for((count + task_tiles - 1) / task_tiles, threads, [&](std::uint64_t task) {
      const std::uint64_t end = std::min<std::uint64_t>(count, (task + 1) * task_tiles);
      const auto masses = std::make_unique<std::array<std::uint64_t, mass_tile_items>>();
      const auto tile = std::make_unique<TileSequences>();
      TileReader<T> reader(weights, tiles.map);
      for (std::uint64_t k = task * task_tiles; k < end && is_supported; ++k) {
        const std::uint64_t t = tiles.map.in_memory(k);
        if (tiles.has_excess(t) != with_excess) continue;
        const std::span<const T> own = reader.read(t);
        write_masses(own, tiles.tiles[t], masses->data());
        tile->read(std::span(*masses).first(own.size()));
        if (!make(t, *tile)) is_supported = false;
      }
    });
  }
};

template <class T, class Rows>
[[nodiscard]] bool make_rows(std::span<const T> weights, const MassTiles& mass_tiles,
                             const Rows& rows, unsigned threads) {
  const TileMap& map = mass_tiles.map;
  std::vector<LackingTile> lacks;
  std::vector<ExcessTile> excesses;
  std::vector<std::size_t> place(mass_tiles.tiles.size());  // index in its list
  std::uint64_t largest = 0;
  mass_tiles.for_each_balance(
      [&](std::uint64_t t, std::uint64_t amount, std::uint64_t before) {
        place[t] = excesses.size();
        excesses.push_back({before, 0, 0, 0, false});
        largest = std::max(largest, amount);
      },
      [&](std::uint64_t t, std::uint64_t /*amount*/, std::uint64_t before) {
        place[t] = lacks.size();
        lacks.push_back({before, {}, {}});
      });
  if (excesses.empty() || largest > deficit_exports::max_buckets * fixed_bucket) return false;
  std::atomic<bool> is_supported = true;
  const AllTiles<T> all{weights, mass_tiles, threads};
  all.visit(false, is_supported, [&](std::uint64_t t, const TileSequences& tile) {
    return export_from(tile, map[t], rows, lacks[place[t]]);
  });
  all.visit(true, is_supported, [&](std::uint64_t t, const TileSequences& tile) {
    return fill(tile, map[t], rows, lacks, excesses[place[t]]);
  });
  for (std::size_t e = 0; e < excesses.size() && is_supported; ++e) {
    const ExcessTile& tile = excesses[e];
    rows.store(tile.last, tile.kept, tile.goes_on ? excesses[e + 1].first : tile.last);
  }
  return is_supported;
}

}  // namespace

template <class T, class Rows>
bool export_deficits(std::span<const T> weights, const MassTiles& tiles, const Rows& rows,
                     unsigned threads) {
  return make_rows(weights, tiles, rows, threads);
}

#define WRSGPU_EXPORT_DEFICITS(T, Rows) \
  template bool export_deficits(std::span<const T>, const MassTiles&, const Rows&, unsigned);
#define WRSGPU_EXPORT_DEFICITS_OF(T)     \
  WRSGPU_EXPORT_DEFICITS(T, WideRows)    \
  WRSGPU_EXPORT_DEFICITS(T, ArrayRows)   \
  WRSGPU_EXPORT_DEFICITS(T, CompactRows) \
  WRSGPU_EXPORT_DEFICITS(T, NarrowStoreRows)
WRSGPU_EXPORT_DEFICITS_OF(float)
WRSGPU_EXPORT_DEFICITS_OF(double)

}  // namespace wrsgpu::detail
