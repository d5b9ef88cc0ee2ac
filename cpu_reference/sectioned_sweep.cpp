#include "wrsgpu/cpu_reference/sectioned_sweep.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>
#include <vector>

#include "wrsgpu/core/parallel.hpp"
#include "wrsgpu/cpu_reference/section_lists.hpp"

namespace wrsgpu {
namespace {

/// Sections swept in turns.
constexpr Index lanes = 4;
/// A larger table is written past the caches.
constexpr std::size_t cached_table_bytes = std::size_t{8} << 20;

/// How much mass a section has beyond its buckets, or lacks, and where its items go on: the sums of
/// the sections before it.
template <class Mass>
struct Excess {
  Index section;
  Index first_rest;  // position in the list of heavy items handed on
  Mass before;       // excess of all sections before
  Mass after;        // and with this one
  Mass open;         // excess that the first of the handed-on items still has
};
template <class Mass>
struct Lack {
  Index section;
  Mass before;
  Mass after;
};

/// The heavy items that sections hand on, in index order.
template <class Mass>
struct Rest {
  std::vector<Excess<Mass>> excesses;  // one more at the end
  std::vector<Lack<Mass>> lacks;
  HostBuffer<Index> items;

  [[nodiscard]] Index size() const { return excesses.back().first_rest; }
};

struct ItemRange {
  Index begin;
  Index end;
  [[nodiscard]] Index size() const { return end - begin; }
};

[[nodiscard]] ItemRange items_of(Index section, Index n) {
  const std::uint64_t begin = std::uint64_t{section} * section_items;
  return {static_cast<Index>(begin),
          static_cast<Index>(std::min<std::uint64_t>(n, begin + section_items))};
}

[[nodiscard]] Index section_count(Index n) { return n / section_items + (n % section_items != 0); }

/// The mass of a section's items.
template <class T>
[[nodiscard]] double mass_of(const ScaledWeights<T>& masses, Index section, ItemRange /*items*/,
                             const std::vector<double>& leaf_totals) {
  constexpr std::size_t leaves = section_items / summary_leaf_items;
  const std::size_t begin = section * leaves;
  const std::size_t end = std::min(begin + leaves, leaf_totals.size());
  double total = 0;
  for (std::size_t leaf = begin; leaf < end; ++leaf) total += leaf_totals[leaf];
  return total * masses.scale;
}
[[nodiscard]] std::uint64_t mass_of(const IntegerMasses& masses, Index /*section*/, ItemRange items,
                                    const std::vector<double>& /*leaf_totals*/) {
  return std::accumulate(masses.masses + items.begin, masses.masses + items.end, std::uint64_t{0});
}

/// Step 1.
template <class Masses>
[[nodiscard]] Rest<typename Masses::Mass> balance(const Masses& masses, Index n,
                                                  const std::vector<double>& leaf_totals,
                                                  unsigned threads) {
  using Mass = typename Masses::Mass;
  const Mass bucket = masses.bucket;
  const Index sections = section_count(n);
  struct Section {
    Mass excess;
    Mass lack;
    Mass open;
    Index rest;  // number of items handed on
  };
  std::vector<Section> balances(sections);
  constexpr Index task = 64;
  const std::uint64_t tasks = (std::uint64_t{sections} + task - 1) / task;
  const auto for_each_section = [&](auto&& body) {
    parallel_for(tasks, threads, [&](std::uint64_t t) {
      const std::uint64_t end = std::min<std::uint64_t>(sections, (t + 1) * task);
      for (std::uint64_t s = t * task; s < end; ++s) body(static_cast<Index>(s));
    });
  };
  for_each_section([&](Index section) {
    const ItemRange items = items_of(section, n);
    const Mass mass = mass_of(masses, section, items, leaf_totals);
    const Mass capacity = static_cast<Mass>(items.size()) * bucket;
    Section& balance = balances[section];
    balance = {Mass{0}, mass < capacity ? capacity - mass : Mass{0}, Mass{0}, 0};
    if (!(mass > capacity)) return;
    // Rounding may ask for more than the heavy items have.
    for (Index i = items.end; i > items.begin && balance.excess < mass - capacity; --i) {
      if (!(masses[i - 1] > bucket)) continue;
      const Mass left = mass - capacity - balance.excess;
      balance.open = std::min(left, masses[i - 1] - bucket);
      balance.excess = left > balance.open ? balance.excess + balance.open : mass - capacity;
      ++balance.rest;
    }
  });

  Rest<Mass> rest;
  Index size = 0;
  Mass excess{0};
  Mass lack{0};
  for (Index section = 0; section < sections; ++section) {
    const Section& balance = balances[section];
    if (balance.rest > 0) {
      rest.excesses.push_back({section, size, excess, excess + balance.excess, balance.open});
      size += balance.rest;
      excess += balance.excess;
    } else {
      rest.lacks.push_back({section, lack, lack + balance.lack});
      lack += balance.lack;
    }
  }
  rest.excesses.push_back({sections, size, excess, excess, Mass{0}});
  rest.items = HostBuffer<Index>(size);
  parallel_for(rest.excesses.size() - 1, threads, [&](std::uint64_t k) {
    Index i = items_of(rest.excesses[k].section, n).end;
    for (Index at = rest.excesses[k + 1].first_rest; at > rest.excesses[k].first_rest;) {
      if (masses[--i] > bucket) rest.items[--at] = i;
    }
  });
  return rest;
}

/// Walks over the heavy items handed on.
template <class Masses>
class RestCursor {
 public:
  using Mass = typename Masses::Mass;

  /// At the first item that is not used up by a lack of `lack`, or at the last item. There must be
  /// one.
  RestCursor(const Masses& masses, const Rest<Mass>& rest, Mass lack)
      : masses_(masses), rest_(rest) {
    const auto found = std::upper_bound(
        rest.excesses.begin(), rest.excesses.end() - 1, lack,
        [](Mass value, const Excess<Mass>& excess) { return value < excess.after; });
    enter(std::min(found, rest.excesses.end() - 2));
    while (!(sum_ > lack) && !is_last()) advance();
  }

  [[nodiscard]] Index item() const { return rest_.items[position_]; }
  [[nodiscard]] Index next_item() const { return rest_.items[position_ + 1]; }
  [[nodiscard]] bool is_last() const { return position_ + 1 == rest_.size(); }
  /// Excess of the item, and of all up to it.
  [[nodiscard]] Mass excess() const { return excess_; }
  [[nodiscard]] Mass sum() const { return sum_; }

  void advance() {
    ++position_;
    if (position_ == section_[1].first_rest) {
      enter(section_ + 1);
      return;
    }
    excess_ = masses_[item()] - masses_.bucket;
    set_sum(sum_ + excess_);
  }

 private:
  using Iterator = typename std::vector<Excess<Mass>>::const_iterator;

  void enter(Iterator section) {
    section_ = section;
    position_ = section->first_rest;
    excess_ = section->open;
    set_sum(section->before + section->open);
  }
  // The sums must not decrease, and the section's last one is known.
  void set_sum(Mass sum) {
    const bool is_last_of_section = position_ + 1 == section_[1].first_rest;
    sum_ = is_last_of_section ? section_->after : std::min(sum, section_->after);
  }

  const Masses& masses_;
  const Rest<Mass>& rest_;
  Iterator section_;
  Index position_;
  Mass excess_;
  Mass sum_;
};

/// The sweep over one section's lists.
template <class Mass>
struct Lane {
  SectionLists<Mass> lists;
  ItemRange items;
  Index last;   // the heavy item that stays open at the end
  Index light;  // next light item
  Index heavy;  // open heavy item
  Slack<Mass> slack;
};

/// All ones if `slack` is negative, else 0: selects by arithmetic where the compiler might prefer a
/// branch that no predictor can learn.
template <class S>
[[nodiscard]] std::uint64_t negative_mask(S slack) {
  return static_cast<std::uint64_t>(std::bit_cast<std::int64_t>(slack) >> 63);
}
template <class S>
[[nodiscard]] S select(std::uint64_t mask, S if_set, S if_clear) {
  const auto set = std::bit_cast<std::uint64_t>(if_set);
  const auto clear = std::bit_cast<std::uint64_t>(if_clear);
  return std::bit_cast<S>(clear ^ ((clear ^ set) & mask));
}

/// One step of the sweep, without a branch. When the open heavy item has been used up (its slack is
/// negative) the next one takes over; else the next light item is filled. In both cases the slack
/// so far and the light item's donor are stored; those that stay are right.
template <class Mass>
inline void step(SectionLists<Mass>& lists, std::uint64_t& light, std::uint64_t& heavy,
                 Slack<Mass>& slack) {
  const std::uint64_t mask = negative_mask(slack);
  const Slack<Mass> light_slack = lists.light_slack[light];
  const Slack<Mass> heavy_slack = lists.heavy_slack[heavy + 1];
  lists.heavy_slack[heavy] = slack;
  lists.donor[light] = lists.heavy[heavy];
  slack += select(mask, heavy_slack, light_slack);
  heavy -= mask;
  light += 1 + mask;
}

/// Sweeps in all lanes at once until one of them runs out of items.
template <class Mass>
void sweep_in_turns(std::array<Lane<Mass>, lanes>& lane) {
  std::array<std::uint64_t, lanes> light{};
  std::array<std::uint64_t, lanes> heavy{};
  std::array<Slack<Mass>, lanes> slack;
  for (Index k = 0; k < lanes; ++k) slack[k] = lane[k].slack;
  for (;;) {
    std::uint64_t steps = section_items;
    for (Index k = 0; k < lanes; ++k) {
      steps = std::min({steps, lane[k].lists.lights - light[k], lane[k].last - heavy[k]});
    }
    if (steps == 0) break;
    for (; steps > 0; --steps) {
      for (Index k = 0; k < lanes; ++k) step(lane[k].lists, light[k], heavy[k], slack[k]);
    }
  }
  for (Index k = 0; k < lanes; ++k) {
    lane[k].light = static_cast<Index>(light[k]);
    lane[k].heavy = static_cast<Index>(heavy[k]);
    lane[k].slack = slack[k];
  }
}

/// Lets one donor fill light items from `light` on while `slack` is not negative; returns the first
/// light item that it does not fill.
template <class Mass>
Index fill_run(SectionLists<Mass>& lists, Index light, Slack<Mass>& slack, Index donor) {
  const Index begin = light;
  while (!(slack < 0) && light < lists.lights) {
    if (lists.lights - light >= 8) {
      // Eight at once, unless they are too many.
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

/// Sweeps on from where the lane stands, one run of light items after the other, until there are no
/// light items or only the last heavy item is left, used up.
template <class Mass>
void sweep_runs(Lane<Mass>& lane) {
  SectionLists<Mass>& lists = lane.lists;
  for (;;) {
    lane.light = fill_run(lists, lane.light, lane.slack, lists.heavy[lane.heavy]);
    if (lane.heavy == lane.last || !(lane.slack < 0)) return;
    lists.heavy_slack[lane.heavy] = lane.slack;
    lane.slack += lists.heavy_slack[++lane.heavy];
  }
}

/// Ends the sweep: heavy items that it has not reached have full buckets, up to rounding.
template <class Mass>
void finish_sweep(Lane<Mass>& lane) {
  for (;; ++lane.heavy) {
    lane.slack = std::min(lane.slack, Slack<Mass>{0});
    lane.lists.heavy_slack[lane.heavy] = lane.slack;
    if (lane.heavy == lane.last) return;
    lane.slack += lane.lists.heavy_slack[lane.heavy + 1];
  }
}

/// Reads `count` sections, the k-th of them `section(k)`, and sweeps them; the last `open(k)` heavy
/// items of a section, at least one, stay open.
template <class Masses, class Section, class Open>
void sweep_sections(const Masses& masses, Index n, Index count,
                    std::array<Lane<typename Masses::Mass>, lanes>& lane, const Section& section,
                    const Open& open) {
  bool is_worthwhile = count == lanes;
  for (Index k = 0; k < count; ++k) {
    lane[k].items = items_of(section(k), n);
    SectionLists<typename Masses::Mass>& lists = lane[k].lists;
    read_section(masses, lane[k].items.begin, lane[k].items.size(), lists);
    lane[k].last = lists.heavies > open(k) ? lists.heavies - open(k) : 0;
    lane[k].light = 0;
    lane[k].heavy = 0;
    lane[k].slack = lists.heavy_slack[0];
    is_worthwhile = is_worthwhile && std::min(lists.lights, lane[k].last) > section_items / 64;
  }
  if (is_worthwhile) sweep_in_turns(lane);
  for (Index k = 0; k < count; ++k) {
    if (lane[k].lists.heavies == 0) continue;
    sweep_runs(lane[k]);
    finish_sweep(lane[k]);
  }
}

/// The end of step 3: the section's last light items, and the heavy items it uses up.
template <class Masses, class Rows>
void take_from_rest(const Masses& masses, const Rows& rows, const Rest<typename Masses::Mass>& rest,
                    const Lack<typename Masses::Mass>& lack, bool is_last_lack,
                    Lane<typename Masses::Mass>& lane) {
  using Mass = typename Masses::Mass;
  const Mass bucket = masses.bucket;
  SectionLists<Mass>& lists = lane.lists;
  RestCursor<Masses> donor(masses, rest, lack.before);
  Mass left = bucket + (donor.sum() > lack.before ? donor.sum() - lack.before : Mass{0});
  if (lists.heavies > 0) {
    left += static_cast<Mass>(lists.heavy_slack[lane.last]);
    lists.heavy[lane.last + 1] = donor.item();
  }
  const auto use_up = [&] {
    const Mass own = std::min(left, bucket);
    pack::store_row(rows, bucket, donor.item(), own, donor.next_item());
    donor.advance();
    left = bucket + donor.excess() - (bucket - own);
  };
  while (lane.light < lists.lights) {
    if (donor.is_last() || donor.sum() > lack.after) {
      std::fill(lists.donor + lane.light, lists.donor + lists.lights, donor.item());
      break;
    }
    const Slack<Mass> slack = slack_of(left, bucket);
    Slack<Mass> then = slack;
    lane.light = fill_run(lists, lane.light, then, donor.item());
    left += static_cast<Mass>(then - slack);
    if (!(left > bucket)) use_up();
  }
  while (!donor.is_last() && (is_last_lack || !(donor.sum() > lack.after))) use_up();
}

/// Where nothing is handed on, a section's last heavy item absorbs the rounding.
template <class Mass>
void keep_rest(Lane<Mass>& lane) {
  SectionLists<Mass>& lists = lane.lists;
  std::fill(lists.donor + lane.light, lists.donor + lists.lights, lists.heavy[lane.last]);
  lists.heavy_slack[lane.last] = 0;
}

template <class Masses, class Rows>
void sectioned_sweep(const Masses& masses, const Rows& rows, const std::vector<double>& leaf_totals,
                     unsigned threads) {
  using Mass = typename Masses::Mass;
  using Lanes = std::array<Lane<Mass>, lanes>;
  const Index n = rows.size();
  const bool past_cache = n * sizeof(typename Rows::Row) > cached_table_bytes;
  const Rest<Mass> rest = balance(masses, n, leaf_totals, threads);

  // Runs `body(begin, end, lanes)` for groups of up to `lanes` of `count` sections.
  const auto for_each_group = [&](std::size_t count, auto&& body) {
    constexpr std::uint64_t task = 8 * lanes;
    parallel_for((count + task - 1) / task, threads, [&](std::uint64_t t) {
      const auto lane = std::make_unique_for_overwrite<Lanes>();
      const std::size_t end = std::min<std::size_t>(count, (t + 1) * task);
      for (std::size_t begin = t * task; begin < end; begin += lanes) {
        body(begin, static_cast<Index>(std::min<std::size_t>(lanes, end - begin)), *lane);
      }
    });
  };
  const auto write = [&](const Lane<Mass>& lane) {
    const ItemRange items = lane.items;
    if constexpr (Rows::layout == Layout::wide_rows) {
      if (past_cache) {
        write_section_past_cache(masses, items.begin, items.size(), lane.lists, rows);
        return;
      }
    }
    write_section(masses, items.begin, items.size(), lane.lists, rows);
  };

  // The rows of the items handed on are not yet made; they are written in the next step.
  for_each_group(rest.excesses.size() - 1, [&](std::size_t begin, Index count, Lanes& lane) {
    const auto* const excess = rest.excesses.data() + begin;
    sweep_sections(
        masses, n, count, lane, [&](Index k) { return excess[k].section; },
        [&](Index k) { return excess[k + 1].first_rest - excess[k].first_rest; });
    for (Index k = 0; k < count; ++k) {
      keep_rest(lane[k]);
      write(lane[k]);
    }
  });
  for_each_group(rest.lacks.size(), [&](std::size_t begin, Index count, Lanes& lane) {
    const auto* const lack = rest.lacks.data() + begin;
    sweep_sections(
        masses, n, count, lane, [&](Index k) { return lack[k].section; },
        [](Index /*k*/) { return Index{1}; });
    for (Index k = 0; k < count; ++k) {
      if (rest.size() > 0) {
        take_from_rest(masses, rows, rest, lack[k], begin + k + 1 == rest.lacks.size(), lane[k]);
      } else if (lane[k].lists.heavies > 0) {
        keep_rest(lane[k]);
      } else {
        // All masses equal the bucket, up to rounding.
        for (Index i = lane[k].items.begin; i < lane[k].items.end; ++i) {
          rows.store(i, masses.bucket, i);
        }
        continue;
      }
      write(lane[k]);
    }
  });
  // The last item of all absorbs the rounding. Without lacks nothing but rounding is handed on.
  for (Index k = rest.lacks.empty() || rest.size() == 0 ? 0 : rest.size() - 1; k < rest.size();
       ++k) {
    rows.store(rest.items[k], masses.bucket, rest.items[k]);
  }
}

}  // namespace

WeightSummary SectionedSweep::check(WeightsView weights) const {
  return summarise(weights, options().threads, &leaf_totals_);
}

void SectionedSweep::do_build(WeightsView weights, const WeightSummary& summary) {
  construct_with(weights, summary, [&](auto masses, auto rows) {
    sectioned_sweep(masses, rows, leaf_totals_, options().threads);
  });
}

}  // namespace wrsgpu
