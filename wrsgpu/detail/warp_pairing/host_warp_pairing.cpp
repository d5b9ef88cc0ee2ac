#include "wrsgpu/detail/warp_pairing/host_warp_pairing.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>

#include "wrsgpu/detail/core/non_temporal_stores.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/tile_reader.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/detail/warp_pairing/lane_names.hpp"
#include "wrsgpu/detail/warp_pairing/lane_vectors.hpp"

namespace wrsgpu::detail {
namespace {

using warp_pairing::half_items;
using warp_pairing::ItemSet;
using warp_pairing::Lanes;
using warp_pairing::lanes;
using warp_pairing::List;
using warp_pairing::Lists;
using warp_pairing::max_received;
using warp_pairing::Name;
using warp_pairing::row_word;
using warp_pairing::rowless;
using warp_pairing::tile_names;
using warp_pairing::Word;

/// The exports of a tile with an excess, in order.
struct TileExports {
  std::uint64_t before = 0;  ///< sum of the excesses of the preceding tiles
  std::uint64_t excess = 0;
  Index tile = 0;
  std::vector<Index> items;
  std::vector<std::uint64_t> inclusive_sum;  ///< inclusive scan of these items' excesses
  /// Surplus of these excesses over the tile's excess; the tile keeps it as the residual.
  [[nodiscard]] std::uint64_t over() const { return inclusive_sum.back() - excess; }
};

/// A tile without an excess.
struct Lack {
  std::uint64_t before;  ///< sum of the deficits of the preceding tiles
  std::uint64_t amount;
  std::size_t donor;  ///< first tile with an excess that those do not use up
};

/// Exchange of one tile with the others.
struct Exchange {
  Exchange() { beyond.back() = 0; }

  ItemSet exported_mask;  ///< items that it exports
  Index received = 0;
  /// Items denoted by names from `mass_tile_items` on: the received items, then the item without a
  /// row.
  std::array<Index, max_received + 1> beyond;
  std::array<std::uint64_t, max_received> excesses;
  std::uint64_t residual = 0;  ///< mass of the item `rowless`
};

/// Builds the rows of one tile.
class TileSweep {
 public:
  explicit TileSweep(HostCode code) : vectors_(warp_pairing::vector_loops(code)) {}

  /// Destination of the masses of the tile's own items.
  [[nodiscard]] std::uint64_t* masses() { return words_.data(); }

  void make_rows(Index items, const Exchange& exchange) {
    list(items, exchange);
    std::array<std::uint64_t, 2> residuals{exchange.residual / 2,
                                           exchange.residual - exchange.residual / 2};
    for (std::size_t half = 0; half < 2; ++half) sweep_half(lists_[half], residuals[half]);
    lists_[0].lights.append(lists_[1].lights);
    lists_[0].heavies.append(lists_[1].heavies);
    sweep_rest(lists_[0]);
  }

  /// Stores the rows of the tile's items, except exported ones, and the rows of received items.
  template <class Rows>
  void store(const Rows& rows, const TileItems& items, const Exchange& exchange) const {
    Index i = 0;
    if constexpr (Rows::layout == Layout::compact_rows) {
      if (vectors_ != nullptr && !items.is_interleaved()) {
        i = vectors_->store(words_.data(), items(0), items.size(), exchange.exported_mask,
                            exchange.beyond.data(), rows);
      }
    }
    std::array<Index, tile_names + 1> item_of_name;
    write_items(items, item_of_name.data());
    std::copy(exchange.beyond.begin(), exchange.beyond.end(),
              item_of_name.begin() + mass_tile_items);
    const auto store_row = [&](Index name) {
      const Name alias = warp_pairing::alias_of(words_[name]);
      const Index own = warp_pairing::own_of(words_[name]);
      rows.store(item_of_name[name], own == 0 && alias == name ? fixed_bucket : std::uint64_t{own},
                 item_of_name[alias]);
    };
    const auto store_up_to = [&](Index end) {
      for (; i < end; ++i) {
        if (!exchange.exported_mask.contains(i)) store_row(i);
      }
    };
    if constexpr (Rows::layout == Layout::compact_rows) {
      while (items.is_interleaved() && i + chunk_items <= items.size()) {
        const Index item = item_of_name[i];
        if (exchange.exported_mask.sixty_four(i) != 0 ||
            !rows_use_non_temporal_stores(rows, item)) {
          store_up_to(i + chunk_items);
          continue;
        }
        store_by_non_temporal_stores<chunk_items>(rows, item, [&](Index k) -> CompactRow {
          const std::uint64_t word = words_[i + k];
          return {warp_pairing::own_of(word), item_of_name[warp_pairing::alias_of(word)]};
        });
        i += chunk_items;
      }
    }
    store_up_to(items.size());
    for (Index j = 0; j < exchange.received; ++j) store_row(mass_tile_items + j);
  }

 private:
  void list(Index items, const Exchange& exchange) {
    for (Index half = 0; half < 2; ++half) {
      Lists& lists = lists_[half];
      lists.lights.clear();
      lists.heavies.clear();
      Index i = std::min(half * half_items, items);
      const Index end = std::min(i + half_items, items);
      if (vectors_ != nullptr)
        i = vectors_->list(words_.data(), i, end, exchange.exported_mask, lists);
      // Whether an item is light is unpredictable, so it is stored in both lists, and only one end
      // advances.
      Name* light = lists.lights.end();
      Name* heavy = lists.heavies.end();
      for (; i < end; ++i) {
        const std::ptrdiff_t is_here = exchange.exported_mask.contains(i) ? 0 : 1;
        const auto is_light =
            is_here & static_cast<std::ptrdiff_t>(light_bits(excess_of(words_[i])));
        *light = *heavy = static_cast<Name>(i);
        light += is_light;
        heavy += is_here - is_light;
      }
      lists.lights.end_at(light);
      lists.heavies.end_at(heavy);
    }
    for (Index j = 0; j < exchange.received; ++j) {
      words_[mass_tile_items + j] = fixed_bucket + exchange.excesses[j];
      lists_[1].heavies.push(static_cast<Name>(mass_tile_items + j));
    }
  }

  [[nodiscard]] static std::int64_t excess_of(std::uint64_t mass) {
    return static_cast<std::int64_t>(mass - fixed_bucket);
  }
  void take(Lanes& current, Index lane, Name name) const {
    current.item[lane] = name;
    current.excess[lane] = excess_of(words_[name]);
  }

  /// All ones if an item with this excess is light, otherwise 0. A branch would be mispredicted
  /// half of the time.
  [[nodiscard]] static std::uint64_t light_bits(std::int64_t excess) {
    return static_cast<std::uint64_t>(excess >> 63);
  }
  template <class Number>
  [[nodiscard]] static Number chosen(std::uint64_t bits, Number one, Number other) {
    return static_cast<Number>(other ^ ((one ^ other) & bits));
  }

  /// One step of a lane: the item that it takes fills its current item, or is filled by it. Builds
  /// the row of the light one.
  void step(Lanes& current, Index lane, Name taken) {
    const Name item = current.item[lane];
    const std::int64_t excess = current.excess[lane];
    const std::uint64_t is_light = light_bits(excess);
    const Name alias = chosen(is_light, taken, item);
    const std::uint64_t mass = words_[taken];
    const std::uint64_t own = chosen(is_light, static_cast<std::uint64_t>(excess), mass);
    words_[chosen(is_light, item, taken)] = row_word(own, alias);
    current.item[lane] = alias;
    current.excess[lane] = excess + static_cast<std::int64_t>(mass - fixed_bucket);
  }

  /// One step of all lanes, if there are enough items of both kinds.
  void step_all(Lanes& current, Lists& lists) {
    const Name* light = lists.lights.data();
    const Name* heavy = lists.heavies.data();
    for (Index lane = 0; lane < lanes; ++lane) {
      const std::uint64_t is_light = light_bits(current.excess[lane]);
      const Name taken = chosen(is_light, *heavy, *light);
      const auto takes_heavy = static_cast<std::ptrdiff_t>(is_light & 1);
      light += 1 - takes_heavy;
      heavy += takes_heavy;
      step(current, lane, taken);
    }
    lists.heavies.drop(static_cast<Index>(heavy - lists.heavies.data()));
    lists.lights.drop(static_cast<Index>(light - lists.lights.data()));
  }

  /// One step of the lanes that find an item, unless fewer than `minimum` do.
  [[nodiscard]] bool step_some(Lanes& current, Lists& lists, Index minimum) {
    Index light_lanes = 0;
    for (Index lane = 0; lane < lanes; ++lane) {
      light_lanes += static_cast<Index>(light_bits(current.excess[lane]) & 1);
    }
    // Of the light items, which lanes with heavy items take, and of the heavy items.
    const std::array<Index, 2> ends = {std::min(lanes - light_lanes, lists.lights.size()),
                                       std::min(light_lanes, lists.heavies.size())};
    if (ends[0] + ends[1] < minimum) return false;
    const std::array<const Name*, 2> names = {lists.lights.data(), lists.heavies.data()};
    std::array<Index, 2> next = {0, 0};
    for (Index lane = 0; lane < lanes; ++lane) {
      const std::size_t from = light_bits(current.excess[lane]) & 1U;
      if (next[from] < ends[from]) step(current, lane, names[from][next[from]++]);
    }
    lists.lights.drop(ends[0]);
    lists.heavies.drop(ends[1]);
    return true;
  }

  /// Steps while at least `minimum` lanes find an item (`min_active_beside_heavies` while there are
  /// heavy items). All lanes have a current item.
  void step_lanes(Lanes& current, Lists& lists, Index minimum, Index min_active_beside_heavies) {
    if (vectors_ != nullptr) {
      vectors_->step(words_.data(), current, lists, minimum, min_active_beside_heavies);
      return;
    }
    while (lists.lights.size() >= lanes && lists.heavies.size() >= lanes) {
      step_all(current, lists);
    }
    while (
        step_some(current, lists, lists.heavies.size() > 0 ? min_active_beside_heavies : minimum)) {
    }
  }

  void sweep_half(Lists& lists, std::uint64_t& residual) {
    auto& [lights, heavies] = lists;
    if (heavies.size() < lanes) return;
    Lanes current;
    for (Index lane = 0; lane < lanes; ++lane) take(current, lane, heavies[lane]);
    heavies.drop(lanes);
    step_lanes(current, lists, warp_pairing::min_active_lanes_in_half,
               warp_pairing::min_active_lanes_in_half);
    fill_runs(current, lights, residual);
    // Pushes the current items to the front of the lists.
    for (Index lane = lanes; lane-- > 0;) {
      const Name item = current.item[lane];
      words_[item] = fixed_bucket + static_cast<std::uint64_t>(current.excess[lane]);
      (current.excess[lane] >= 0 ? heavies : lights).push_front(item);
    }
  }

  /// The first current item with enough excess, or else the residual, fills the next light items,
  /// one per lane.
  void fill_runs(Lanes& current, List& lights, std::uint64_t& residual) {
    constexpr std::int64_t minimum =
        warp_pairing::run_buckets * static_cast<std::int64_t>(fixed_bucket);
    if (vectors_ != nullptr) {
      vectors_->fill_runs(words_.data(), current, lights, residual, minimum);
      return;
    }
    while (lights.size() >= lanes) {
      const auto largest = *std::max_element(current.excess.begin(), current.excess.end());
      if (largest < minimum && residual < static_cast<std::uint64_t>(minimum)) return;
      std::uint64_t run = 0;
      for (Index k = 0; k < lanes; ++k) run += fixed_bucket - words_[lights[k]];
      const auto can = std::find_if(
          current.excess.begin(), current.excess.end(),
          [run](std::int64_t excess) { return excess >= static_cast<std::int64_t>(run); });
      Name alias = rowless;
      if (can != current.excess.end()) {
        *can -= static_cast<std::int64_t>(run);
        alias = current.item[static_cast<std::size_t>(can - current.excess.begin())];
      } else if (residual >= run) {
        residual -= run;
      } else {
        return;
      }
      for (Index k = 0; k < lanes; ++k) fill(lights[k], alias);
      lights.drop(lanes);
    }
  }

  void sweep_rest(Lists& lists) {
    auto& [lights, heavies] = lists;
    Lanes current;
    const Index first_heavies = std::min(heavies.size(), lanes);
    const Index first_lights = std::min(lights.size(), lanes - first_heavies);
    current.count = first_heavies + first_lights;
    for (Index lane = 0; lane < first_heavies; ++lane) take(current, lane, heavies[lane]);
    for (Index lane = 0; lane < first_lights; ++lane) {
      take(current, first_heavies + lane, lights[lane]);
    }
    heavies.drop(first_heavies);
    lights.drop(first_lights);
    // Otherwise the lists are empty.
    if (current.count == lanes) step_lanes(current, lists, warp_pairing::min_active_lanes, 1);
    merge(current, lights);
    // Each of the remaining heavy items has exactly one bucket.
    for (Index i = 0; i < heavies.size(); ++i) keep_all(heavies[i]);
  }

  /// Builds the row of a light item.
  void fill(Name item, Name alias) { words_[item] = row_word(words_[item], alias); }
  void keep_all(Name item) { words_[item] = row_word(0, item); }

  /// Builds the rows of the current items and of the remaining light items by a merge. The last
  /// heavy item is the residual, with the mass that the others leave.
  void merge(const Lanes& current, const List& lights) {
    std::array<Name, lanes> heavy;
    std::array<std::uint64_t, lanes> inclusive_sum;
    Index heavies = 0;
    std::uint64_t total = 0;
    for (Index lane = 0; lane < current.count; ++lane) {
      if (current.excess[lane] < 0) continue;
      total += static_cast<std::uint64_t>(current.excess[lane]);
      heavy[heavies] = current.item[lane];
      inclusive_sum[heavies++] = total;
    }
    const auto name_of = [&](Index h) { return h < heavies ? heavy[h] : rowless; };
    Index donor = 0;   // fills the next light item
    Index closed = 0;  // number of heavy items whose rows are complete
    std::uint64_t before = 0;
    const auto add = [&](Name item, std::uint64_t mass) {
      while (donor < heavies && inclusive_sum[donor] < before) ++donor;
      words_[item] = row_word(mass, name_of(donor));
      before += fixed_bucket - mass;
      for (; closed < heavies && inclusive_sum[closed] < before; ++closed) {
        words_[heavy[closed]] =
            row_word(fixed_bucket + inclusive_sum[closed] - before, name_of(closed + 1));
      }
    };
    for (Index lane = 0; lane < current.count; ++lane) {
      const std::int64_t excess = current.excess[lane];
      if (excess >= 0) continue;
      add(current.item[lane], fixed_bucket + static_cast<std::uint64_t>(excess));
    }
    // The residual fills all light items after the end of the last other donor.
    Index i = 0;
    for (; i < lights.size() && closed < heavies; ++i) add(lights[i], words_[lights[i]]);
    if (vectors_ != nullptr) i = vectors_->fill(words_.data(), lights, i, rowless);
    for (; i < lights.size(); ++i) fill(lights[i], rowless);
    for (; closed < heavies; ++closed) keep_all(heavy[closed]);
  }

  const warp_pairing::VectorLoops* vectors_;
  std::array<Word, tile_names + 1> words_;  // and one for `rowless`, which loops may access
  std::array<Lists, 2> lists_;
};

template <class T>
[[nodiscard]] auto bits_of(T weight) {
  using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  return weight > 0 ? std::bit_cast<Bits>(weight) : Bits{0};
}

/// The heaviest item, by `group_key`, of the group of a tile that begins with `begin`.
template <class T>
[[nodiscard]] Index candidate_of(std::span<const T> weights, Index begin) {
  const auto count =
      static_cast<Index>(std::min<std::size_t>(warp_pairing::group_items, weights.size() - begin));
  auto heaviest = warp_pairing::group_key(bits_of(weights[begin]), 0);
  for (Index k = 1; k < count; ++k) {
    heaviest = std::max(heaviest, warp_pairing::group_key(bits_of(weights[begin + k]), k));
  }
  return begin + warp_pairing::place_of(heaviest);
}

/// Chooses the exports of a tile. Returns false if its items do not have enough excess.
template <class T>
[[nodiscard]] bool choose(std::span<const T> weights, const MassTile& tile, TileExports& exported) {
  const IntegerWeight<T, std::uint64_t> integer(tile.shift, tile.slope);
  std::uint64_t minimum = warp_pairing::min_excess(exported.excess, warp_pairing::tile_groups);
  std::uint64_t inclusive_sum = 0;
  ItemSet taken;
  const auto take = [&](Index item) {
    const std::uint64_t mass = integer.nearest(weights[item]);
    if (mass < fixed_bucket + minimum) return false;
    inclusive_sum += mass - fixed_bucket;
    taken.insert(item);
    exported.items.push_back(item);
    exported.inclusive_sum.push_back(inclusive_sum);
    return inclusive_sum >= exported.excess;
  };
  const auto items = static_cast<Index>(weights.size());
  for (Index begin = 0; begin < items; begin += warp_pairing::group_items) {
    if (take(candidate_of(weights, begin))) return true;
  }
  std::size_t count_before = 0;
  for (Index round = 0;
       round < warp_pairing::max_more_rounds && exported.items.size() > count_before; ++round) {
    count_before = exported.items.size();
    const Index places = warp_pairing::tile_groups - static_cast<Index>(count_before);
    minimum = warp_pairing::min_excess(exported.excess - inclusive_sum, places);
    for (Index item = 0; item < items; ++item) {
      if (!taken.contains(item) && take(item)) return true;
    }
  }
  return false;
}

/// Assigns exports to a tile that lacks mass. Returns false if it would receive too many.
[[nodiscard]] bool receive(const std::vector<TileExports>& donors, const TileMap& map,
                           const Lack& lack, Exchange& exchange) {
  const std::uint64_t end = lack.before + lack.amount;
  for (std::size_t d = lack.donor; d < donors.size() && donors[d].before < end; ++d) {
    const TileExports& donor = donors[d];
    for (std::size_t k = 0; k < donor.items.size(); ++k) {
      const std::uint64_t begins =
          std::max(donor.before + (k == 0 ? 0 : donor.inclusive_sum[k - 1]), lack.before);
      const std::uint64_t ends = donor.before + std::min(donor.inclusive_sum[k], donor.excess);
      if (ends <= lack.before) continue;
      if (begins >= end) return true;
      const Index item = map[donor.tile](donor.items[k]);
      if (ends > end) {
        exchange.residual = end - begins;
        exchange.beyond[max_received] = item;
        return true;
      }
      if (exchange.received == max_received) return false;
      exchange.beyond[exchange.received] = item;
      exchange.excesses[exchange.received++] = ends - begins;
    }
  }
  return true;
}

constexpr std::uint64_t task_tiles = 64;

}  // namespace

template <class T, class Rows>
bool warp_pairing(std::span<const T> weights, const MassTiles& mass_tiles, const Rows& rows,
                  unsigned threads, HostCode code) {
  const std::vector<MassTile>& tiles = mass_tiles.tiles;
  const TileMap& map = mass_tiles.map;
  std::vector<TileExports> donors;
  std::vector<Lack> lacks;
  std::vector<std::size_t> place(tiles.size());  // index in its list
  mass_tiles.for_each_balance(
      [&](std::uint64_t t, std::uint64_t amount, std::uint64_t before) {
        place[t] = donors.size();
        donors.push_back({before, amount, static_cast<Index>(t), {}, {}});
      },
      [&](std::uint64_t t, std::uint64_t amount, std::uint64_t before) {
        place[t] = lacks.size();
        lacks.push_back({before, amount, 0});
      });
  std::size_t donor = 0;
  for (Lack& lack : lacks) {
    while (donor < donors.size() && donors[donor].before + donors[donor].excess <= lack.before) {
      ++donor;
    }
    lack.donor = donor;
  }
  std::atomic<bool> is_supported = true;
  std::atomic<Index> overflow_count = 0;
  const Index max_overflow_tiles =
      warp_pairing::max_overflow_tiles(static_cast<Index>(tiles.size()));
  const std::uint64_t tasks = (tiles.size() + task_tiles - 1) / task_tiles;
  parallel_for(tasks, threads, [&](std::uint64_t task) {
    const std::uint64_t end = std::min<std::uint64_t>(tiles.size(), (task + 1) * task_tiles);
    TileReader<T> reader(weights, map);
    for (std::uint64_t k = task * task_tiles; k < end && is_supported; ++k) {
      const std::uint64_t t = map.in_memory(k);
      if (!mass_tiles.has_excess(t)) continue;
      if (!choose(reader.read(t), tiles[t], donors[place[t]])) is_supported = false;
    }
  });
  if (!is_supported) return false;
  parallel_for(tasks, threads, [&](std::uint64_t task) {
    const std::uint64_t end = std::min<std::uint64_t>(tiles.size(), (task + 1) * task_tiles);
    const auto sweep = std::make_unique<TileSweep>(code);
    TileReader<T> reader(weights, map);
    for (std::uint64_t k = task * task_tiles; k < end && is_supported; ++k) {
      const std::uint64_t t = map.in_memory(k);
      const std::span<const T> own = reader.read(t);
      Exchange exchange;
      bool is_tile_supported = true;
      if (mass_tiles.has_excess(t)) {
        const TileExports& exported = donors[place[t]];
        for (const Index item : exported.items) exchange.exported_mask.insert(item);
        exchange.residual = exported.over();
        exchange.beyond[max_received] = map[t](exported.items.back());
      } else {
        is_tile_supported = receive(donors, map, lacks[place[t]], exchange);
        const bool is_overflow = exchange.received > warp_pairing::typical_received;
        if (is_overflow && ++overflow_count > max_overflow_tiles) is_tile_supported = false;
      }
      if (is_tile_supported) {
        const GivenUnits units = write_masses(own, tiles[t], sweep->masses());
        is_tile_supported =
            units.only_by_first_ones &&
            (units.end <= half_items || units.count > warp_pairing::max_units_of_first_half);
      }
      if (!is_tile_supported) {
        is_supported = false;
        break;
      }
      const auto items = static_cast<Index>(own.size());
      sweep->make_rows(items, exchange);
      sweep->store(rows, map[t], exchange);
    }
    fence_non_temporal_stores();
  });
  return is_supported;
}

#define WRSGPU_WARP_PAIRING(T, Rows) \
  template bool warp_pairing(std::span<const T>, const MassTiles&, const Rows&, unsigned, HostCode);
#define WRSGPU_WARP_PAIRING_OF(T)     \
  WRSGPU_WARP_PAIRING(T, WideRows)    \
  WRSGPU_WARP_PAIRING(T, ArrayRows)   \
  WRSGPU_WARP_PAIRING(T, CompactRows) \
  WRSGPU_WARP_PAIRING(T, NarrowStoreRows)
WRSGPU_WARP_PAIRING_OF(float)
WRSGPU_WARP_PAIRING_OF(double)

}  // namespace wrsgpu::detail
