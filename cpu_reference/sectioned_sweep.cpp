#include "wrsgpu/cpu_reference/sectioned_sweep.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "wrsgpu/core/parallel.hpp"
#include "wrsgpu/cpu_reference/compensated_sum.hpp"
#include "wrsgpu/cpu_reference/section_lists.hpp"

namespace wrsgpu {
namespace {

using detail::HandedOn;
using detail::HandedOnLists;

/// Sections swept in turns.
constexpr Index lanes = 4;
/// Light items that one step fills at most.
constexpr Index step_lights = 3;
/// Fewer steps are not worth a turn.
constexpr Index least_steps = 4;
/// A larger table is written past the caches.
constexpr std::size_t cached_table_bytes = std::size_t{8} << 20;

/// Fixed-point masses, which are computed when their section is read.
template <class T>
struct TiledMasses {
  using Mass = std::uint64_t;
  const T* weights;
  const std::vector<MassTile>& tiles;
  static constexpr std::uint64_t bucket = fixed_bucket;
};
static_assert(section_items == mass_tile_items);

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

/// The mass of a section's items.
template <class T>
[[nodiscard]] double mass_of(const ScaledWeights<T>& masses, Index section, ItemRange /*items*/,
                             const std::vector<double>& leaf_totals) {
  static_assert(section_items % summary_leaf_items == 0);
  constexpr std::size_t leaves = section_items / summary_leaf_items;
  const std::size_t begin = section * leaves;
  const std::size_t end = std::min(begin + leaves, leaf_totals.size());
  return masses.scale * std::accumulate(leaf_totals.data() + begin, leaf_totals.data() + end, 0.0);
}
template <class T>
[[nodiscard]] std::uint64_t mass_of(const TiledMasses<T>& masses, Index section,
                                    ItemRange /*items*/,
                                    const std::vector<double>& /*leaf_totals*/) {
  return masses.tiles[section].mass;
}

/// A section with more mass than its buckets take.
template <class Mass>
struct Excess {
  Index section;
  Mass mass;       // that it has too much
  Mass before{0};  // sum over the sections before, in the order of these lists
  Mass after{0};   // the same with this one: what the next one has before it, to the last bit
  const HandedOn<Mass>* items = nullptr;
  Index count = 0;
};

/// A section that lacks mass, or has just enough.
template <class Mass>
struct Lack {
  Index section;
  Mass mass{0};
  Mass before{0};
  Mass after{0};  // to the last bit what the next one has before it
};

template <class Mass>
struct Balance {
  std::vector<Excess<Mass>> excesses;
  std::vector<Lack<Mass>> lacks;
};

template <class Masses>
[[nodiscard]] Balance<typename Masses::Mass> balance(const Masses& masses, Index n,
                                                     const std::vector<double>& leaf_totals,
                                                     unsigned threads) {
  using Mass = typename Masses::Mass;
  const Index sections = n / section_items + (n % section_items == 0 ? 0 : 1);
  std::vector<Mass> mass(sections);
  parallel_for(sections, threads, [&](std::uint64_t section) {
    const auto s = static_cast<Index>(section);
    mass[s] = mass_of(masses, s, items_of(s, n), leaf_totals);
  });
  Balance<Mass> balance;
  for (Index section = 0; section < sections; ++section) {
    const Mass capacity = static_cast<Mass>(items_of(section, n).size()) * masses.bucket;
    if (mass[section] > capacity) {
      balance.excesses.push_back({section, mass[section] - capacity});
    } else {
      balance.lacks.push_back({section, capacity - mass[section]});
    }
  }
  return balance;
}

/// Sets `before` and `after` of all sections.
template <class Section>
void sum_up(std::vector<Section>& sections) {
  CompensatedSum<decltype(Section::mass)> sum;
  for (Section& section : sections) {
    section.before = sum.value();
    sum.add(section.mass);
    section.after = sum.value();
  }
}

/// Walks over the heavy items handed on, of which there must be one.
template <class Mass>
class RestCursor {
 public:
  using Sections = std::vector<Excess<Mass>>;

  /// At the first item that is not used up by a lack of `lack`, or at the last item.
  RestCursor(const Sections& sections, Mass lack) : end_(sections.end()) {
    const auto found =
        std::partition_point(sections.begin(), sections.end() - 1,
                             [&](const Excess<Mass>& section) { return section.after <= lack; });
    enter(found);
    while (!(sum_ > lack) && !is_last()) advance();
  }

  [[nodiscard]] Index item() const { return item_->item; }
  [[nodiscard]] bool is_last() const { return is_last_of_section() && section_ + 1 == end_; }
  /// What the item has beyond a bucket.
  [[nodiscard]] Mass excess() const { return item_->excess; }
  /// The same of all up to it. Never decreases.
  [[nodiscard]] Mass sum() const { return sum_; }

  void advance() {
    if (is_last_of_section()) {
      enter(section_ + 1);
      return;
    }
    ++item_;
    set_sum(sum_ + excess());
  }

 private:
  using Iterator = typename Sections::const_iterator;

  [[nodiscard]] bool is_last_of_section() const { return item_ == last_; }
  void enter(Iterator section) {
    section_ = section;
    item_ = section->items;
    last_ = item_ + section->count - 1;
    after_ = section->after;
    set_sum(section->before + excess());
  }
  // Rounding may not carry it beyond the section's sum, nor short of it.
  void set_sum(Mass sum) { sum_ = is_last_of_section() ? after_ : std::min(sum, after_); }

  Iterator end_;
  Iterator section_;
  const HandedOn<Mass>* item_;
  const HandedOn<Mass>* last_;  // of the section's
  Mass after_;                  // the sum with that
  Mass sum_;
};

/// The sweep over one section's lists.
template <class Mass>
struct Lane {
  SectionLists<Mass> lists;
  std::uint64_t integers[section_items];  // the masses, if they are `TiledMasses`
  std::size_t task;                       // which one of a list of sections it is
  ItemRange items;
  bool has_heavy;
  Index last;   // the heavy item that stays open at the end
  Index light;  // next light item
  Index heavy;  // open heavy item
  Slack<Mass> slack;

  /// Steps that surely do not run out of light or heavy items.
  [[nodiscard]] Index safe_steps() const {
    return std::min((lists.lights - light) / step_lights, last - heavy);
  }
};

/// The masses of the lane's section, which `read` has read.
template <class T>
[[nodiscard]] const ScaledWeights<T>& section_masses(const ScaledWeights<T>& masses,
                                                     const Lane<double>& /*lane*/) {
  return masses;
}
template <class T>
[[nodiscard]] IntegerMasses section_masses(const TiledMasses<T>& /*masses*/,
                                           const Lane<std::uint64_t>& lane) {
  return {lane.integers, lane.items.begin};
}

/// Reads a section and makes its lists.
template <class Masses>
void read(const Masses& masses, Index section, ItemRange items, Lane<typename Masses::Mass>& lane) {
  lane.items = items;
  if constexpr (std::is_integral_v<typename Masses::Mass>) {
    write_masses(std::span(masses.weights + items.begin, items.size()), masses.tiles[section],
                 lane.integers);
  }
  read_section(section_masses(masses, lane), items.begin, items.size(), lane.lists);
}

/// All ones if `slack` is negative, else 0: selects by arithmetic where the compiler might prefer a
/// branch that no predictor can learn.
template <class S>
[[nodiscard]] std::uint64_t negative_mask(S slack) {
  return static_cast<std::uint64_t>(std::bit_cast<std::int64_t>(slack) >> 63);
}
/// One step of the sweep, without a branch: the open heavy item fills as many of the next light
/// items as it has slack for (the last of them makes it negative); then, if it has been used up,
/// the next one takes over. Aliases are stored for all of these light items, and the slack whether
/// final or not; those that stay are right.
template <class Mass>
inline void step(SectionLists<Mass>& lists, std::uint64_t& light, std::uint64_t& heavy,
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

/// The masses that will be read next: brought into the cache a little with every turn, in which
/// memory has nothing else to do.
struct Ahead {
  const char* next = nullptr;
  const char* end = nullptr;

  void fetch() {
    constexpr std::ptrdiff_t line = 64;
    __builtin_prefetch(next, 0, 2);
    __builtin_prefetch(next + line, 0, 2);
    next = std::min(next + 2 * line, end);
  }
};

/// Sweeps in all lanes, a step in each in turn, until one of them has nearly run out of items.
template <class Mass>
void sweep_in_turns(std::array<Lane<Mass>, lanes>& lane, Ahead& ahead) {
  std::array<std::uint64_t, lanes> light;
  std::array<std::uint64_t, lanes> heavy;
  std::array<Slack<Mass>, lanes> slack;
  for (Index k = 0; k < lanes; ++k) {
    light[k] = lane[k].light;
    heavy[k] = lane[k].heavy;
    slack[k] = lane[k].slack;
  }
  for (;;) {
    std::uint64_t steps = section_items;
    for (Index k = 0; k < lanes; ++k) {
      steps = std::min(
          {steps, (lane[k].lists.lights - light[k]) / step_lights, lane[k].last - heavy[k]});
    }
    if (steps < least_steps) break;
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

/// Reads and sweeps the sections `section(task)` for all `tasks`. `prepare(lane)` is called when
/// the lists have been read and returns how long the list of heavy items to sweep over is, the last
/// of which stays open; `finish(lane)` when the sweep has ended.
template <class Masses, class Section, class Prepare, class Finish>
void sweep_sections(const Masses& masses, Index n, Range tasks, const Section& section,
                    const Prepare& prepare, const Finish& finish) {
  using Mass = typename Masses::Mass;
  const auto lane = std::make_unique_for_overwrite<std::array<Lane<Mass>, lanes>>();
  std::uint64_t next = tasks.begin;
  Ahead ahead;
  const auto end = [&](Lane<Mass>& ended) {
    if (ended.has_heavy) {
      sweep_runs(ended);
      finish_sweep(ended);
    }
    finish(ended);
  };
  // Gives the lane a section with steps to take in turns, and ends those without; false when there
  // are no more.
  const auto begin_next = [&](Lane<Mass>& begun) {
    while (next < tasks.end) {
      begun.task = next++;
      read(masses, section(begun.task), items_of(section(begun.task), n), begun);
      if (next < tasks.end) {
        const ItemRange items = items_of(section(next), n);
        ahead = {reinterpret_cast<const char*>(masses.weights + items.begin),
                 reinterpret_cast<const char*>(masses.weights + items.end)};
      }
      const Index heavies = prepare(begun);
      begun.has_heavy = heavies > 0;
      begun.last = begun.has_heavy ? heavies - 1 : 0;
      begun.light = 0;
      begun.heavy = 0;
      begun.slack = begun.lists.heavy_slack[0];
      if (begun.safe_steps() >= least_steps) return true;
      end(begun);
    }
    return false;
  };
  Index busy = 0;
  while (busy < lanes && begin_next((*lane)[busy])) ++busy;
  while (busy == lanes) {
    sweep_in_turns(*lane, ahead);
    for (Index k = 0; k < lanes; ++k) {
      if ((*lane)[k].safe_steps() >= least_steps) continue;
      end((*lane)[k]);
      if (begin_next((*lane)[k])) continue;
      for (Index other = 0; other < lanes; ++other) {
        if (other != k) end((*lane)[other]);
      }
      return;
    }
  }
  for (Index k = 0; k < busy; ++k) end((*lane)[k]);
}

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

WeightSummary SectionedSweep::check(WeightsView weights) const {
  return summarise(weights, options().threads, &leaf_totals_);
}

void SectionedSweep::do_build(WeightsView weights, const WeightSummary& summary) {
  const unsigned threads = options().threads;
  if (options().arithmetic == Arithmetic::fixed_point) {
    const std::vector<MassTile> tiles = find_mass_tiles(weights, threads);
    HostTable& table = prepare_table(summary.size, static_cast<double>(fixed_bucket));
    weights.visit([&]<class T>(std::span<const T> w) {
      const TiledMasses<T> masses{w.data(), tiles};
      table.visit([&](auto rows) {
        sectioned_sweep(masses, rows, {}, threads,
                        std::get<HandedOnLists<std::uint64_t>>(handed_on_));
      });
    });
    return;
  }
  construct_in_floating_point(weights, summary, [&](auto masses, auto rows) {
    sectioned_sweep(masses, rows, leaf_totals_, threads,
                    std::get<HandedOnLists<double>>(handed_on_));
  });
}

}  // namespace wrsgpu
