#include "wrsgpu/detail/segments/segment_builder.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/core/target_clones.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/segments/segment_masses.hpp"
#include "wrsgpu/detail/segments/segment_rows.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::segments {
namespace {

/// Items of the segments that a thread builds at a time.
constexpr std::uint64_t task_items = std::uint64_t{1} << 16;
/// Longer segments are built by all threads together.
constexpr std::uint64_t long_items = std::uint64_t{1} << 18;
/// Parts of a long segment that a thread takes at a time.
constexpr Index task_parts = 32;

/// The bits of a number that is not negative, which are ordered like the numbers.
template <class T>
using OrderedBits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// The largest of valid weights. A loop over integers, which compilers vectorise.
template <class T>
[[gnu::always_inline]] inline T largest_weight(const T* weights, std::size_t count) {
  OrderedBits<T> largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    largest = std::max(largest, std::bit_cast<OrderedBits<T>>(weights[i]));
  }
  return std::bit_cast<T>(largest);
}
WRSGPU_TARGET_CLONES float largest_of(const float* weights, std::size_t count) {
  return largest_weight(weights, count);
}
WRSGPU_TARGET_CLONES double largest_of(const double* weights, std::size_t count) {
  return largest_weight(weights, count);
}

template <class T>
[[gnu::always_inline]] inline bool all_are_valid(const T* weights, std::size_t count) {
  bool valid = true;
  for (std::size_t i = 0; i < count; ++i) {
    // Not a NaN, which compares false.
    valid &= (weights[i] >= 0) & (weights[i] <= std::numeric_limits<T>::max());
  }
  return valid;
}
WRSGPU_TARGET_CLONES bool are_valid(const float* weights, std::size_t count) {
  return all_are_valid(weights, count);
}
WRSGPU_TARGET_CLONES bool are_valid(const double* weights, std::size_t count) {
  return all_are_valid(weights, count);
}

/// Step 1 for the items of a part: sums[i] = S_i. Returns S.
template <class T>
TileSum prefix_sums(std::span<const T> weights, std::uint64_t* sums) {
  const int shift = part_shift(exponent_of(largest_of(weights.data(), weights.size())));
  const IntegerWeight<T> integer(shift);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sums[i] = sum += integer.floor(weights[i]);
  return {sum, shift};
}

/// Step 3: replaces the sums S_i by masses.
void sums_to_masses(std::span<std::uint64_t> sums, std::uint64_t mass) {
  const PrefixMass prefix_mass(sums.back(), mass);
  std::uint64_t before = 0;
  for (std::uint64_t& sum : sums) {
    const std::uint64_t inclusive = prefix_mass(sum);
    sum = inclusive - before;
    before = inclusive;
  }
}

/// Calls `f(part)` for every part of a segment.
void for_each_part(Index parts, unsigned threads, const auto& f) {
  parallel_for((parts + task_parts - 1) / task_parts, threads, [&](std::uint64_t task) {
    const auto begin = static_cast<Index>(task * task_parts);
    for (Index part = begin; part < std::min(parts, begin + task_parts); ++part) f(part);
  });
}

/// The part of a range with one element per item.
template <class T>
std::span<T> items_of(std::span<T> range, Index part) {
  const std::uint64_t begin = std::uint64_t{part} * part_items;
  return range.subspan(begin, std::min<std::uint64_t>(part_items, range.size() - begin));
}

template <class T>
void masses_of(std::span<const T> weights, std::span<std::uint64_t> masses, unsigned threads) {
  const Index parts = part_count(weights.size());
  if (parts <= 1) {
    if (parts == 0) return;
    prefix_sums(weights, masses.data());
    return sums_to_masses(masses, std::uint64_t{weights.size()} << 32);
  }
  std::vector<TileSum> sums(parts);
  for_each_part(parts, threads, [&](Index part) {
    const TileSum sum = prefix_sums(items_of(weights, part), items_of(masses, part).data());
    sums[part] = part_sum(sum.sum, sum.shift);
  });
  int shift = std::numeric_limits<int>::max();
  for (const TileSum& sum : sums) {
    if (sum.sum > 0) shift = std::min(shift, sum.shift);
  }
  std::vector<WideSum> prefix(parts);
  WideSum total = 0;
  for (Index part = 0; part < parts; ++part) {
    prefix[part] = total += common_tile_sum(sums[part], shift);
  }
  const CommonUnit unit(total, static_cast<Index>(weights.size()));
  for_each_part(parts, threads, [&](Index part) {
    const std::uint64_t before = part == 0 ? 0 : unit.prefix_mass(prefix[part - 1]);
    sums_to_masses(items_of(masses, part), unit.prefix_mass(prefix[part]) - before);
  });
}

/// The masses of a segment, and its light and its heavy items, both in order.
struct Lists {
  explicit Lists(std::uint64_t capacity)
      : masses(capacity + 1), lights(capacity + 1), heavies(capacity + 1) {}
  HostBuffer<std::uint64_t> masses;
  HostBuffer<Index> lights;
  HostBuffer<Index> heavies;
};

/// Where the sweep of a segment stands.
struct Sweep {
  Index light;         ///< index of the next light item in its list
  Index heavy;         ///< that of the current heavy item
  std::uint64_t have;  ///< what the current heavy item has left
};

/// Appends the items [begin, end) to the lists, whose lengths are in `sweep`.
void append_items(Lists& lists, Index begin, Index end, Sweep& sweep) {
  for (Index i = begin; i < end; ++i) {
    const bool is_light = lists.masses[i] <= fixed_bucket;
    lists.lights[sweep.light] = i;
    lists.heavies[sweep.heavy] = i;
    sweep.light += is_light ? 1 : 0;
    sweep.heavy += is_light ? 0 : 1;
  }
}

/// Makes the next `steps` rows of the sweep of a segment that begins with item `first`. Without a
/// branch that depends on the masses, which would be unpredictable. Of equal sums a heavy item ends
/// first.
void sweep_rows(const Lists& lists, Sweep sweep, std::uint64_t steps, Index first,
                CompactRow* rows) {
  Index heavy = lists.heavies[sweep.heavy];
  for (; steps > 0; --steps) {
    const bool is_light = sweep.have > fixed_bucket;
    const Index light = lists.lights[sweep.light];
    const Index next = lists.heavies[sweep.heavy + 1];
    const std::uint64_t light_mass = lists.masses[light];
    const std::uint64_t own = is_light ? light_mass : sweep.have;
    const Index item = is_light ? light : heavy;
    const Index alias = is_light ? heavy : next;
    rows[item] = {static_cast<Index>(own), first + (own == fixed_bucket ? item : alias)};
    sweep.have += (is_light ? light_mass : lists.masses[next]) - fixed_bucket;
    sweep.light += is_light ? 1 : 0;
    sweep.heavy += is_light ? 0 : 1;
    heavy = is_light ? heavy : next;
  }
}

/// Ends the lists: a heavy item that never ends follows the last one, so that the remaining light
/// items, which have whole buckets, are swept; its number is that of no item.
void end_lists(Lists& lists, Index items, const Sweep& lengths) {
  constexpr std::uint64_t never_ends = std::uint64_t{1} << 63;
  lists.masses[items] = never_ends;
  lists.lights[lengths.light] = items;
  lists.heavies[lengths.heavy] = items;
  if (lengths.heavy < items) lists.heavies[lengths.heavy + 1] = items;
}

void write_rows_without_weight(std::uint64_t items, CompactRow* rows) {
  std::fill_n(rows, items, row_without_weight());
}

template <class T>
void build_segment(std::span<const T> weights, Index first, CompactRow* rows, Lists& lists) {
  const auto items = static_cast<Index>(weights.size());
  if (items == 0) return;
  masses_of(weights, lists.masses.span().first(items), 1);
  Sweep lengths{0, 0, 0};
  append_items(lists, 0, items, lengths);
  end_lists(lists, items, lengths);
  if (lengths.heavy == 0 && lists.masses[0] == 0) return write_rows_without_weight(items, rows);
  sweep_rows(lists, {0, 0, lists.masses[lists.heavies[0]]}, items, first, rows);
}

/// Sums over the items before a part.
struct PartBegin {
  std::uint64_t deficits = 0;
  std::uint64_t excesses = 0;
  Index lights = 0;
  Index heavies = 0;
};

/// As `build_segment`, by all threads: each makes the rows of the light items of some parts and of
/// the heavy items that end meanwhile.
template <class T>
void build_long_segment(std::span<const T> weights, Index first, CompactRow* rows,
                        unsigned threads) {
  const auto items = static_cast<Index>(weights.size());
  Lists lists(items);
  const std::span<std::uint64_t> masses = lists.masses.span().first(items);
  masses_of(weights, masses, threads);
  const Index parts = part_count(items);
  std::vector<PartBegin> begins(parts + 1);
  for_each_part(parts, threads, [&](Index part) {
    PartBegin& sums = begins[part + 1];
    for (const std::uint64_t mass : items_of(masses, part)) {
      const bool is_light = mass <= fixed_bucket;
      sums.lights += is_light ? 1 : 0;
      sums.heavies += is_light ? 0 : 1;
      sums.deficits += is_light ? fixed_bucket - mass : 0;
      sums.excesses += is_light ? 0 : mass - fixed_bucket;
    }
  });
  for (Index part = 0; part < parts; ++part) {
    begins[part + 1].lights += begins[part].lights;
    begins[part + 1].heavies += begins[part].heavies;
    begins[part + 1].deficits += begins[part].deficits;
    begins[part + 1].excesses += begins[part].excesses;
  }
  const PartBegin& end = begins[parts];
  if (end.heavies == 0 && masses[0] == 0) return write_rows_without_weight(items, rows);
  for_each_part(parts, threads, [&](Index part) {
    // Its own lists: `append_items` writes one element beyond their ends.
    Lists own(part_items);
    const auto count = static_cast<Index>(items_of(masses, part).size());
    std::copy_n(items_of(masses, part).data(), count, own.masses.data());
    Sweep lengths{0, 0, 0};
    append_items(own, 0, count, lengths);
    const Index begin = part * part_items;
    for (Index l = 0; l < lengths.light; ++l) {
      lists.lights[begins[part].lights + l] = begin + own.lights[l];
    }
    for (Index h = 0; h < lengths.heavy; ++h) {
      lists.heavies[begins[part].heavies + h] = begin + own.heavies[h];
    }
  });
  end_lists(lists, items, {end.lights, end.heavies, 0});
  // Before the first light item of a part: all heavy items have ended whose sum is at most its own.
  const auto sweep_before = [&](Index part) -> Sweep {
    const PartBegin& begin = begins[part];
    const auto donor = std::partition_point(
        begins.begin() + 1, begins.end(),
        [&](const PartBegin& sums) { return sums.excesses <= begin.deficits; });
    if (donor == begins.end()) return {begin.lights, end.heavies, lists.masses[items]};
    const PartBegin& from = *(donor - 1);
    Index heavy = from.heavies;
    std::uint64_t sum = from.excesses;
    for (;; ++heavy) {
      sum += lists.masses[lists.heavies[heavy]] - fixed_bucket;
      if (sum > begin.deficits) break;
    }
    return {begin.lights, heavy, fixed_bucket + (sum - begin.deficits)};
  };
  parallel_for((parts + task_parts - 1) / task_parts, threads, [&](std::uint64_t task) {
    const auto begin = static_cast<Index>(task * task_parts);
    const Index stop = std::min(parts, begin + task_parts);
    const Sweep from = sweep_before(begin);
    const Sweep to = stop == parts ? Sweep{end.lights, end.heavies, 0} : sweep_before(stop);
    sweep_rows(lists, from, std::uint64_t{to.light - from.light} + (to.heavy - from.heavy), first,
               rows);
  });
}

/// Calls `f(lists, begin, end)` for ranges of segments of about `task_items` items, or as many
/// segments; with lists for `longest` items, which no other thread uses meanwhile.
void for_each_task(std::span<const std::uint64_t> offsets, std::uint64_t longest, unsigned threads,
                   const auto& f) {
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
  std::mutex mutex;
  std::vector<Lists> unused;
  parallel_for(tasks, threads, [&](std::uint64_t task) {
    std::optional<Lists> lists;
    {
      const std::lock_guard lock(mutex);
      if (!unused.empty()) {
        lists = std::move(unused.back());
        unused.pop_back();
      }
    }
    if (!lists) lists.emplace(longest);
    f(*lists, border(task), border(task + 1));
    const std::lock_guard lock(mutex);
    unused.push_back(std::move(*lists));
  });
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
    throw Error("argument 'segments': the first offset is " + std::to_string(begin) +
                "; it must be 0");
  }
  throw Error("argument 'segments': segment " + std::to_string(segment) + " begins at " +
              std::to_string(begin) + " and ends at " + std::to_string(end) + ", but there are " +
              std::to_string(items) + " weights" +
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
  const std::string name = "argument 'segments': segment " + std::to_string(segment);
  if (begin == end) throw Error(name + " is empty; set empty_ok to permit it");
  throw Error(name + " (" + items_text(begin, end) +
              ") has only zeros as weights; set empty_ok to permit it");
}

void check_segments(const SegmentsView& segments, const WeightsView& weights, bool empty_ok,
                    unsigned threads) {
  check_sizes(segments, weights, Device::cpu);
  segments.visit([&](const auto& begin_of) {
    // Before any weight is read.
    for (std::uint64_t s = 0; s < segments.count(); ++s) {
      const std::uint64_t begin = begin_of[s];
      const std::uint64_t end = begin_of[s + 1];
      const bool is_last = s + 1 == segments.count();
      if ((s == 0 && begin != 0) || begin > end || end > weights.size() ||
          (is_last && end != weights.size())) {
        throw_bad_offset(s, begin, end, weights.size());
      }
    }
    weights.visit([&]<class T>(std::span<const T> w) {
      constexpr std::uint64_t none = ~std::uint64_t{0};
      std::atomic<std::uint64_t> first_bad{none};
      const std::uint64_t tasks = segments.count() / task_items + 1;
      parallel_for(tasks, threads, [&](std::uint64_t task) {
        const Range range = slice(segments.count(), task, tasks);
        for (std::uint64_t s = range.begin; s < range.end; ++s) {
          const std::uint64_t begin = begin_of[s];
          const std::uint64_t count = begin_of[s + 1] - begin;
          if (are_valid(w.data() + begin, count) &&
              (empty_ok || largest_of(w.data() + begin, count) > 0)) {
            continue;
          }
          std::uint64_t seen = first_bad.load();
          while (s < seen && !first_bad.compare_exchange_weak(seen, s)) {
          }
          return;
        }
      });
      const std::uint64_t s = first_bad.load();
      if (s == none) return;
      for (std::uint64_t i = begin_of[s]; i < begin_of[s + 1]; ++i) {
        if (are_valid(w.data() + i, 1)) continue;
        throw_bad_item(s, begin_of[s], i, static_cast<double>(w[i]),
                       std::numeric_limits<T>::max_digits10);
      }
      throw_no_weight(s, begin_of[s], begin_of[s + 1]);
    });
  });
}

void write_segment_masses(const WeightsView& weights, std::span<std::uint64_t> masses,
                          unsigned threads) {
  weights.visit([&](auto w) { masses_of(w, masses, threads); });
}

void write_prefix_masses(const WeightsView& weights, std::span<std::uint64_t> sums) {
  if (sums.empty()) return;
  weights.visit([&](auto w) { static_cast<void>(prefix_sums(w, sums.data())); });
  const PrefixMass prefix_mass(sums.back(), std::uint64_t{sums.size()} << 32);
  for (std::uint64_t& sum : sums) sum = prefix_mass(sum);
}

void build_segments(std::span<const std::uint64_t> offsets, const WeightsView& weights,
                    CompactRow* rows, unsigned threads) {
  std::uint64_t longest = 0;  // of those that one thread builds
  std::vector<std::uint64_t> long_segments;
  for (std::uint64_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::uint64_t items = offsets[s + 1] - offsets[s];
    if (items > long_items) {
      long_segments.push_back(s);
    } else {
      longest = std::max(longest, items);
    }
  }
  weights.visit([&](auto w) {
    const auto weights_of = [&](std::uint64_t s) {
      return w.subspan(offsets[s], offsets[s + 1] - offsets[s]);
    };
    for_each_task(
        offsets, longest, threads, [&](Lists& lists, std::uint64_t begin, std::uint64_t end) {
          for (std::uint64_t s = begin; s < end; ++s) {
            if (offsets[s + 1] - offsets[s] > long_items) continue;
            build_segment(weights_of(s), static_cast<Index>(offsets[s]), rows + offsets[s], lists);
          }
        });
    for (const std::uint64_t s : long_segments) {
      build_long_segment(weights_of(s), static_cast<Index>(offsets[s]), rows + offsets[s], threads);
    }
  });
}

}  // namespace wrsgpu::segments
