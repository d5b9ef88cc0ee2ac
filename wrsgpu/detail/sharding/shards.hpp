// The shards of a sharded sampler: their items, their integer masses, and how many samples of a
// draw are of each.
//
// Masses are those of steps 1 and 2 of wrsgpu/detail/masses/mass_tiles.hpp, with a shard for a
// tile: V_s is the sum of the shard's tiles, in [2^61, 2^62) units of 2^-e_s; U_s the integer below
// V_s in the coarsest of these units, R_s the sum of U_0 to U_s, r_s that sum without as many
// digits as put the last one, r, into [2^61, 2^62), and Q_s = r_s - r_(s-1). V_s is W_s within
// 2^-39 of it; the floor and the shift change Q_s by less than 2 units, and r lacks less than 2^-39
// of W. Hence
//   |Q_s / r - W_s / W| < 2^-60 + 2^-38 W_s / W.
// A shard whose share is less than that may have mass 0 and is never drawn then.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/sharding/agreement.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu::detail {

/// What a sampler says after a rebuild that failed.
inline constexpr const char* no_tables =
    "the sampler has no tables: its last rebuild failed; build them again";

/// What a rank tells the others of its shard.
struct ShardReport {
  std::uint64_t items;
  TileSum weight;  ///< V_s; 0 without positive weight
};

/// Builds the shard's table with build(), which returns V_s, unless it has no positive weight.
template <class Build>
[[nodiscard]] ShardReport report_of_shard(WeightsView shard, const Build& build) {
  if (shard.size() == 0) return {0, {0, 0}};
  try {
    return {shard.size(), build()};
  } catch (const AllZero&) {
    return {shard.size(), {0, 0}};
  }
}

/// What a rank tells the others before it exchanges samples.
struct ScatterReport {
  std::uint64_t samples;
  std::uint64_t seed;
  std::uint64_t offset;
};

/// Throws `Error` unless all ranks draw the same: they would wait for each other's samples forever.
void require_equal(const Reports<ScatterReport>& reports);

class Shards {
 public:
  /// Removes all items, and allocates where there were fewer ranks.
  void reset(unsigned ranks);

  /// Takes the shards of all ranks, after `reset`.
  ///
  /// @throws Error if no shard has a positive weight; there are no items then
  /// @note No allocation.
  void assign(const Reports<ShardReport>& reports);

  [[nodiscard]] unsigned ranks() const { return static_cast<unsigned>(mass_before_.size() - 1); }
  /// The number of items of all shards before `rank`; that of all items for ranks().
  [[nodiscard]] std::uint64_t first_item(unsigned rank) const { return first_item_[rank]; }
  [[nodiscard]] Index items(unsigned rank) const {
    return static_cast<Index>(first_item_[rank + 1] - first_item_[rank]);
  }
  /// Q_s.
  [[nodiscard]] std::uint64_t mass(unsigned rank) const {
    return mass_before_[rank + 1] - mass_before_[rank];
  }

  /// The number of the samples of a draw that are of one shard. Those of all are multinomial with
  /// probabilities Q_s / r, by binomial deviates down a binary tree over the shards: functions of
  /// the state, so that all ranks get the same without communication.
  ///
  /// @throws Error if there are no items
  /// @note A deviate for each of the log2(ranks()) levels of the tree, at most.
  [[nodiscard]] std::uint64_t count_of(unsigned rank, std::uint64_t samples,
                                       RandomState state) const;
  /// The same for all shards.
  ///
  /// @param counts ranks() elements
  void count(std::uint64_t samples, RandomState state, std::span<std::uint64_t> counts) const;

  /// The state in which destination `rank` of a scattered draw counts its samples.
  [[nodiscard]] static RandomState destination(unsigned rank, std::uint64_t samples,
                                               RandomState state) {
    return {state.seed, state.offset + rank * samples};
  }
  /// The numbers of samples that shard `rank` gives to each destination: its row of the matrix
  /// whose column r is `count` in the state of destination r.
  ///
  /// @param samples of each destination
  /// @param counts ranks() elements
  void count_row(unsigned rank, std::uint64_t samples, RandomState state,
                 std::span<std::uint64_t> counts) const;

 private:
  std::vector<std::uint64_t> first_item_;
  std::vector<std::uint64_t> mass_before_;
};

/// The state in which a rank draws samples from its shard: a stream of words of its own.
[[nodiscard]] RandomState state_of_rank(unsigned rank, RandomState state);
/// The seed of the order of the samples of a destination, whose state this is.
[[nodiscard]] std::uint64_t order_seed(RandomState destination);

/// A rank's part in a scattered draw: its row and column of the matrix of counts, of other ranks.
/// What it gives itself is not exchanged.
struct ScatterCounts {
  std::vector<std::uint64_t> sent;      ///< to each rank, none to itself
  std::vector<std::uint64_t> received;  ///< from each rank, none from itself
  std::uint64_t all_sent = 0;
  std::uint64_t own = 0;         ///< what it gives itself
  std::uint64_t before_own = 0;  ///< what it sends to earlier ranks

  ScatterCounts() = default;
  /// @throws Error for more samples than can be shuffled
  ScatterCounts(const Shards& shards, unsigned rank, std::uint64_t samples, RandomState state);

  /// Draws what is sent, in order of ranks, then calls is_drawn(), and draws what the rank keeps:
  /// the last samples of `receive`, after those from other ranks. draw(out, first) is called for
  /// words [first, first + out.size()) of the rank's stream, which has the samples of all ranks in
  /// order.
  template <class Draw, class IsDrawn>
  void draw_all(std::span<std::uint64_t> send, std::span<std::uint64_t> receive, const Draw& draw,
                const IsDrawn& is_drawn) const {
    if (before_own > 0) draw(send.first(before_own), 0);
    if (before_own < all_sent) draw(send.subspan(before_own), before_own + own);
    is_drawn();
    if (own > 0) draw(receive.last(own), before_own);
  }
};

/// Throws `Error` for an output that is too small.
void require_room(std::uint64_t room, std::uint64_t samples);

}  // namespace wrsgpu::detail
