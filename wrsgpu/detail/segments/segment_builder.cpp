#include "wrsgpu/detail/segments/segment_builder.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <limits>
#include <mutex>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/core/target_clones.hpp"
#include "wrsgpu/detail/masses/valid_weight.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/segments/segment_draws.hpp"
#include "wrsgpu/detail/segments/segment_lists.hpp"
#include "wrsgpu/detail/segments/segment_masses.hpp"
#include "wrsgpu/detail/segments/segment_rows.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::segments {
namespace {

/// Items of the segments that a thread builds at a time.
constexpr std::uint64_t task_items = std::uint64_t{1} << 16;
/// Longer segments are built by all threads together.
constexpr std::uint64_t long_items = std::uint64_t{1} << 18;

/// Vectorised.
template <class T>
[[gnu::always_inline]] inline bool are_valid(const T* weights, std::size_t count) {
  int valid = 1;
  for (std::size_t i = 0; i < count; ++i) {
    valid &= static_cast<int>(weights[i] >= 0) &
             static_cast<int>(weights[i] <= std::numeric_limits<T>::max());
  }
  return valid == 1;
}
WRSGPU_TARGET_CLONES bool are_valid_weights(const float* weights, std::size_t count) {
  return are_valid(weights, count);
}
WRSGPU_TARGET_CLONES bool are_valid_weights(const double* weights, std::size_t count) {
  return are_valid(weights, count);
}

/// Empties the lists. The next items have these sums before them.
void clear(Lists& lists, std::uint64_t deficits = 0, std::uint64_t excesses = 0) {
  lists.light = {0, 0, deficits};
  lists.heavy = {Lists::room, Lists::room, excesses};
}

/// The parts of a segment.
template <class T>
class Parts {
 public:
  /// @param first number of the first item
  Parts(std::span<const T> weights, std::uint64_t first)
      : weights_(weights), first_(static_cast<Index>(first)), parts_(part_count(weights.size())) {}

  [[nodiscard]] Index count() const { return static_cast<Index>(parts_.size()); }
  [[nodiscard]] const Part& operator[](Index part) const { return parts_[part]; }
  /// The elements of a part in a range with one for each item.
  template <class Element>
  [[nodiscard]] static std::span<Element> part_of(std::span<Element> range, Index part) {
    const std::uint64_t begin = std::uint64_t{part} * part_items;
    return range.subspan(begin, std::min<std::uint64_t>(part_items, range.size() - begin));
  }

  /// Step 1 for a part: computed, or given.
  void sum(Index part, Lists& lists) {
    set_sum(part,
            list_loops<T>().write_prefix_sums(part_of(weights_, part), lists.prefix_sums.data()));
  }
  void set_sum(Index part, const TileSum& sum) { parts_[part].sum = sum; }
  /// Step 2. Returns whether the segment has weight.
  [[nodiscard]] bool balance() {
    const auto sum_of = [&](std::size_t part) {
      return part_sum(parts_[part].sum.sum, parts_[part].sum.shift);
    };
    const CommonSum all = common_sum(parts_.size(), sum_of);
    const CommonUnit unit(all.total, static_cast<Index>(weights_.size()));
    WideSum prefix = 0;
    std::uint64_t before = 0;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      prefix += common_tile_sum(sum_of(part), all.shift);
      const std::uint64_t inclusive = unit.prefix_mass(prefix);
      parts_[part].mass = inclusive - before;
      before = inclusive;
    }
    return all.total > 0;
  }
  /// Step 3 for a part: F(S_i).
  [[nodiscard]] std::span<std::uint64_t> prefix_masses(Index part, Lists& lists) const {
    const auto weights = part_of(weights_, part);
    const auto sums = std::span(lists.prefix_sums).first(weights.size());
    list_loops<T>().write_sums(weights, parts_[part].sum.shift, sums.data());
    sums_to_prefix_masses(sums, parts_[part]);
    return sums;
  }
  /// Appends the items of a part.
  void append(Index part, Lists& lists) const {
    list_loops<T>().append(part_of(weights_, part), parts_[part], first_ + part * part_items,
                           lists);
  }

 private:
  std::span<const T> weights_;
  Index first_;
  std::vector<Part> parts_;
};

/// The row of an item that keeps all but `lack` of its bucket. Rows are made by vectors.
[[gnu::always_inline]] inline CompactRow row_of(std::uint64_t lack, Index item, Index alias) {
  return {0 - static_cast<Index>(lack), lack == 0 ? item : alias};
}
WRSGPU_TARGET_CLONES void make_light_rows(const std::uint64_t* __restrict sums,
                                          const Index* __restrict items,
                                          const Index* __restrict heavies,
                                          const Index* __restrict all_items, std::uint64_t count,
                                          CompactRow* __restrict rows) {
  for (std::uint64_t l = 0; l < count; ++l) {
    rows[l] = row_of(sums[l + 1] - sums[l], items[l], all_items[heavies[l]]);
  }
}
WRSGPU_TARGET_CLONES void make_heavy_rows(const std::uint64_t* __restrict sums,
                                          const Index* __restrict items,
                                          const Index* __restrict lights,
                                          const std::uint64_t* __restrict all_sums,
                                          std::uint64_t count, CompactRow* __restrict rows) {
  for (std::uint64_t h = 0; h < count; ++h) {
    rows[h] = row_of(all_sums[lights[h]] - sums[h], items[h], items[h + 1]);
  }
}

/// Makes the rows of so many of the next items of both lists, and removes these.
void sweep(Lists& lists, std::uint64_t lights, std::uint64_t heavies, CompactRow* rows) {
  // The merge of both lists, of equal sums heavy items first, finds where each item ends: some
  // pieces of it at a time, as the steps of one depend on each other.
  constexpr std::size_t pieces = 4;
  const std::uint64_t* const sums = lists.sums.data();
  const std::uint64_t steps = (lights + heavies) / pieces;
  std::array<std::uint64_t, pieces + 1> light_begins;
  std::array<std::uint64_t, pieces + 1> heavy_begins;
  for (std::size_t k = 0; k < pieces; ++k) {
    // How many of the steps before are of light items.
    const std::uint64_t before = k * steps;
    std::uint64_t low = before > heavies ? before - heavies : 0;
    for (std::uint64_t high = std::min(before, lights); low < high;) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (sums[lists.light.begin + middle] < sums[lists.heavy.begin + (before - 1 - middle)]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    light_begins[k] = lists.light.begin + low;
    heavy_begins[k] = lists.heavy.begin + (before - low);
  }
  lists.light.begin += lights;
  lists.heavy.begin += heavies;
  light_begins[pieces] = lists.light.begin;
  heavy_begins[pieces] = lists.heavy.begin;
  std::array<std::uint64_t, pieces + 1> light = light_begins;
  std::array<std::uint64_t, pieces + 1> heavy = heavy_begins;
  // A step is written to both of its items, and stays with the one that it takes. So a piece writes
  // to the first items of the next one, too, which therefore has them one element further.
  Index* const others = lists.others.data();
  const auto step = [&](std::size_t k) {
    const auto takes_light = static_cast<std::uint64_t>(sums[light[k]] < sums[heavy[k]]);
    others[light[k] + k] = static_cast<Index>(heavy[k]);
    others[heavy[k] + k] = static_cast<Index>(light[k]);
    light[k] += takes_light;
    heavy[k] += 1 - takes_light;
  };
  // The rows of the kind that is ahead: the other one's are in the cache.
  const CompactRow* soon =
      rows + std::max(lists.items[light_begins[0]], lists.items[heavy_begins[0]]);
  for (std::uint64_t n = 0; n < steps; ++n) {
    __builtin_prefetch(soon, 1);
    soon += pieces;
    for (std::size_t k = 0; k < pieces; ++k) step(k);
  }
  while (light[pieces - 1] + heavy[pieces - 1] < light[pieces] + heavy[pieces]) step(pieces - 1);
  const Index* const items = lists.items.data();
  CompactRow* const made = lists.rows.data();
  const auto store = [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t place = begin; place < end; ++place) rows[items[place]] = made[place];
  };
  for (std::size_t k = 0; k < pieces; ++k) {
    const std::uint64_t l = light_begins[k];
    const std::uint64_t h = heavy_begins[k];
    make_light_rows(sums + l, items + l, others + l + k, items, light_begins[k + 1] - l, made + l);
    make_heavy_rows(sums + h, items + h, others + h + k, sums, heavy_begins[k + 1] - h, made + h);
  }
  store(light_begins[0], light_begins[pieces]);
  store(heavy_begins[0], heavy_begins[pieces]);
}

/// Ends a list with the sum of the next item; of heavy items after the last one of a segment, one
/// that is greater than all others, as remaining light items have whole buckets.
void end_list(Lists& lists, std::uint64_t end, std::uint64_t sum) {
  lists.sums[end] = sum;
  lists.items[end] = 0;
}
constexpr std::uint64_t greatest_sum = ~std::uint64_t{0};

/// Moves items to the beginning of their list, at `to`, if they are few, so that it stays in the
/// cache, or if there is no room for those of a part.
void make_room(Lists& lists, Lists::Kind& kind, std::uint64_t to) {
  if (kind.size() > part_items && kind.end + part_items <= to + Lists::capacity) return;
  std::copy_n(lists.sums.begin() + kind.begin, kind.size(), lists.sums.begin() + to);
  std::copy_n(lists.items.begin() + kind.begin, kind.size(), lists.items.begin() + to);
  kind = {to, to + kind.size(), kind.sum};
}

/// Some of the items that parts leave over, in order: less than a part of each kind, unless one
/// part leaves as many. The sums of both kinds begin with 0.
struct Portion {
  struct Kind {
    std::vector<std::uint64_t> sums;
    std::vector<Index> items;
    std::uint64_t sum = 0;  ///< of all

    void add(std::uint64_t before, Index item) {
      if (sums.empty()) {
        sums.reserve(part_items);
        items.reserve(part_items);
      }
      sums.push_back(before);
      items.push_back(item);
    }
    /// Appends the items to a list.
    void append(Lists& lists, Lists::Kind& kind) const {
      std::uint64_t* const to = lists.sums.data() + kind.end;
      for (std::size_t i = 0; i < sums.size(); ++i) to[i] = kind.sum + sums[i];
      std::ranges::copy(items, lists.items.begin() + kind.end);
      kind.end += sums.size();
      kind.sum += sum;
    }
  };
  Kind light;
  Kind heavy;
};
using Portions = std::vector<Portion>;

/// Makes the rows of a part, but for the items that it leaves over, which are added to the last
/// portion or to a new one.
template <class T>
void make_rows_of_part(const Parts<T>& parts, Index part, Lists& lists, CompactRow* rows,
                       Portions& portions) {
  clear(lists);
  parts.append(part, lists);
  const Lists::Kind light = lists.light;
  const Lists::Kind heavy = lists.heavy;
  end_list(lists, light.end, light.sum);
  end_list(lists, heavy.end, greatest_sum);
  const auto number_of = [&](const Lists::Kind& kind, const auto& border) {
    const auto sums = std::span(lists.sums).subspan(kind.begin, kind.size());
    return static_cast<std::uint64_t>(border(sums) - sums.begin());
  };
  const bool has_excess = heavy.sum > light.sum;
  const std::uint64_t lights = has_excess ? light.size() : number_of(light, [&](auto sums) {
    return std::ranges::lower_bound(sums, heavy.sum);
  });
  const std::uint64_t heavies = !has_excess ? heavy.size() : number_of(heavy, [&](auto sums) {
    return std::ranges::upper_bound(sums, light.sum);
  });
  sweep(lists, lights, heavies, rows);
  const Lists::Kind& left = has_excess ? lists.heavy : lists.light;
  Portion::Kind Portion::*const kind = has_excess ? &Portion::heavy : &Portion::light;
  if (portions.empty() || (portions.back().*kind).items.size() + left.size() >= part_items) {
    portions.emplace_back();
  }
  Portion::Kind& to = portions.back().*kind;
  const std::uint64_t done = has_excess ? light.sum : heavy.sum;
  const std::uint64_t before = to.sum;
  if (!has_excess && heavies > 0 && lists.sums[lists.light.begin] > done) {
    to.add(before, lists.items[heavy.end - 1]);
  }
  for (std::uint64_t place = left.begin; place < left.end; ++place) {
    to.add(before + (lists.sums[place] - done), lists.items[place]);
  }
  to.sum = before + (has_excess ? heavy.sum - done : light.sum - done);
}

/// Makes the rows of the light items of the portions [begin, end) and of the heavy items that end
/// meanwhile, the first of them in portion `donor`. The lists, empty at the beginning, have the
/// sums before both portions; they hold few portions at a time.
void make_rows(const Portions& portions, std::size_t begin, std::size_t end, std::size_t donor,
               Lists& lists, CompactRow* rows) {
  const auto read_lights = [&] {
    make_room(lists, lists.light, 0);
    portions[begin++].light.append(lists, lists.light);
  };
  const auto read_heavies = [&] {
    make_room(lists, lists.heavy, Lists::room);
    portions[donor++].heavy.append(lists, lists.heavy);
  };
  const auto sums_from = [&](std::uint64_t place) { return lists.sums.begin() + place; };
  const auto heavies_to = [&](std::uint64_t last, std::uint64_t sum) {
    const auto first = sums_from(lists.heavy.begin);
    return static_cast<std::uint64_t>(std::upper_bound(first, sums_from(last), sum) - first);
  };
  if (donor < portions.size()) {
    read_heavies();
    lists.heavy.begin += heavies_to(lists.heavy.end, lists.light.sum);  // those have ended before
  }
  for (;;) {
    end_list(lists, lists.light.end, lists.light.sum);
    const bool all_heavies = donor == portions.size();
    if (all_heavies) end_list(lists, lists.heavy.end, greatest_sum);
    const std::uint64_t known = lists.heavy.end + (all_heavies ? 1 : 0);
    bool lacks_lights = false;
    if (known > lists.heavy.begin) {
      // Steps up to the lesser one of the last sums, where what follows is known.
      const std::uint64_t last = lists.sums[known - 1];
      lacks_lights = lists.light.sum < last;
      const auto lights =
          std::lower_bound(sums_from(lists.light.begin), sums_from(lists.light.end), last) -
          sums_from(lists.light.begin);
      sweep(lists, static_cast<std::uint64_t>(lights), heavies_to(known - 1, lists.light.sum),
            rows);
    }
    if (!lacks_lights) {
      read_heavies();
    } else if (begin < end) {
      read_lights();
    } else {
      return;
    }
  }
}

/// Makes the rows of consecutive segments, except long ones.
template <class T>
void build_short_segments(std::span<const T> weights, std::span<const std::uint64_t> offsets,
                          Range task, Lists& lists, CompactRow* rows) {
  std::vector<Range> without_weight;
  const auto items_of = [&](std::uint64_t from, std::uint64_t to) {
    return offsets[to] - offsets[from];
  };
  for (std::uint64_t s = task.begin; s < task.end;) {
    clear(lists);
    std::uint64_t end = s;
    while (end < task.end && items_of(s, end + 1) <= part_items) ++end;
    if (end > s) {
      list_loops<T>().append_segments(weights.data(), offsets.subspan(s, end + 1 - s), lists,
                                      without_weight);
      end_list(lists, lists.light.end, lists.light.sum);
      end_list(lists, lists.heavy.end, greatest_sum);
      sweep(lists, lists.light.size(), lists.heavy.size(), rows);
      s = end;
      continue;
    }
    const std::uint64_t items = items_of(s, s + 1);
    if (items <= long_items) {
      Parts<T> parts(weights.subspan(offsets[s], items), offsets[s]);
      for (Index part = 0; part < parts.count(); ++part) parts.sum(part, lists);
      if (parts.balance()) {
        Portions portions;
        for (Index part = 0; part < parts.count(); ++part) {
          make_rows_of_part(parts, part, lists, rows, portions);
        }
        clear(lists);
        make_rows(portions, 0, portions.size(), 0, lists, rows);
      } else {
        without_weight.push_back({offsets[s], offsets[s + 1]});
      }
    }
    ++s;
  }
  for (const Range& range : without_weight) {
    std::fill(rows + range.begin, rows + range.end, row_without_weight());
  }
}

/// Step 1 for the parts of a long segment, and whether its weights are valid: they are read once.
template <class T>
bool sum_parts(std::span<const T> weights, unsigned threads, std::vector<TileSum>& sums) {
  constexpr std::uint64_t task_parts = task_items / part_items;
  sums.resize(part_count(weights.size()));
  std::atomic<bool> valid{true};
  parallel_for((sums.size() + task_parts - 1) / task_parts, threads, [&](std::uint64_t task) {
    std::array<std::uint64_t, part_items> prefix_sums;
    const auto end = std::min<std::uint64_t>(sums.size(), (task + 1) * task_parts);
    for (auto part = static_cast<Index>(task * task_parts); part < end; ++part) {
      const auto own = Parts<T>::part_of(weights, part);
      if (are_valid_weights(own.data(), own.size())) {
        sums[part] = list_loops<T>().write_prefix_sums(own, prefix_sums.data());
      } else {
        valid = false;
      }
    }
  });
  return valid;
}

/// Makes the rows of a segment by all threads.
template <class T>
void build_long_segment(std::span<const T> weights, std::uint64_t first,
                        std::span<const TileSum> part_sums, ThreadMemory<Lists>& all_lists,
                        CompactRow* rows, unsigned threads) {
  Parts<T> parts(weights, first);
  for (Index part = 0; part < parts.count(); ++part) parts.set_sum(part, part_sums[part]);
  if (!parts.balance()) {
    std::fill_n(rows + first, weights.size(), row_without_weight());
    return;
  }
  if (threads == 0) threads = hardware_threads();
  /// Calls `f(task, begin, end, lists)` for each task, of some of `count` things.
  const auto for_each_task = [&](std::size_t count, std::size_t of_task, const auto& f) {
    all_lists.parallel_for((count + of_task - 1) / of_task, threads,
                           [&](std::uint64_t task, Lists& lists) {
                             f(task, task * of_task, std::min(count, (task + 1) * of_task), lists);
                           });
  };
  const std::size_t task_parts = std::clamp<std::size_t>(parts.count() / (8 * threads), 16, 256);
  std::vector<Portions> of_tasks((parts.count() + task_parts - 1) / task_parts);
  for_each_task(parts.count(), task_parts,
                [&](std::uint64_t task, std::size_t begin, std::size_t end, Lists& lists) {
                  for (std::size_t part = begin; part < end; ++part) {
                    make_rows_of_part(parts, static_cast<Index>(part), lists, rows, of_tasks[task]);
                  }
                });
  Portions portions;
  for (Portions& some : of_tasks) std::ranges::move(some, std::back_inserter(portions));
  /// Sums before each portion.
  struct Sums {
    std::uint64_t deficits = 0;
    std::uint64_t excesses = 0;
  };
  std::vector<Sums> sums(portions.size() + 1);
  for (std::size_t k = 0; k < portions.size(); ++k) {
    sums[k + 1] = {sums[k].deficits + portions[k].light.sum,
                   sums[k].excesses + portions[k].heavy.sum};
  }
  for_each_task(portions.size(), 16,
                [&](std::uint64_t /*task*/, std::size_t begin, std::size_t end, Lists& lists) {
                  const std::uint64_t deficits = sums[begin].deficits;
                  const auto donor = std::partition_point(
                      sums.begin() + 1, sums.end(),
                      [&](const Sums& after) { return after.excesses <= deficits; });
                  clear(lists, deficits, std::prev(donor)->excesses);
                  make_rows(portions, begin, end,
                            static_cast<std::size_t>(donor - sums.begin()) - 1, lists, rows);
                });
}

/// Finds the items that `words` select from a row, whose parts have been summed.
template <class T>
void find_items_of_row(Parts<T>& parts, std::uint64_t columns, std::span<const std::uint64_t> words,
                       std::span<Index> items, ThreadMemory<Lists>& all_lists, unsigned threads) {
  if (!parts.balance()) {
    std::ranges::fill(items, no_item);
    return;
  }
  std::vector<std::uint64_t> masses(parts.count());
  for (Index part = 0; part < parts.count(); ++part) {
    masses[part] = parts[part].mass + (part > 0 ? masses[part - 1] : 0);
  }
  std::vector<Index> part_of(words.size());
  std::vector<std::size_t> ends(parts.count());  // of the samples of each part
  const auto place_of_word = [&](std::size_t i) {
    return place_of(words[i], static_cast<Index>(columns));
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    part_of[i] = first_above(masses.data(), parts.count(), place_of_word(i));
    ++ends[part_of[i]];
  }
  // Sorted by parts, so that the weights of each are read once.
  std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), std::size_t{0});
  std::vector<std::size_t> samples(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) samples[ends[part_of[i]]++] = i;
  std::vector<Index> drawn_parts;
  for (Index part = 0; part < parts.count(); ++part) {
    if (ends[part] > (part > 0 ? ends[part - 1] : 0)) drawn_parts.push_back(part);
  }
  all_lists.parallel_for(drawn_parts.size(), threads, [&](std::uint64_t task, Lists& lists) {
    const Index part = drawn_parts[task];
    const std::uint64_t before = part > 0 ? masses[part - 1] : 0;
    const auto prefix = parts.prefix_masses(part, lists);
    for (std::size_t s = part > 0 ? ends[part - 1] : 0; s < ends[part]; ++s) {
      items[samples[s]] =
          part * part_items + first_above(prefix.data(), static_cast<Index>(prefix.size()),
                                          place_of_word(samples[s]) - before);
    }
  });
}

/// An offset, of which negative ones have become large.
std::string offset_text(std::uint64_t offset, std::uint64_t items) {
  const auto as_signed = offset >> 32 == 0 ? std::int64_t{static_cast<std::int32_t>(offset)}
                                           : static_cast<std::int64_t>(offset);
  return std::to_string(offset) +
         (offset > items && as_signed < 0 ? " (" + std::to_string(as_signed) + " if signed)" : "");
}

std::string items_text(std::uint64_t begin, std::uint64_t end) {
  return "items " + std::to_string(begin) + " to " + std::to_string(end - 1);
}

}  // namespace

void check_sizes(const SegmentsView& segments, const WeightsView& weights, Device device) {
  if (segments.count() == 0) {
    throw Error("argument 'segments' has no segment; one more offset than segments is needed");
  }
  if (weights.size() > max_items) check_size_and_memory(weights, device);
  const auto require_memory_of = [&](const char* argument, Device actual) {
    if (actual == device) return;
    throw Error("argument '" + std::string(argument) + "' is in " + std::string(to_string(actual)) +
                " memory; " + std::string(to_string(device)) + " memory is needed");
  };
  require_memory_of("weights", weights.device());
  if (!segments.is_equal()) return require_memory_of("segments", segments.device());
  const std::uint64_t length = segments.visit([](const auto& offsets) { return offsets[1]; });
  if (length > 0 ? weights.size() % length != 0 || weights.size() / length != segments.count()
                 : weights.size() != 0) {
    throw Error("argument 'weights' has " + std::to_string(weights.size()) + " items; " +
                std::to_string(segments.count()) + " segments of " + std::to_string(length) +
                " are needed");
  }
}

void throw_bad_offset(std::uint64_t segment, std::uint64_t begin, std::uint64_t end,
                      std::uint64_t items) {
  if (segment == 0 && begin != 0) {
    throw Error("argument 'segments': the first offset is " + offset_text(begin, items) +
                "; it must be 0");
  }
  throw Error("argument 'segments': segment " + std::to_string(segment) + " begins at " +
              offset_text(begin, items) + " and ends at " + offset_text(end, items) +
              ", but there are " + std::to_string(items) + " weights" +
              (begin <= end && end < items ? " and this is the last segment" : ""));
}

void throw_bad_item(std::uint64_t segment, std::uint64_t begin, std::uint64_t item, double weight,
                    int digits) {
  std::ostringstream message;
  message.precision(digits);
  message << "argument 'weights': in segment " << segment << ", item " << item - begin
          << " (weight " << item << " of all) " << fault_of_weight(weight) << " (" << weight << ")";
  throw Error(message.str());
}

void throw_no_weight(std::uint64_t segment, std::uint64_t begin, std::uint64_t end) {
  const std::string name = "': segment " + std::to_string(segment);
  if (begin == end) {
    throw Error("argument 'segments" + name + " is empty; set empty_ok to permit it");
  }
  throw Error("argument 'weights" + name + " (" + items_text(begin, end) +
              ") has only zeros; set empty_ok to permit it");
}

std::vector<LongSegment> check_segments(const SegmentsView& segments, const WeightsView& weights,
                                        bool empty_ok, unsigned threads) {
  check_sizes(segments, weights, Device::cpu);
  std::vector<LongSegment> long_segments;
  segments.visit([&](const auto& begin_of) {
    // Before any weight is read.
    std::mutex mutex;
    std::uint64_t first_bad = segments.count();
    const std::uint64_t offset_tasks = segments.count() / task_items + 1;
    parallel_for(offset_tasks, threads, [&](std::uint64_t task) {
      const Range own = slice(segments.count(), task, offset_tasks);
      for (std::uint64_t s = own.begin; s < own.end; ++s) {
        const std::uint64_t begin = begin_of[s];
        const std::uint64_t end = begin_of[s + 1];
        const bool is_last = s + 1 == segments.count();
        const bool is_bad = (s == 0 && begin != 0) || begin > end || end > weights.size() ||
                            (is_last && end != weights.size());
        if (!is_bad && end - begin <= long_items) continue;
        const std::lock_guard lock(mutex);
        if (!is_bad) {
          long_segments.push_back({s, {}});
        } else {
          first_bad = std::min(first_bad, s);
        }
      }
    });
    if (first_bad < segments.count()) {
      throw_bad_offset(first_bad, begin_of[first_bad], begin_of[first_bad + 1], weights.size());
    }
    std::ranges::sort(long_segments, {}, &LongSegment::number);
    weights.visit([&]<class T>(std::span<const T> w) {
      const auto has_weight = [&](std::uint64_t s) {
        return std::any_of(w.data() + begin_of[s], w.data() + begin_of[s + 1],
                           [](T weight) { return weight > 0; });
      };
      std::atomic<bool> are_good{true};
      for (LongSegment& one : long_segments) {
        const std::uint64_t begin = begin_of[one.number];
        if (!sum_parts(w.subspan(begin, begin_of[one.number + 1] - begin), threads, one.sums)) {
          are_good = false;
        }
      }
      const auto check = [&](std::uint64_t begin, std::uint64_t end) {
        if (begin < end && !are_valid_weights(w.data() + begin, end - begin)) are_good = false;
      };
      const std::uint64_t tasks = (w.size() + segments.count()) / task_items + 1;
      parallel_for(tasks, threads, [&](std::uint64_t task) {
        Range range = slice(w.size(), task, tasks);
        for (const LongSegment& one : long_segments) {
          check(range.begin, std::min<std::uint64_t>(range.end, begin_of[one.number]));
          range.begin = std::max<std::uint64_t>(range.begin, begin_of[one.number + 1]);
        }
        check(range.begin, range.end);
        if (empty_ok) return;
        const Range own = slice(segments.count(), task, tasks);
        for (std::uint64_t s = own.begin; s < own.end; ++s) {
          if (!has_weight(s)) are_good = false;
        }
      });
      if (are_good) return;
      for (std::uint64_t s = 0; s < segments.count(); ++s) {
        for (std::uint64_t i = begin_of[s]; i < begin_of[s + 1]; ++i) {
          if (is_valid_weight(w[i])) continue;
          throw_bad_item(s, begin_of[s], i, static_cast<double>(w[i]),
                         std::numeric_limits<T>::max_digits10);
        }
        if (!empty_ok && !has_weight(s)) throw_no_weight(s, begin_of[s], begin_of[s + 1]);
      }
    });
  });
  return long_segments;
}

void write_segment_masses(const WeightsView& weights, std::span<std::uint64_t> masses,
                          unsigned threads) {
  weights.visit([&](auto w) {
    Parts parts(w, 0);  // possibly of one
    ThreadMemory<Lists> all_lists;
    const auto for_each_part = [&](const auto& f) {
      all_lists.parallel_for(parts.count(), threads, [&](std::uint64_t part, Lists& lists) {
        f(static_cast<Index>(part), lists);
      });
    };
    for_each_part([&](Index part, Lists& lists) { parts.sum(part, lists); });
    static_cast<void>(parts.balance());
    for_each_part([&](Index part, Lists& lists) {
      const auto prefix = parts.prefix_masses(part, lists);
      std::adjacent_difference(prefix.begin(), prefix.end(), parts.part_of(masses, part).begin());
    });
  });
}

void write_prefix_masses(const WeightsView& weights, std::span<std::uint64_t> sums) {
  weights.visit([&](auto w) {
    const auto& loops = list_loops<typename decltype(w)::value_type>(HostCode::portable);
    sums_to_prefix_masses(
        sums, {loops.write_prefix_sums(w, sums.data()), std::uint64_t{sums.size()} << 32});
  });
}

void find_items(const WeightsView& weights, std::uint64_t rows,
                std::span<const LongSegment> long_rows, std::span<const std::uint64_t> words,
                std::span<Index> items, unsigned threads) {
  const std::uint64_t columns = weights.size() / rows;
  const std::uint64_t samples = words.size() / rows;
  weights.visit([&](auto w) {
    ThreadMemory<Lists> all_lists;
    const auto find = [&](std::uint64_t row, unsigned row_threads, const auto& sum_part) {
      Parts parts(w.subspan(row * columns, columns), 0);
      for (Index part = 0; part < parts.count(); ++part) sum_part(parts, part);
      find_items_of_row(parts, columns, words.subspan(row * samples, samples),
                        items.subspan(row * samples, samples), all_lists, row_threads);
    };
    for (const LongSegment& one : long_rows) {
      find(one.number, threads,
           [&](auto& parts, Index part) { parts.set_sum(part, one.sums[part]); });
    }
    if (!long_rows.empty()) return;
    all_lists.parallel_for(rows, threads, [&](std::uint64_t row, Lists& lists) {
      find(row, 1, [&](auto& parts, Index part) { parts.sum(part, lists); });
    });
  });
}

void build_segments(std::span<const std::uint64_t> offsets, const WeightsView& weights,
                    std::span<const LongSegment> long_segments, CompactRow* rows,
                    unsigned threads) {
  const std::uint64_t segments = offsets.size() - 1;
  const std::uint64_t tasks = (offsets.back() + segments) / task_items + 1;
  // The first segment s with offsets[s] + s >= the task's share.
  const auto border = [&](std::uint64_t task) {
    std::uint64_t low = 0;
    for (std::uint64_t high = segments; low < high;) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (offsets[middle] + middle < task * task_items) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  weights.visit([&](auto w) {
    ThreadMemory<Lists> all_lists;
    all_lists.parallel_for(tasks, threads, [&](std::uint64_t task, Lists& lists) {
      build_short_segments(w, offsets, {border(task), border(task + 1)}, lists, rows);
    });
    for (const LongSegment& one : long_segments) {
      const std::uint64_t begin = offsets[one.number];
      build_long_segment(w.subspan(begin, offsets[one.number + 1] - begin), begin, one.sums,
                         all_lists, rows, threads);
    }
  });
}

}  // namespace wrsgpu::segments
