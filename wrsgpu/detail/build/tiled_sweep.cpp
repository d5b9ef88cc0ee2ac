#include "wrsgpu/detail/build/tiled_sweep.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "wrsgpu/detail/core/non_temporal_stores.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/host_sweep/rows_by_place.hpp"
#include "wrsgpu/detail/host_sweep/tile_balance.hpp"
#include "wrsgpu/detail/host_sweep/tile_lanes.hpp"
#include "wrsgpu/detail/host_sweep/tile_lists.hpp"
#include "wrsgpu/detail/warp_pairing/host_warp_pairing.hpp"

namespace wrsgpu::detail {
namespace {

/// The excess of a heavy item over a bucket, not saturated.
template <class T>
[[nodiscard]] double excess_of(const ScaledWeights<T>& /*masses*/, const TileLists<double>& lists,
                               Index heavy) {
  return lists.heavy_slack[heavy];
}
[[nodiscard]] std::uint64_t excess_of(const IntegerMasses& masses,
                                      const TileLists<std::uint64_t>& lists, Index heavy) {
  return masses[lists.heavy[heavy]] - masses.bucket;
}

/// Chooses the heavy items that a tile exports, appends them to `items`, and returns their number.
/// Rounding may demand more mass than the heavy items have.
template <class Masses>
Index export_items(const Masses& masses, const TileLists<typename Masses::Mass>& lists,
                   Excess<typename Masses::Mass>& tile,
                   ExportedItems<typename Masses::Mass>& exported) {
  using Mass = typename Masses::Mass;
  Index first = lists.heavies;
  Mass open{0};
  if (lists.lights == 0) {
    first = 0;
    open = excess_of(masses, lists, 0);
  }
  for (Mass left = tile.mass; first > 0 && left > 0;) {
    const Mass excess = excess_of(masses, lists, --first);
    open = std::min(left, excess);
    if (first == 0 && left > excess) tile.mass -= left - excess;
    left -= open;
  }
  tile.count = lists.heavies - first;
  if (tile.count == 0) return 0;
  const Index* const items = lists.heavy + first;
  exported.items.insert(exported.items.end(), items, items + tile.count);
  exported.excesses.push_back(open);
  for (Index j = first + 1; j < lists.heavies; ++j) {
    exported.excesses.push_back(excess_of(masses, lists, j));
  }
  return tile.count;
}

/// Ends a tile that receives no items from other tiles: the last heavy item fills all remaining
/// light items and keeps a full bucket, up to rounding.
template <class Mass>
void keep_rest(Lane<Mass>& lane) {
  TileLists<Mass>& lists = lane.lists;
  std::fill(lists.donor + lane.light, lists.donor + lists.lights, lists.heavy[lane.last]);
  lists.heavy_slack[lane.last] = 0;
}

/// The exported items in the list of heavy items of a tile.
struct Share {
  Index heavies;      // length of that list
  std::size_t donor;  // the exporting tile where the rest of the share begins
  bool is_complete;
};

/// Appends the exported items that cover the tile's deficit to its list of heavy items: those of
/// whole tiles, as long as they fit. They begin in exporting tile `donor`.
template <class Masses>
Share append(Donors<Masses>& donors, const std::vector<Excess<typename Masses::Mass>>& excesses,
             std::size_t donor, const Lack<typename Masses::Mass>& lack,
             TileLists<typename Masses::Mass>& lists) {
  using Mass = typename Masses::Mass;
  constexpr Mass none{0};
  Share share{lists.heavies, donor, false};
  donors.read(donor);
  Index begin = donors.first_beyond(lack.before);
  const Mass first_sum = donors.sum(begin);
  for (;;) {
    const Index open = donors.open_item(lack);
    share.is_complete = open < donors.count();
    const Index count = (share.is_complete ? open + 1 : open) - begin;
    std::copy_n(donors.items() + begin, count, lists.heavy + share.heavies);
    std::transform(donors.excesses() + begin, donors.excesses() + begin + count,
                   lists.heavy_slack + share.heavies,
                   [](Mass excess) { return slack_of(excess, none); });
    share.heavies += count;
    if (share.is_complete) break;
    ++share.donor;
    lists.heavy[share.heavies] = excesses[share.donor].item(0);
    if (share.heavies + excesses[share.donor].count > lists.heavy_capacity) break;
    donors.read(share.donor);
    begin = 0;
  }
  const Mass first_excess = first_sum > lack.before ? first_sum - lack.before : none;
  lists.heavy_slack[lists.heavies] = slack_of(first_excess, none);
  return share;
}

/// A part of a share that exceeded the lists: the heavy items of the exporting tiles [donor,
/// donor_end), and the light items that they fill.
template <class Mass>
struct Piece {
  std::size_t lack;
  std::size_t donor;
  std::size_t donor_end;
  Index light;
  Index light_end;
  Slack<Mass> slack;  // the overdraft of the preceding heavy items, at most 0
};

/// Cuts the rest of a share into pieces. The sums over tiles give the beginning of each piece, so
/// that pieces can be packed independently.
template <class Mass>
void cut(const std::vector<Excess<Mass>>& excesses, const Lack<Mass>& lack, std::size_t donor,
         const Lane<Mass>& lane, std::vector<Piece<Mass>>& pieces) {
  constexpr std::size_t donors_of_piece = 16;
  const TileLists<Mass>& lists = lane.lists;
  const auto is_needed = [&](std::size_t k) {
    return k < excesses.size() && (lack.is_last || excesses[k].before < lack.after);
  };
  Index light = lane.light;
  Slack<Mass> slack = lists.heavy_slack[lane.last];
  while (is_needed(donor)) {
    std::size_t end = donor;
    while (end < donor + donors_of_piece && is_needed(end)) ++end;
    Piece<Mass> piece{lane.task, donor, end, light, lists.lights, slack};
    if (is_needed(end)) {
      slack += slack_of(excesses[end].before - excesses[donor].before, Mass{0});
      while (!(slack < 0) && light < lists.lights) slack += lists.light_slack[light++];
      slack = std::min(slack, Slack<Mass>{0});
      piece.light_end = light;
    }
    pieces.push_back(piece);
    donor = end;
  }
}

/// Ends the sweep over a tile that receives items: writes the rows of the heavy items that it used
/// up.
template <class Mass, class Rows>
void finish_share(const Rows& rows, const Share& share, Mass bucket, Lane<Mass>& lane) {
  TileLists<Mass>& lists = lane.lists;
  const Index end = share.is_complete ? lane.last : lane.last + 1;
  for (Index j = lists.heavies; j < end; ++j) {
    pack::store_row(rows, bucket, lists.heavy[j], bucket + static_cast<Mass>(lists.heavy_slack[j]),
                    lists.heavy[j + 1]);
  }
  // Provisional in an incomplete share, until the pieces are packed.
  std::fill(lists.donor + lane.light, lists.donor + lists.lights, lists.heavy[lane.last]);
}

/// Writes the rows of a piece.
template <class Masses, class Rows>
void pack_piece(const Masses& masses, const Rows& rows, Donors<Masses>& donors,
                const std::vector<Excess<typename Masses::Mass>>& excesses,
                const Lack<typename Masses::Mass>& lack, const Piece<typename Masses::Mass>& piece,
                Lane<typename Masses::Mass>& lane) {
  using Mass = typename Masses::Mass;
  TileLists<Mass>& lists = lane.lists;
  if (piece.light < piece.light_end) {
    read(masses, lack.tile, items_of(lack.tile, rows.size()), lane);
  }
  lists.lights = piece.light_end;
  const Mass bucket = masses.bucket;
  Index light = piece.light;
  Slack<Mass> slack = piece.slack;
  for (std::size_t k = piece.donor; k < piece.donor_end; ++k) {
    donors.read(k);
    const Index* const items = donors.items();
    const Mass* const excesses_of_items = donors.excesses();
    const Index used = donors.open_item(lack);
    for (Index j = 0; j < used; ++j) {
      slack += slack_of(excesses_of_items[j], Mass{0});
      if (!(slack < 0)) light = fill_run(lists, light, slack, items[j]);
      slack = std::min(slack, Slack<Mass>{0});
      const Index next = j + 1 < donors.count() ? items[j + 1] : excesses[k + 1].item(0);
      pack::store_row(rows, bucket, items[j], bucket + static_cast<Mass>(slack), next);
    }
    if (k + 1 == piece.donor_end) {
      const Index last = items[std::min(used, donors.count() - 1)];
      std::fill(lists.donor + light, lists.donor + piece.light_end, last);
    }
  }
  if (piece.light == piece.light_end) return;
  const auto& tile = masses_of_tile(masses, lane);
  light = 0;
  for (Index i = lane.items.begin; i < lane.items.end && light < piece.light_end; ++i) {
    if (slack_of(tile[i], bucket) > 0) continue;
    if (light >= piece.light) {
      pack::store_row(rows, bucket, i, tile[i], lists.donor[light]);
    }
    ++light;
  }
}

template <class Masses, class Rows>
void write(const Masses& all_masses, const RowsByPlace<Rows>& rows,
           const Lane<std::uint64_t>& lane) {
  alignas(64) std::array<CompactRow, mass_tile_items> made;
  // As if they were part of a table.
  const CompactRows tile(made.data() - lane.items.begin, rows.size());
  write_tile_by_vectors<Stores::cached>(masses_of_tile(all_masses, lane), lane.items.begin,
                                        lane.items.size(), lane.lists, tile);
  rows.store_tile(lane.items, made.data());
}
template <class Masses, class Rows>
void write(const Masses& all_masses, const Rows& rows, const Lane<typename Masses::Mass>& lane) {
  const ItemRange items = lane.items;
  const auto& masses = masses_of_tile(all_masses, lane);
  const Index count = items.size();
  if constexpr (Rows::layout == Layout::struct_of_arrays) {
    write_tile(masses, items.begin, count, lane.lists, rows);
  } else if (uses_non_temporal_stores(rows.size() * sizeof(*rows.data()))) {
    write_tile_by_vectors<Stores::non_temporal>(masses, items.begin, count, lane.lists, rows);
  } else {
    write_tile_by_vectors<Stores::cached>(masses, items.begin, count, lane.lists, rows);
  }
}

// Enough tiles per task to amortise its beginning and end, where some lanes are idle.
constexpr std::uint64_t tiles_per_task = 64;

[[nodiscard]] std::size_t tasks_of(std::size_t tiles) {
  return (tiles + tiles_per_task - 1) / tiles_per_task;
}
[[nodiscard]] Range tiles_of(std::uint64_t task, std::size_t tiles) {
  return {task * tiles_per_task, std::min<std::uint64_t>(tiles, (task + 1) * tiles_per_task)};
}

/// Sweeps the tiles with an excess and records their exports, whose rows are written later. Skips
/// tiles that are known to export all items.
template <class Masses, class Rows>
void sweep_excesses(const Masses& masses, const Rows& rows, unsigned threads,
                    ThreadMemory<Lanes<typename Masses::Mass>>& memory,
                    std::vector<Excess<typename Masses::Mass>>& excesses,
                    ExportedItemLists<typename Masses::Mass>& exported) {
  using Mass = typename Masses::Mass;
  std::vector<std::size_t> swept;
  for (std::size_t k = 0; k < excesses.size(); ++k) {
    if (!excesses[k].all_heavy) swept.push_back(k);
  }
  exported.resize(tasks_of(swept.size()));
  memory.parallel_for(exported.size(), threads, [&](std::uint64_t task, Lanes<Mass>& reused) {
    const Range tiles = tiles_of(task, swept.size());
    ExportedItems<Mass>& list = exported[task];
    list.items.clear();
    list.excesses.clear();
    sweep_tiles(
        masses, rows.size(), tiles, reused, [&](std::size_t k) { return excesses[swept[k]].tile; },
        [&](const Lane<Mass>& lane) {
          const Index count = export_items(masses_of_tile(masses, lane), lane.lists,
                                           excesses[swept[lane.task]], list);
          // A tile without light items exports all its items.
          return count == 0 || lane.lists.lights == 0 ? 0 : lane.lists.heavies + 1 - count;
        },
        [&](Lane<Mass>& lane) {
          if (!lane.has_heavy) return;
          keep_rest(lane);
          write(masses, rows, lane);
        });
    fence_non_temporal_stores();
    std::size_t before = 0;
    for (std::uint64_t k = tiles.begin; k < tiles.end; ++k) {
      Excess<Mass>& tile = excesses[swept[k]];
      tile.items = list.items.data() + before;
      tile.excesses = list.excesses.data() + before;
      before += tile.count;
    }
  });
}

/// Sweeps the tiles that lack mass. Returns the pieces that are still to be packed.
template <class Masses, class Rows>
std::vector<Piece<typename Masses::Mass>> sweep_lacks(
    const Masses& masses, const Rows& rows, unsigned threads,
    ThreadMemory<Lanes<typename Masses::Mass>>& memory,
    const Balance<typename Masses::Mass>& balance) {
  using Mass = typename Masses::Mass;
  const auto& excesses = balance.excesses;
  const auto& lacks = balance.lacks;
  std::vector<std::vector<Piece<Mass>>> pieces(tasks_of(lacks.size()));
  memory.parallel_for(pieces.size(), threads, [&](std::uint64_t task, Lanes<Mass>& reused) {
    std::array<Share, tiles_per_task> shares;
    const Range tiles = tiles_of(task, lacks.size());
    const auto donors = std::make_unique<Donors<Masses>>(masses, rows.size(), excesses);
    std::size_t donor = 0;
    sweep_tiles(
        masses, rows.size(), tiles, reused, [&](std::size_t k) { return lacks[k].tile; },
        [&](Lane<Mass>& lane) {
          if (excesses.empty()) return lane.lists.heavies;
          const Lack<Mass>& lack = lacks[lane.task];
          donor = first_donor(excesses, donor, lack.before);
          Share& share = shares[lane.task - tiles.begin];
          share = append(*donors, excesses, donor, lack, lane.lists);
          return share.heavies;
        },
        [&](Lane<Mass>& lane) {
          if (!excesses.empty()) {
            const Share& share = shares[lane.task - tiles.begin];
            if (!share.is_complete) {
              cut(excesses, lacks[lane.task], share.donor, lane, pieces[task]);
            }
            finish_share(rows, share, Mass{masses.bucket}, lane);
          } else if (lane.has_heavy) {
            keep_rest(lane);
          } else {
            // All masses equal the bucket, up to rounding.
            for (Index i = lane.items.begin; i < lane.items.end; ++i) {
              rows.store(i, masses.bucket, i);
            }
            return;
          }
          write(masses, rows, lane);
        });
    fence_non_temporal_stores();
  });
  std::vector<Piece<Mass>> all;
  for (const auto& some : pieces) all.insert(all.end(), some.begin(), some.end());
  return all;
}

template <class Masses, class Rows>
void sectioned_sweep(const Masses& masses, const Rows& rows, const std::vector<double>& leaf_totals,
                     unsigned threads, ExportedItemLists<typename Masses::Mass>& exported) {
  using Mass = typename Masses::Mass;
  Balance<Mass> found = balance(masses, rows.size(), leaf_totals, threads);
  auto& excesses = found.excesses;
  auto& lacks = found.lacks;
  ThreadMemory<Lanes<Mass>> memory;
  sweep_excesses(masses, rows, threads, memory, excesses, exported);
  // An excess without heavy items is a rounding error.
  std::erase_if(excesses, [&lacks](const Excess<Mass>& tile) {
    if (tile.count == 0) lacks.push_back({tile.tile});
    return tile.count == 0;
  });
  sum_up(excesses);
  sum_up(lacks);
  if (!lacks.empty()) lacks.back().is_last = true;

  const std::vector<Piece<Mass>> pieces = sweep_lacks(masses, rows, threads, memory, found);
  memory.parallel_for(pieces.size(), threads, [&](std::uint64_t p, Lanes<Mass>& reused) {
    const auto donors = std::make_unique<Donors<Masses>>(masses, rows.size(), excesses);
    pack_piece(masses, rows, *donors, excesses, lacks[pieces[p].lack], pieces[p], reused[0]);
  });
  // The very last item absorbs the rounding errors. If no tile lacks mass, all exports are rounding
  // errors.
  for (const Excess<Mass>& tile : excesses) {
    if (!lacks.empty() && &tile != &excesses.back()) continue;
    for (Index i = lacks.empty() ? 0 : tile.count - 1; i < tile.count; ++i) {
      rows.store(tile.item(i), masses.bucket, tile.item(i));
    }
  }
}

}  // namespace

WeightSummary TiledSweepBuilder::check(WeightsView weights) {
  if (options_.arithmetic == Arithmetic::fixed_point) {
    map_ = find_tile_map(weights);
    const WeightSummary summary =
        summarise(weights, options_.threads, nullptr, &tile_weights_, &map_);
    whole_ = summary.whole;
    return summary;
  }
  return summarise(weights, options_.threads, &leaf_totals_);
}

void TiledSweepBuilder::build(WeightsView weights, const WeightSummary& summary, HostTable& table) {
  const unsigned threads = options_.threads;
  if (options_.arithmetic == Arithmetic::fixed_point) {
    std::vector<TileSum> sums(tile_weights_.size());
    std::transform(tile_weights_.begin(), tile_weights_.end(), sums.begin(),
                   [](const TileWeights& tile) { return tile.sum; });
    const MassTiles tiles{balance_mass_tiles(sums, summary.size), map_};
    prepare_table(table, options_.layout, summary.size, static_cast<double>(fixed_bucket));
    weights.visit([&]<class T>(std::span<const T> w) {
      table.visit([&](auto rows) {
        const bool exports_deficits = map_.is_mostly_heavy && tiles.any_has_excess();
        if (is_warp_parallel(form_, w.size()) && !exports_deficits &&
            warp_pairing(w, tiles, rows, threads)) {
          return;
        }
        const TiledMasses<T> masses{w, map_, tiles.tiles, tile_weights_};
        auto& exported = std::get<ExportedItemLists<std::uint64_t>>(exported_);
        if (map_.is_interleaved) {
          sectioned_sweep(masses, RowsByPlace(rows, map_), {}, threads, exported);
        } else {
          sectioned_sweep(masses, rows, {}, threads, exported);
        }
      });
    });
    return;
  }
  prepare_table(table, options_.layout, summary.size, summary.bucket());
  with_scaled_weights(weights, summary, table, [&](auto masses, auto rows) {
    sectioned_sweep(masses, rows, leaf_totals_, threads,
                    std::get<ExportedItemLists<double>>(exported_));
  });
}

}  // namespace wrsgpu::detail
