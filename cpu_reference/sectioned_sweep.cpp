#include "wrsgpu/cpu_reference/sectioned_sweep.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "wrsgpu/core/parallel.hpp"
#include "wrsgpu/cpu_reference/section_balance.hpp"
#include "wrsgpu/cpu_reference/section_lanes.hpp"
#include "wrsgpu/cpu_reference/section_lists.hpp"

namespace wrsgpu {
namespace detail {
namespace {

/// A larger table is written past the caches.
constexpr std::size_t cached_table_bytes = std::size_t{8} << 20;

/// What a heavy item has beyond a bucket, not saturated.
template <class T>
[[nodiscard]] double excess_of(const ScaledWeights<T>& /*masses*/,
                               const SectionLists<double>& lists, Index heavy) {
  return lists.heavy_slack[heavy];
}
[[nodiscard]] std::uint64_t excess_of(const IntegerMasses& masses,
                                      const SectionLists<std::uint64_t>& lists, Index heavy) {
  return masses[lists.heavy[heavy]] - masses.bucket;
}

/// Chooses the heavy items that a section hands on, appends them to `items`, and returns how many
/// there are. Rounding may ask for more than the heavy items have.
template <class Masses>
Index hand_on(const Masses& masses, const SectionLists<typename Masses::Mass>& lists,
              Excess<typename Masses::Mass>& section,
              std::vector<HandedOn<typename Masses::Mass>>& items) {
  using Mass = typename Masses::Mass;
  Index first = lists.heavies;
  Mass open{0};
  if (lists.lights == 0) {
    first = 0;
    open = excess_of(masses, lists, 0);
  }
  for (Mass left = section.mass; first > 0 && left > 0;) {
    const Mass excess = excess_of(masses, lists, --first);
    open = std::min(left, excess);
    if (first == 0 && left > excess) section.mass -= left - excess;
    left -= open;
  }
  section.count = lists.heavies - first;
  if (section.count == 0) return 0;
  items.resize(items.size() + section.count);
  HandedOn<Mass>* const added = items.data() + (items.size() - section.count);
  for (Index j = 0; j < section.count; ++j) {
    added[j] = {excess_of(masses, lists, first + j), lists.heavy[first + j]};
  }
  added->excess = open;
  return section.count;
}

/// Where nothing is taken from other sections, the last heavy item has all light items that are
/// left, and a full bucket, up to rounding.
template <class Mass>
void keep_rest(Lane<Mass>& lane) {
  SectionLists<Mass>& lists = lane.lists;
  std::fill(lists.donor + lane.light, lists.donor + lists.lights, lists.heavy[lane.last]);
  lists.heavy_slack[lane.last] = 0;
}

/// A section's share of the heavy items handed on.
template <class Mass>
struct Share {
  RestCursor<Mass> donor;
  Mass end;      // of the lack that it has to cover
  bool is_last;  // share of all
  [[nodiscard]] bool is_complete() const {
    return donor.is_last() || (!is_last && donor.sum() > end);
  }
};

/// Appends the share's items to the section's list of heavy items, as many as there is room for;
/// returns how long the list then is.
template <class Mass>
Index append(Share<Mass>& share, Mass begin, Mass bucket, SectionLists<Mass>& lists) {
  RestCursor<Mass>& donor = share.donor;
  auto excess = donor.sum() > begin ? donor.sum() - begin : Mass{0};
  Index count = lists.heavies;
  for (;;) {
    lists.heavy[count] = donor.item();
    lists.heavy_slack[count] = slack_of(bucket + excess, bucket);
    ++count;
    if (share.is_complete() || count == lists.heavy_capacity) return count;
    donor.advance();
    excess = donor.excess();
  }
}

/// Ends the sweep over a section that takes from others: writes the rows of the heavy items that it
/// has used up, and deals with a share for which there was no room.
template <class Mass, class Rows>
void finish_share(const Rows& rows, Share<Mass>& share, Mass bucket, Lane<Mass>& lane) {
  SectionLists<Mass>& lists = lane.lists;
  for (Index j = lists.heavies; j < lane.last; ++j) {
    pack::store_row(rows, bucket, lists.heavy[j], bucket + static_cast<Mass>(lists.heavy_slack[j]),
                    lists.heavy[j + 1]);
  }
  RestCursor<Mass>& donor = share.donor;
  Mass left = bucket + static_cast<Mass>(lists.heavy_slack[lane.last]);
  while (!share.is_complete()) {
    const Mass own = std::min(left, bucket);
    const Index item = donor.item();
    donor.advance();
    pack::store_row(rows, bucket, item, own, donor.item());
    left = bucket + donor.excess() - (bucket - own);
    if (!(left > bucket) || lane.light == lists.lights) continue;
    Slack<Mass> slack = slack_of(left, bucket);
    lane.light = fill_run(lists, lane.light, slack, donor.item());
    left = bucket + static_cast<Mass>(slack);
  }
  std::fill(lists.donor + lane.light, lists.donor + lists.lights, donor.item());
}

template <class Masses, class Rows>
void write(const Masses& all_masses, const Rows& rows, const Lane<typename Masses::Mass>& lane) {
  const ItemRange items = lane.items;
  const auto& masses = section_masses(all_masses, lane);
  const Index count = items.size();
  if constexpr (Rows::layout == Layout::struct_of_arrays) {
    write_section(masses, items.begin, count, lane.lists, rows);
  } else if (rows.size() * sizeof(*rows.data()) > cached_table_bytes) {
    write_section_by_vectors<Stores::past_cache>(masses, items.begin, count, lane.lists, rows);
  } else {
    write_section_by_vectors<Stores::cached>(masses, items.begin, count, lane.lists, rows);
  }
}

template <class Masses, class Rows>
void sectioned_sweep(const Masses& masses, const Rows& rows, const std::vector<double>& leaf_totals,
                     unsigned threads, HandedOnLists<typename Masses::Mass>& handed_on) {
  using Mass = typename Masses::Mass;
  const Index n = rows.size();
  // Enough sections for a task that the ends, where not all lanes are busy, hardly matter.
  constexpr std::uint64_t task = 64;
  const auto tasks_of = [](std::size_t count) { return (count + task - 1) / task; };
  const auto range_of = [](std::uint64_t t, std::size_t count) {
    return Range{t * task, std::min<std::uint64_t>(count, (t + 1) * task)};
  };
  Balance<Mass> found = balance(masses, n, leaf_totals, threads);
  auto& excesses = found.excesses;
  auto& lacks = found.lacks;

  // The rows of the items handed on are not yet made.
  handed_on.resize(tasks_of(excesses.size()));
  parallel_for(handed_on.size(), threads, [&](std::uint64_t t) {
    const Range tasks = range_of(t, excesses.size());
    std::vector<HandedOn<Mass>>& items = handed_on[t];
    items.clear();
    sweep_sections(
        masses, n, tasks, [&](std::size_t k) { return excesses[k].section; },
        [&](const Lane<Mass>& lane) {
          const Index count =
              hand_on(section_masses(masses, lane), lane.lists, excesses[lane.task], items);
          // All rows of a section without light items are those of items handed on.
          return count == 0 || lane.lists.lights == 0 ? 0 : lane.lists.heavies + 1 - count;
        },
        [&](Lane<Mass>& lane) {
          if (!lane.has_heavy) return;
          keep_rest(lane);
          write(masses, rows, lane);
        });
    order_stores_past_cache();
    const HandedOn<Mass>* next = items.data();
    for (std::uint64_t k = tasks.begin; k < tasks.end; ++k) {
      excesses[k].items = next;
      next += excesses[k].count;
    }
  });
  // An excess without heavy items is one of rounding.
  std::erase_if(excesses, [&lacks](const Excess<Mass>& section) {
    if (section.count == 0) lacks.push_back({section.section});
    return section.count == 0;
  });
  sum_up(excesses);
  sum_up(lacks);

  parallel_for(tasks_of(lacks.size()), threads, [&](std::uint64_t t) {
    std::array<std::optional<Share<Mass>>, task> shares;
    const Range tasks = range_of(t, lacks.size());
    sweep_sections(
        masses, n, tasks, [&](std::size_t k) { return lacks[k].section; },
        [&](Lane<Mass>& lane) {
          if (excesses.empty()) return lane.lists.heavies;
          const Lack<Mass>& lack = lacks[lane.task];
          auto& share = shares[lane.task - tasks.begin];
          share.emplace(Share<Mass>{RestCursor<Mass>(excesses, lack.before), lack.after,
                                    lane.task + 1 == lacks.size()});
          return append(*share, lack.before, Mass{masses.bucket}, lane.lists);
        },
        [&](Lane<Mass>& lane) {
          if (!excesses.empty()) {
            finish_share(rows, *shares[lane.task - tasks.begin], Mass{masses.bucket}, lane);
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
  });
  // The last item of all absorbs the rounding. Where no section lacks mass, all that was handed on
  // is rounding.
  for (const Excess<Mass>& section : excesses) {
    if (!lacks.empty() && &section != &excesses.back()) continue;
    for (Index i = lacks.empty() ? 0 : section.count - 1; i < section.count; ++i) {
      rows.store(section.items[i].item, masses.bucket, section.items[i].item);
    }
  }
}

}  // namespace
}  // namespace detail

WeightSummary SectionedSweep::check(WeightsView weights) const {
  if (options().arithmetic == Arithmetic::fixed_point) {
    return summarise(weights, options().threads, nullptr, &tile_weights_);
  }
  return summarise(weights, options().threads, &leaf_totals_);
}

void SectionedSweep::do_build(WeightsView weights, const WeightSummary& summary) {
  const unsigned threads = options().threads;
  if (options().arithmetic == Arithmetic::fixed_point) {
    std::vector<TileSum> sums(tile_weights_.size());
    std::transform(tile_weights_.begin(), tile_weights_.end(), sums.begin(),
                   [](const TileWeights& tile) { return tile.sum; });
    const std::vector<MassTile> tiles = balance_mass_tiles(sums, summary.size);
    HostTable& table = prepare_table(summary.size, static_cast<double>(fixed_bucket));
    weights.visit([&]<class T>(std::span<const T> w) {
      const detail::TiledMasses<T> masses{w.data(), tiles};
      table.visit([&](auto rows) {
        detail::sectioned_sweep(masses, rows, {}, threads,
                                std::get<detail::HandedOnLists<std::uint64_t>>(handed_on_));
      });
    });
    return;
  }
  construct_in_floating_point(weights, summary, [&](auto masses, auto rows) {
    detail::sectioned_sweep(masses, rows, leaf_totals_, threads,
                            std::get<detail::HandedOnLists<double>>(handed_on_));
  });
}

}  // namespace wrsgpu
