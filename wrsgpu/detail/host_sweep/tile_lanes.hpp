// The branch-free sweep over a tile's lists, interleaved over several tiles to hide the latency of
// dependent steps.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/host_sweep/tile_balance.hpp"
#include "wrsgpu/detail/host_sweep/tile_lists.hpp"
#include "wrsgpu/detail/masses/masses.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::detail {

/// Number of interleaved tiles.
inline constexpr Index lanes = 4;
/// Maximum number of light items that one step fills.
inline constexpr Index step_lights = 3;
/// Minimum number of steps for interleaving.
inline constexpr Index min_steps = 4;

/// The sweep over one tile's lists.
template <class Mass>
struct Lane {
  TileLists<Mass> lists;
  std::uint64_t integers[host_tile_items];  // the masses, if they are `TiledMasses`
  std::size_t task;                         // the index of the tile in the list of tasks
  ItemRange items;
  bool has_heavy;
  Index last;   // the heavy item that stays open at the end
  Index light;  // next light item
  Index heavy;  // open heavy item
  Slack<Mass> slack;

  /// Number of steps that cannot run out of light or heavy items.
  [[nodiscard]] Index safe_steps() const {
    return std::min((lists.lights - light) / step_lights, last - heavy);
  }
};

/// The tiles that a thread sweeps.
template <class Mass>
using Lanes = std::array<Lane<Mass>, lanes>;

/// The masses of the lane's tile, as loaded by `read`.
template <class T>
[[nodiscard]] const ScaledWeights<T>& masses_of_tile(const ScaledWeights<T>& masses,
                                                     const Lane<double>& /*lane*/) {
  return masses;
}
template <class T>
[[nodiscard]] IntegerMasses masses_of_tile(const TiledMasses<T>& /*masses*/,
                                           const Lane<std::uint64_t>& lane) {
  return {lane.integers, lane.items.begin};
}

/// Reads a tile and builds its lists.
template <class Masses>
void read(const Masses& masses, Index tile, ItemRange items, Lane<typename Masses::Mass>& lane) {
  lane.items = items;
  if constexpr (std::is_integral_v<typename Masses::Mass>) {
    masses.read(tile, lane.integers);
    // All items are of one kind.
    if (is_all_light(masses, tile)) {
      lane.lists.lights = items.size();
      lane.lists.heavies = 0;
      std::transform(
          lane.integers, lane.integers + items.size(), lane.lists.light_slack,
          [](std::uint64_t mass) { return static_cast<std::int64_t>(mass - fixed_bucket); });
      return;
    }
  }
  read_tile(masses_of_tile(masses, lane), items.begin, items.size(), lane.lists);
}

/// All ones if `slack` is negative, else 0: selection by arithmetic, because the compiler might
/// emit an unpredictable branch.
template <class S>
[[nodiscard]] std::uint64_t negative_mask(S slack) {
  return static_cast<std::uint64_t>(std::bit_cast<std::int64_t>(slack) >> 63);
}
/// One branch-free step of the sweep: the open heavy item fills as many of the next light items as
/// its slack allows (the last of them makes the slack negative); if it is then used up, the next
/// heavy item is opened. Aliases and slacks are stored unconditionally; later steps overwrite those
/// that are not final.
template <class Mass>
inline void step(TileLists<Mass>& lists, std::uint64_t& light, std::uint64_t& heavy,
                 Slack<Mass>& slack) {
  const Slack<Mass>* const next = lists.light_slack + light;
  const Slack<Mass> two = next[0] + next[1];
  const Slack<Mass> sums[step_lights + 1] = {Slack<Mass>{0}, next[0], two, two + next[2]};
  std::uint64_t filled = step_lights;
  for (Index i = 0; i < step_lights; ++i) {
    filled += negative_mask(slack + sums[i]);
    lists.donor[light + i] = lists.heavy[heavy];
  }
  slack += sums[filled];
  lists.heavy_slack[heavy] = slack;
  const std::uint64_t mask = negative_mask(slack);
  slack +=
      std::bit_cast<Slack<Mass>>(std::bit_cast<std::uint64_t>(lists.heavy_slack[heavy + 1]) & mask);
  heavy -= mask;
  light += filled;
}

/// Prefetches the masses that will be read next, a few lines per turn, while the memory is
/// otherwise idle.
struct Ahead {
  const std::byte* next = nullptr;
  const std::byte* end = nullptr;

  void fetch() {
    constexpr std::ptrdiff_t line = 64;
    __builtin_prefetch(next, 0, 2);
    __builtin_prefetch(next + line, 0, 2);
    next = std::min(next + 2 * line, end);
  }
};

/// Sweeps all lanes round-robin, one step each, until one of them has almost run out of items.
template <class Mass>
void sweep_in_turns(Lanes<Mass>& lane, Ahead& ahead) {
  std::array<std::uint64_t, lanes> light;
  std::array<std::uint64_t, lanes> heavy;
  std::array<Slack<Mass>, lanes> slack;
  for (Index k = 0; k < lanes; ++k) {
    light[k] = lane[k].light;
    heavy[k] = lane[k].heavy;
    slack[k] = lane[k].slack;
  }
  for (;;) {
    std::uint64_t steps = host_tile_items;
    for (Index k = 0; k < lanes; ++k) {
      steps = std::min(
          {steps, (lane[k].lists.lights - light[k]) / step_lights, lane[k].last - heavy[k]});
    }
    if (steps < min_steps) break;
    for (; steps > 0; --steps) {
      for (Index k = 0; k < lanes; ++k) step(lane[k].lists, light[k], heavy[k], slack[k]);
      ahead.fetch();
    }
  }
  for (Index k = 0; k < lanes; ++k) {
    lane[k].light = static_cast<Index>(light[k]);
    lane[k].heavy = static_cast<Index>(heavy[k]);
    lane[k].slack = slack[k];
  }
}

/// One donor fills light items from `light` on while `slack` is not negative; returns the first
/// light item that it does not fill.
template <class Mass>
Index fill_run(TileLists<Mass>& lists, Index light, Slack<Mass>& slack, Index donor) {
  const Index begin = light;
  while (!(slack < 0) && light < lists.lights) {
    if (lists.lights - light >= 8) {
      // Eight at once, if the slack suffices for all of them.
      const Slack<Mass>* const next = lists.light_slack + light;
      const Slack<Mass> then = slack + (((next[0] + next[1]) + (next[2] + next[3])) +
                                        ((next[4] + next[5]) + (next[6] + next[7])));
      if (!(then < 0)) {
        slack = then;
        light += 8;
        continue;
      }
    }
    slack += lists.light_slack[light++];
  }
  std::fill(lists.donor + begin, lists.donor + light, donor);
  return light;
}

/// Continues the lane's sweep, one run of light items after the other, until no light items are
/// left or only the last heavy item, used up.
template <class Mass>
void sweep_runs(Lane<Mass>& lane) {
  TileLists<Mass>& lists = lane.lists;
  for (;;) {
    lane.light = fill_run(lists, lane.light, lane.slack, lists.heavy[lane.heavy]);
    if (lane.heavy == lane.last || !(lane.slack < 0)) return;
    lists.heavy_slack[lane.heavy] = lane.slack;
    lane.slack += lists.heavy_slack[++lane.heavy];
  }
}

/// Ends the sweep: heavy items that it has not reached keep full buckets, up to rounding.
template <class Mass>
void finish_sweep(Lane<Mass>& lane) {
  for (;; ++lane.heavy) {
    lane.slack = std::min(lane.slack, Slack<Mass>{0});
    lane.lists.heavy_slack[lane.heavy] = lane.slack;
    if (lane.heavy == lane.last) return;
    lane.slack += lane.lists.heavy_slack[lane.heavy + 1];
  }
}

/// Reads and sweeps the tiles `tile(task)` for all `tasks`. `prepare(lane)` is called once the
/// lists have been read, and returns the length of the list of heavy items to sweep over, the last
/// of which stays open; `finish(lane)` is called at the end of the sweep.
template <class Masses, class TileOf, class Prepare, class Finish>
void sweep_tiles(const Masses& masses, Index n, Range tasks, Lanes<typename Masses::Mass>& lane,
                 const TileOf& tile, const Prepare& prepare, const Finish& finish) {
  using Mass = typename Masses::Mass;
  std::uint64_t next = tasks.begin;
  Ahead ahead;
  const auto end = [&](Lane<Mass>& ended) {
    if (ended.has_heavy) {
      sweep_runs(ended);
      finish_sweep(ended);
    }
    finish(ended);
  };
  // Assigns a tile with enough steps to interleave to the lane, and finishes shorter tiles
  // directly; false when no tiles are left.
  const auto begin_next = [&](Lane<Mass>& begun) {
    while (next < tasks.end) {
      begun.task = next++;
      read(masses, tile(begun.task), items_of(tile(begun.task), n), begun);
      if (next < tasks.end) {
        const auto weights = std::as_bytes(neighbours(masses, items_of(tile(next), n)));
        ahead = {weights.data(), weights.data() + weights.size()};
      }
      const Index heavies = prepare(begun);
      begun.has_heavy = heavies > 0;
      begun.last = begun.has_heavy ? heavies - 1 : 0;
      begun.light = 0;
      begun.heavy = 0;
      begun.slack = begun.lists.heavy_slack[0];
      if (begun.safe_steps() >= min_steps) return true;
      end(begun);
    }
    return false;
  };
  Index busy = 0;
  while (busy < lanes && begin_next(lane[busy])) ++busy;
  while (busy == lanes) {
    sweep_in_turns(lane, ahead);
    for (Index k = 0; k < lanes; ++k) {
      if (lane[k].safe_steps() >= min_steps) continue;
      end(lane[k]);
      if (begin_next(lane[k])) continue;
      for (Index other = 0; other < lanes; ++other) {
        if (other != k) end(lane[other]);
      }
      return;
    }
  }
  for (Index k = 0; k < busy; ++k) end(lane[k]);
}

}  // namespace wrsgpu::detail
