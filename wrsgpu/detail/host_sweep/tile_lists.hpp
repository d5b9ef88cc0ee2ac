// The light and heavy items of one tile as lists, for a sweep without branches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "wrsgpu/detail/masses/masses.hpp"
#include "wrsgpu/detail/table/store_row.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Items of a tile; its weights and lists fit the second-level cache several times over.
inline constexpr Index host_tile_items = 2048;

/// Excess of a mass over the bucket: at most 0 for light items. Saturates at 2^62 in fixed-point
/// arithmetic, more than a whole tile can take.
template <class Mass>
using Slack = std::conditional_t<std::is_floating_point_v<Mass>, double, std::int64_t>;

[[nodiscard]] inline double slack_of(double mass, double bucket) { return mass - bucket; }
[[nodiscard]] inline std::int64_t slack_of(std::uint64_t mass, std::uint64_t bucket) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 62;
  return static_cast<std::int64_t>(std::min(mass, limit + bucket) - bucket);
}

/// Working memory for one tile. Each list is in index order and has padding for stores past its
/// end; the list of heavy items also has room for items of other tiles.
template <class Mass>
struct TileLists {
  static constexpr Index room = 16;
  static constexpr Index light_capacity = host_tile_items;
  static constexpr Index heavy_capacity = 3 * host_tile_items;

  Index lights;
  Index heavies;
  /// Set by `read_tile`. The sweep stores each heavy item's slack when its row is made, at most 0:
  /// its own part, less a bucket.
  alignas(64) Slack<Mass> light_slack[light_capacity + room];
  alignas(64) Slack<Mass> heavy_slack[heavy_capacity + room];
  /// Set by `read_tile`. The alias of a heavy item is the next one in the list.
  alignas(64) Index heavy[heavy_capacity + room];
  /// Set by the sweep: the light items' aliases.
  alignas(64) Index donor[light_capacity + room];
};

/// Reads the `count` items from `first` on and builds their lists.
template <class Masses>
void read_tile(const Masses& masses, Index first, Index count,
               TileLists<typename Masses::Mass>& lists);

/// Writes the rows of the same items after the sweep, in index order.
template <class Masses, class Rows>
void write_tile(const Masses& masses, Index first, Index count,
                const TileLists<typename Masses::Mass>& lists, const Rows& rows) {
  Index light = 0;
  Index heavy = 0;
  for (Index i = first; i < first + count; ++i) {
    const auto mass = masses[i];
    const bool is_heavy = slack_of(mass, masses.bucket) > 0;
    const auto kept = masses.bucket + static_cast<typename Masses::Mass>(lists.heavy_slack[heavy]);
    const Index next = lists.heavy[heavy + 1];
    const Index donor = lists.donor[light];
    pack::store_row(rows, masses.bucket, i, is_heavy ? kept : mass, is_heavy ? next : donor);
    heavy += is_heavy ? 1 : 0;
    light += is_heavy ? 0 : 1;
  }
}

/// Cached or non-temporal stores of rows (wrsgpu/detail/core/non_temporal_stores.hpp).
enum class Stores { cached, non_temporal };

/// `write_tile` for wide rows and for compact rows of integer masses: eight rows at a time where
/// the processor supports it. `first` is a multiple of `host_tile_items`.
template <Stores stores, class Masses, class Rows>
void write_tile_by_vectors(const Masses& masses, Index first, Index count,
                           const TileLists<typename Masses::Mass>& lists, const Rows& rows);

}  // namespace wrsgpu
