#include "wrsgpu/cpu_reference/lane_sweep.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>

#include "wrsgpu/construction/quantise.hpp"
#include "wrsgpu/construction/rows.hpp"
#include "wrsgpu/core/parallel.hpp"

namespace wrsgpu::detail {
namespace {

using lane_sweep::half_items;
using lane_sweep::lanes;
using lane_sweep::most_received;

/// Items of a tile, and behind them those that it receives.
using Name = std::uint16_t;
constexpr Index tile_names = mass_tile_items + most_received;
/// An alias that has its row in another tile, and fills part of one or more rows of this.
constexpr Name rowless = tile_names;

/// What a tile with an excess hands on, in order.
struct HandedOn {
  std::uint64_t before = 0;  ///< excesses of the tiles before it
  std::uint64_t excess = 0;
  Index tile = 0;
  std::vector<Index> items;
  std::vector<std::uint64_t> up_to;  ///< excesses of these items, up to and with each
  /// What the last one has beyond the tile's excess, and gives to the tile.
  [[nodiscard]] std::uint64_t over() const { return up_to.back() - excess; }
};

/// A tile that lacks mass, or has as much as its buckets take.
struct Lack {
  Index tile;
  std::uint64_t before;  ///< what those before it lack
  std::uint64_t mass;
  std::size_t donor;  ///< the first tile with an excess that is not used up by those
};

/// What one tile has to do with the others.
struct Exchange {
  std::span<const Index> gone;  ///< items that it hands on, sorted
  Index received = 0;
  std::array<Index, most_received> items;
  std::array<std::uint64_t, most_received> excesses;
  std::uint64_t piece = 0;  ///< mass of an item whose row is in another tile
  Index piece_item = 0;
};

/// Names in order, at the front of which there is room for those that come back.
class List {
 public:
  void clear() { begin_ = end_ = 0; }
  void push(Name name) { names_[end_++] = name; }
  /// Where the next one is pushed, for those who push many, and say where they ended.
  [[nodiscard]] Name* end() { return names_.data() + end_; }
  void end_at(const Name* end) { end_ = static_cast<Index>(end - names_.data()); }
  void push_front(Name name) { names_[--begin_] = name; }
  [[nodiscard]] Name operator[](Index i) const { return names_[begin_ + i]; }
  [[nodiscard]] Index size() const { return end_ - begin_; }
  void drop(Index count) { begin_ += count; }
  [[nodiscard]] const Name* data() const { return names_.data() + begin_; }
  void append(const List& rest) {
    std::copy_n(rest.data(), rest.size(), names_.data() + end_);
    end_ += rest.size();
  }

 private:
  std::array<Name, tile_names + 1> names_;  // one more than are pushed
  Index begin_ = 0;
  Index end_ = 0;
};

/// The rows of one tile.
class TileSweep {
 public:
  /// `masses` are those of the tile's own items.
  void make_rows(std::span<const std::uint64_t> masses, const Exchange& exchange) {
    fill(masses, exchange);
    std::array<std::uint64_t, 2> pieces{exchange.piece / 2, exchange.piece - exchange.piece / 2};
    for (std::size_t half = 0; half < 2; ++half) {
      sweep_half(lights_[half], heavies_[half], pieces[half]);
    }
    lights_[0].append(lights_[1]);
    heavies_[0].append(heavies_[1]);
    sweep_rest(lights_[0], heavies_[0], pieces[0] + pieces[1]);
  }

  /// What the item's row keeps, modulo 2^32, and its alias.
  [[nodiscard]] Index own(Index name) const { return static_cast<Index>(mass_[name]); }
  [[nodiscard]] Name alias(Index name) const { return alias_[name]; }

 private:
  /// Of each lane the current item, and what that has beyond a bucket.
  struct Lanes {
    std::array<Name, lanes> item;
    std::array<std::int64_t, lanes> excess;
    Index count = lanes;
  };

  void fill(std::span<const std::uint64_t> masses, const Exchange& exchange) {
    std::copy(masses.begin(), masses.end(), mass_.begin());
    const auto items = static_cast<Index>(masses.size());
    // Items that are handed on end the ranges in which no item is.
    std::size_t next_gone = 0;
    for (Index half = 0; half < 2; ++half) {
      List& lights = lights_[half];
      List& heavies = heavies_[half];
      lights.clear();
      heavies.clear();
      // Which list gets an item follows no pattern: both do, but the next one may take its place.
      Name* light = lights.end();
      Name* heavy = heavies.end();
      const Index begin = std::min(half * half_items, items);
      const Index end = std::min(begin + half_items, items);
      for (Index i = begin; i < end; ++i) {
        const bool is_next = next_gone < exchange.gone.size() && exchange.gone[next_gone] < end;
        const Index stop = is_next ? exchange.gone[next_gone++] : end;
        for (; i < stop; ++i) {
          const std::ptrdiff_t is_light = mass_[i] < fixed_bucket ? 1 : 0;
          *light = *heavy = static_cast<Name>(i);
          light += is_light;
          heavy += 1 - is_light;
        }
      }
      lights.end_at(light);
      heavies.end_at(heavy);
    }
    for (Index j = 0; j < exchange.received; ++j) {
      mass_[mass_tile_items + j] = fixed_bucket + exchange.excesses[j];
      heavies_[1].push(static_cast<Name>(mass_tile_items + j));
    }
  }

  void take(Lanes& current, Index lane, Name name) {
    current.item[lane] = name;
    current.excess[lane] = static_cast<std::int64_t>(mass_[name] - fixed_bucket);
  }

  /// All bits if an item with this excess is light, or none. Whether it is follows no pattern, so a
  /// branch would be foreseen half of the time.
  [[nodiscard]] static Name light_bits(std::int64_t excess) {
    return static_cast<Name>(excess >> 63);
  }
  [[nodiscard]] static Name chosen(Name bits, Name one, Name other) {
    return static_cast<Name>(other ^ ((one ^ other) & bits));
  }

  /// One step of a lane: the item that it takes fills its current one, or is filled by it. The row
  /// of the light one of both is made.
  void step(Lanes& current, Index lane, Name taken) {
    const Name item = current.item[lane];
    const std::int64_t excess = current.excess[lane];
    const Name is_light = light_bits(excess);
    const Name alias = chosen(is_light, taken, item);
    const std::uint64_t mass = mass_[taken];
    mass_[item] = fixed_bucket + static_cast<std::uint64_t>(excess);
    alias_[chosen(is_light, item, taken)] = alias;
    current.item[lane] = alias;
    current.excess[lane] = excess + static_cast<std::int64_t>(mass - fixed_bucket);
  }

  /// A step of all lanes; there are enough items of both kinds.
  void step_all(Lanes& current, List& lights, List& heavies) {
    const Name* light = lights.data();
    const Name* heavy = heavies.data();
    for (Index lane = 0; lane < lanes; ++lane) {
      const Name is_light = light_bits(current.excess[lane]);
      const Name taken = chosen(is_light, *heavy, *light);
      const std::ptrdiff_t takes_heavy = is_light & 1;
      light += 1 - takes_heavy;
      heavy += takes_heavy;
      step(current, lane, taken);
    }
    heavies.drop(static_cast<Index>(heavy - heavies.data()));
    lights.drop(static_cast<Index>(light - lights.data()));
  }

  /// A step of those lanes that find an item, unless they are fewer than `least`.
  [[nodiscard]] bool step_some(Lanes& current, List& lights, List& heavies, Index least) {
    Index light_lanes = 0;
    for (Index lane = 0; lane < current.count; ++lane) {
      light_lanes += light_bits(current.excess[lane]) & 1U;
    }
    // Of light items, which heavy ones take, and of heavy items.
    const std::array<Index, 2> ends = {std::min(current.count - light_lanes, lights.size()),
                                       std::min(light_lanes, heavies.size())};
    if (ends[0] + ends[1] < least) return false;
    const std::array<const Name*, 2> lists = {lights.data(), heavies.data()};
    std::array<Index, 2> next = {0, 0};
    for (Index lane = 0; lane < current.count; ++lane) {
      const std::size_t from = light_bits(current.excess[lane]) & 1U;
      if (next[from] < ends[from]) step(current, lane, lists[from][next[from]++]);
    }
    lights.drop(ends[0]);
    heavies.drop(ends[1]);
    return true;
  }

  void sweep_half(List& lights, List& heavies, std::uint64_t& piece) {
    if (heavies.size() < lanes) return;
    Lanes current;
    for (Index lane = 0; lane < lanes; ++lane) take(current, lane, heavies[lane]);
    heavies.drop(lanes);
    while (lights.size() >= lanes && heavies.size() >= lanes) step_all(current, lights, heavies);
    while (step_some(current, lights, heavies, lane_sweep::least_going_in_half)) {
    }
    fill_runs(current, lights, piece);
    // The current items come back to the lists, and are in front.
    for (Index lane = lanes; lane-- > 0;) {
      const Name item = current.item[lane];
      mass_[item] = fixed_bucket + static_cast<std::uint64_t>(current.excess[lane]);
      (current.excess[lane] >= 0 ? heavies : lights).push_front(item);
    }
  }

  /// The next light items, as many as there are lanes, are filled by the first current item that
  /// can, or else by the piece.
  void fill_runs(Lanes& current, List& lights, std::uint64_t& piece) {
    constexpr std::int64_t least =
        lane_sweep::run_buckets * static_cast<std::int64_t>(fixed_bucket);
    while (lights.size() >= lanes) {
      const auto largest = *std::max_element(current.excess.begin(), current.excess.end());
      if (largest < least && piece < static_cast<std::uint64_t>(least)) return;
      std::uint64_t run = 0;
      for (Index k = 0; k < lanes; ++k) run += fixed_bucket - mass_[lights[k]];
      const auto can = std::find_if(
          current.excess.begin(), current.excess.end(),
          [run](std::int64_t excess) { return excess >= static_cast<std::int64_t>(run); });
      Name alias = rowless;
      if (can != current.excess.end()) {
        *can -= static_cast<std::int64_t>(run);
        alias = current.item[static_cast<std::size_t>(can - current.excess.begin())];
      } else if (piece >= run) {
        piece -= run;
      } else {
        return;
      }
      for (Index k = 0; k < lanes; ++k) alias_[lights[k]] = alias;
      lights.drop(lanes);
    }
  }

  void sweep_rest(List& lights, List& heavies, std::uint64_t piece) {
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
    while (step_some(current, lights, heavies, heavies.size() > 0 ? 1 : lane_sweep::least_going)) {
    }
    merge(current, lights, piece);
    // Heavy items that are left have just a bucket.
    for (Index i = 0; i < heavies.size(); ++i) keep_all(heavies[i]);
  }

  void keep_all(Name item) {
    mass_[item] = 0;
    alias_[item] = item;
  }

  /// The rows of the current items and of the light items that are left, by the rules of a merge.
  /// The last heavy item is the piece.
  void merge(const Lanes& current, const List& lights, std::uint64_t piece) {
    std::array<Name, lanes> heavy;
    std::array<std::uint64_t, lanes> up_to;
    Index heavies = 0;
    std::uint64_t total = 0;
    for (Index lane = 0; lane < current.count; ++lane) {
      if (current.excess[lane] < 0) continue;
      total += static_cast<std::uint64_t>(current.excess[lane]);
      heavy[heavies] = current.item[lane];
      up_to[heavies++] = total;
    }
    total += piece;
    const auto name_of = [&](Index h) { return h < heavies ? heavy[h] : rowless; };
    Index donor = 0;   // of the next light item
    Index closed = 0;  // heavy items whose rows are made
    std::uint64_t before = 0;
    const auto add = [&](Name item, std::uint64_t deficit) {
      while (donor < heavies && up_to[donor] < before) ++donor;
      alias_[item] = name_of(donor);
      before += deficit;
      for (; closed < heavies && up_to[closed] < before; ++closed) {
        mass_[heavy[closed]] = fixed_bucket + up_to[closed] - before;
        alias_[heavy[closed]] = name_of(closed + 1);
      }
    };
    for (Index lane = 0; lane < current.count; ++lane) {
      const std::int64_t excess = current.excess[lane];
      if (excess >= 0) continue;
      mass_[current.item[lane]] = fixed_bucket + static_cast<std::uint64_t>(excess);
      add(current.item[lane], static_cast<std::uint64_t>(-excess));
    }
    for (Index i = 0; i < lights.size(); ++i) add(lights[i], fixed_bucket - mass_[lights[i]]);
    for (; closed < heavies; ++closed) keep_all(heavy[closed]);
  }

  /// Of an item whose row is not made, its mass; of others, what the row keeps.
  std::array<std::uint64_t, tile_names> mass_;
  std::array<Name, tile_names> alias_;
  std::array<List, 2> lights_;
  std::array<List, 2> heavies_;
};

template <class T>
[[nodiscard]] auto bits_of(T weight) {
  using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  return weight > 0 ? std::bit_cast<Bits>(weight) : Bits{0};
}

/// The heaviest item of a tile's group that begins with `begin`; beyond the last item where only
/// items that are missing compare as heaviest.
template <class T>
[[nodiscard]] Index candidate_of(std::span<const T> weights, Index begin) {
  const auto count =
      static_cast<Index>(std::min<std::size_t>(lane_sweep::group_items, weights.size() - begin));
  auto heaviest = lane_sweep::group_key(bits_of(weights[begin]), 0);
  for (Index k = 1; k < count; ++k) {
    heaviest = std::max(heaviest, lane_sweep::group_key(bits_of(weights[begin + k]), k));
  }
  return begin + lane_sweep::place_of(heaviest);
}

/// Chooses what a tile hands on. Returns false where its items do not have enough.
template <class T>
[[nodiscard]] bool choose(std::span<const T> weights, const MassTile& tile, HandedOn& handed_on) {
  const IntegerWeight<T, std::uint64_t> integer(tile.shift, tile.slope);
  std::uint64_t least = lane_sweep::least_excess(handed_on.excess, lane_sweep::tile_groups);
  std::uint64_t up_to = 0;
  const auto take = [&](Index item) {
    const std::uint64_t mass = integer.nearest(weights[item]);
    if (mass < fixed_bucket + least) return false;
    up_to += mass - fixed_bucket;
    handed_on.items.push_back(item);
    handed_on.up_to.push_back(up_to);
    return up_to >= handed_on.excess;
  };
  const auto items = static_cast<Index>(weights.size());
  for (Index begin = 0; begin < items; begin += lane_sweep::group_items) {
    const Index item = candidate_of(weights, begin);
    if (item < items && take(item)) return true;
  }
  if (!lane_sweep::others_may_be_handed_on(up_to, handed_on.excess)) return false;
  const std::vector<Index> candidates = handed_on.items;
  const Index places = lane_sweep::tile_groups - static_cast<Index>(candidates.size());
  least = lane_sweep::least_excess(handed_on.excess - up_to, places);
  for (Index item = 0; item < items; ++item) {
    if (!std::binary_search(candidates.begin(), candidates.end(), item) && take(item)) return true;
  }
  return false;
}

/// What those that lack mass receive. Returns false where that is too much.
[[nodiscard]] bool receive(const std::vector<HandedOn>& donors, const Lack& lack,
                           std::uint64_t lacks, Exchange& exchange) {
  const std::uint64_t end = lack.before + lacks;
  for (std::size_t d = lack.donor; d < donors.size() && donors[d].before < end; ++d) {
    const HandedOn& donor = donors[d];
    for (std::size_t k = 0; k < donor.items.size(); ++k) {
      const std::uint64_t begins =
          std::max(donor.before + (k == 0 ? 0 : donor.up_to[k - 1]), lack.before);
      const std::uint64_t ends = donor.before + std::min(donor.up_to[k], donor.excess);
      if (ends <= lack.before) continue;
      if (begins >= end) return true;
      const Index item = donor.tile * mass_tile_items + donor.items[k];
      if (ends > end) {
        exchange.piece = end - begins;
        exchange.piece_item = item;
        return true;
      }
      if (exchange.received == most_received) return false;
      exchange.items[exchange.received] = item;
      exchange.excesses[exchange.received++] = ends - begins;
    }
  }
  return true;
}

/// Stores the rows of a tile but those of items that it hands on, and of items that it receives.
template <class Rows>
void store(const Rows& rows, Index begin, Index items, const TileSweep& sweep,
           const Exchange& exchange) {
  const auto store_row = [&](Index item, Index name) {
    const Name alias = sweep.alias(name);
    const Index own = sweep.own(name);
    const Index global = alias < mass_tile_items ? begin + alias
                         : alias == rowless      ? exchange.piece_item
                                                 : exchange.items[alias - mass_tile_items];
    rows.store(item, own == 0 && alias == name ? fixed_bucket : std::uint64_t{own}, global);
  };
  Index i = 0;
  for (const Index gone : exchange.gone) {
    for (; i < gone; ++i) store_row(begin + i, i);
    ++i;
  }
  for (; i < items; ++i) store_row(begin + i, i);
  for (Index j = 0; j < exchange.received; ++j) store_row(exchange.items[j], mass_tile_items + j);
}

constexpr std::uint64_t task_tiles = 64;

}  // namespace

template <class T, class Rows>
bool lane_sweep(std::span<const T> weights, const std::vector<MassTile>& tiles, const Rows& rows,
                unsigned threads) {
  std::vector<HandedOn> donors;
  std::vector<Lack> lacks;
  std::vector<std::size_t> place(tiles.size());  // in one of them
  const auto items_of = [&](Index tile) {
    return static_cast<Index>(weights_of_tile(weights, tile).size());
  };
  std::uint64_t excesses = 0;
  std::uint64_t lacking = 0;
  for (Index t = 0; t < tiles.size(); ++t) {
    const std::uint64_t mass = tiles[t].mass;
    const std::uint64_t capacity = items_of(t) * fixed_bucket;
    if (mass > capacity) {
      place[t] = donors.size();
      donors.push_back({excesses, mass - capacity, t, {}, {}});
      excesses += mass - capacity;
    } else {
      place[t] = lacks.size();
      lacks.push_back({t, lacking, mass, 0});
      lacking += capacity - mass;
    }
  }
  std::size_t donor = 0;
  for (Lack& lack : lacks) {
    while (donor < donors.size() && donors[donor].before + donors[donor].excess <= lack.before) {
      ++donor;
    }
    lack.donor = donor;
  }
  std::atomic<bool> is_suited = true;
  parallel_for((donors.size() + task_tiles - 1) / task_tiles, threads, [&](std::uint64_t task) {
    const std::size_t end = std::min<std::size_t>(donors.size(), (task + 1) * task_tiles);
    for (std::size_t d = task * task_tiles; d < end && is_suited; ++d) {
      const Index tile = donors[d].tile;
      if (!choose(weights_of_tile(weights, tile), tiles[tile], donors[d])) is_suited = false;
    }
  });
  if (!is_suited) return false;
  parallel_for((tiles.size() + task_tiles - 1) / task_tiles, threads, [&](std::uint64_t task) {
    const auto end =
        static_cast<Index>(std::min<std::size_t>(tiles.size(), (task + 1) * task_tiles));
    const auto sweep = std::make_unique_for_overwrite<TileSweep>();
    std::array<std::uint64_t, mass_tile_items> masses;
    std::vector<Index> gone;
    for (auto t = static_cast<Index>(task * task_tiles); t < end && is_suited; ++t) {
      const std::span<const T> own = weights_of_tile(weights, t);
      Exchange exchange;
      const std::uint64_t capacity = own.size() * fixed_bucket;
      bool is_tile_suited = true;
      if (tiles[t].mass > capacity) {
        const HandedOn& handed_on = donors[place[t]];
        gone = handed_on.items;
        std::sort(gone.begin(), gone.end());
        exchange.gone = gone;
        exchange.piece = handed_on.over();
        exchange.piece_item = t * mass_tile_items + handed_on.items.back();
      } else {
        is_tile_suited = receive(donors, lacks[place[t]], capacity - tiles[t].mass, exchange);
      }
      if (is_tile_suited) {
        const GivenUnits units = write_masses(own, tiles[t], masses.data());
        is_tile_suited = units.only_by_first_ones &&
                         (units.end <= half_items || units.count > lane_sweep::most_units_of_half);
      }
      if (!is_tile_suited) {
        is_suited = false;
        return;
      }
      sweep->make_rows(std::span(masses).first(own.size()), exchange);
      store(rows, t * mass_tile_items, static_cast<Index>(own.size()), *sweep, exchange);
    }
  });
  return is_suited;
}

#define WRSGPU_LANE_SWEEP(T, Rows) \
  template bool lane_sweep(std::span<const T>, const std::vector<MassTile>&, const Rows&, unsigned);
#define WRSGPU_LANE_SWEEP_OF(T)     \
  WRSGPU_LANE_SWEEP(T, WideRows)    \
  WRSGPU_LANE_SWEEP(T, ArrayRows)   \
  WRSGPU_LANE_SWEEP(T, CompactRows) \
  WRSGPU_LANE_SWEEP(T, NarrowStoreRows)
WRSGPU_LANE_SWEEP_OF(float)
WRSGPU_LANE_SWEEP_OF(double)

}  // namespace wrsgpu::detail
