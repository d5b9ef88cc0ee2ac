#include "wrsgpu/detail/segments/segment_builder.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
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
/// Items of the segments that are swept together, unless there is one.
constexpr std::uint64_t group_items = 2048;
/// Parts of a long segment that a thread takes at a time.
constexpr Index task_parts = 32;

/// The largest of valid weights; an invalid one if there is one. Bits of valid weights are ordered
/// like the weights; those of infinity, NaN and negative numbers other than -0 are larger. In
/// vectors, as g++ emits scalar code for loops over arrays here.
template <class T>
[[gnu::always_inline]] inline T largest_weight(const T* weights, std::size_t count) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr std::size_t width = 64 / sizeof(T);
  using Vector [[gnu::vector_size(64)]] = Bits;
  constexpr Bits minus_zero = Bits{1} << (8 * sizeof(T) - 1);
  if (count < width / 2) {
    Bits largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto bits = std::bit_cast<Bits>(weights[i]);
      largest = std::max(largest, bits == minus_zero ? 0 : bits);
    }
    return std::bit_cast<T>(largest);
  }
  Vector largest{};
  const auto add = [&](Vector bits) {
    bits = bits == minus_zero ? Vector{} : bits;
    largest = bits > largest ? bits : largest;
  };
  std::size_t i = 0;
  for (; i + width <= count; i += width) {
    Vector bits;
    std::memcpy(&bits, weights + i, sizeof bits);
    add(bits);
  }
  Vector rest{};
  for (std::size_t lane = 0; i < count; ++i, ++lane) rest[lane] = std::bit_cast<Bits>(weights[i]);
  add(rest);
  // Halves, then quarters are compared.
  using Half [[gnu::vector_size(32)]] = Bits;
  using Quarter [[gnu::vector_size(16)]] = Bits;
  Half halves[2];
  std::memcpy(halves, &largest, sizeof largest);
  const Half half = halves[1] > halves[0] ? halves[1] : halves[0];
  Quarter quarters[2];
  std::memcpy(quarters, &half, sizeof half);
  const Quarter quarter = quarters[1] > quarters[0] ? quarters[1] : quarters[0];
  Bits all = quarter[0];
  for (std::size_t lane = 1; lane < width / 4; ++lane) all = std::max<Bits>(all, quarter[lane]);
  return std::bit_cast<T>(all);
}
WRSGPU_TARGET_CLONES float largest_of(const float* weights, std::size_t count) {
  return largest_weight(weights, count);
}
WRSGPU_TARGET_CLONES double largest_of(const double* weights, std::size_t count) {
  return largest_weight(weights, count);
}

template <class T>
bool is_valid_weight(T weight) {
  return weight >= 0 && weight <= std::numeric_limits<T>::max();
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

/// Step 3: replaces the sums S_i by masses; `prefix_mass` is F.
void sums_to_masses(std::span<std::uint64_t> sums, const auto& prefix_mass) {
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

/// Writes the masses of a segment. Returns whether it has weight; otherwise all masses are 0.
template <class T>
bool masses_of(std::span<const T> weights, std::span<std::uint64_t> masses, unsigned threads) {
  const Index parts = part_count(weights.size());
  if (parts == 0) return false;
  if (parts == 1) {
    const bool has_weight = prefix_sums(weights, masses.data()).sum > 0;
    sums_to_masses(masses, PrefixMass(masses.back(), std::uint64_t{weights.size()} << 32));
    return has_weight;
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
    const std::uint64_t mass = unit.prefix_mass(prefix[part]) - before;
    const auto own = items_of(masses, part);
    sums_to_masses(own, [mass, f = PrefixMass(own.back(), mass)](std::uint64_t sum) {
      return f.of_part(sum, mass);
    });
  });
  return total > 0;
}

/// The masses of segments, and their light and heavy items, both in order: the lists of
/// segment_rows.hpp. Those of n items take n + 2 elements: light items from the first one on and D
/// of all; heavy items from the last one backwards, and a sum that is greater than all others.
struct Lists {
  explicit Lists(std::uint64_t capacity)
      : masses(capacity), sums(capacity + 2), items(capacity + 2) {}
  HostBuffer<std::uint64_t> masses;
  HostBuffer<std::uint64_t> sums;
  HostBuffer<Index> items;
  std::vector<Range> without_weight;  ///< of all items, those of segments without weight
};

/// Sums over some items, and their numbers.
struct ListSums {
  std::uint64_t deficits = 0;
  std::uint64_t excesses = 0;
  Index lights = 0;
  Index heavies = 0;
};

/// Selects by a mask of all bits, where the compiler would make an unpredictable branch.
template <class Word>
[[nodiscard]] Word select(Word mask, Word if_set, Word otherwise) {
  return otherwise ^ ((otherwise ^ if_set) & mask);
}

/// Appends the items of these masses, which are numbered from `first` on, to lists of `elements`
/// elements. Writes one element of each list beyond.
void append_to(std::uint64_t* sums, Index* items, std::uint64_t elements,
               std::span<const std::uint64_t> masses, Index first, ListSums& all) {
  std::uint64_t light = all.lights;
  std::uint64_t heavy = elements - 1 - all.heavies;
  std::uint64_t deficits = all.deficits;
  std::uint64_t excesses = all.excesses;
  for (const std::uint64_t mass : masses) {
    const auto is_heavy = static_cast<std::uint64_t>(mass > fixed_bucket);
    const std::uint64_t excess = mass - fixed_bucket;  // modulo 2^64
    excesses += excess & (0 - is_heavy);
    sums[light] = deficits;
    items[light] = first;
    sums[heavy] = excesses;
    items[heavy] = first;
    deficits -= excess & (is_heavy - 1);
    light += 1 - is_heavy;
    heavy -= is_heavy;
    ++first;
  }
  all = {deficits, excesses, static_cast<Index>(light), static_cast<Index>(elements - 1 - heavy)};
}

/// The merge of segments that begin with item `first`, from some step on. Of equal sums a heavy
/// item ends first.
class Sweeper {
 public:
  /// @param elements of the lists
  /// @param light, heavy number of steps before, of both lists
  Sweeper(const Lists& lists, std::uint64_t elements, Index light, Index heavy, Index first,
          CompactRow* rows)
      : sums_(lists.sums.data()),
        items_(lists.items.data()),
        light_(light),
        heavy_(elements - 1 - heavy),
        light_sum_(sums_[light_]),
        heavy_sum_(sums_[heavy_]),
        first_(first),
        rows_(rows) {}

  /// Makes the next row.
  [[gnu::always_inline]] void step() {
    const auto takes_light = static_cast<std::uint64_t>(light_sum_ < heavy_sum_);
    const std::uint64_t mask = 0 - takes_light;
    const std::uint64_t current = select(mask, light_sum_, heavy_sum_);
    const Index item = items_[select(mask, light_, heavy_)];
    light_ += takes_light;
    heavy_ -= 1 - takes_light;
    light_sum_ = sums_[light_];
    heavy_sum_ = sums_[heavy_];
    // What the bucket lacks up to the next sum of deficits.
    const std::uint64_t lack = light_sum_ - current;
    const Index is_whole = 0 - static_cast<Index>(lack == 0);
    rows_[item] = {0 - static_cast<Index>(lack), first_ + select(is_whole, item, items_[heavy_])};
  }

 private:
  const std::uint64_t* sums_;
  const Index* items_;
  std::uint64_t light_;  // the next light item
  std::uint64_t heavy_;  // the next heavy item
  std::uint64_t light_sum_;
  std::uint64_t heavy_sum_;
  Index first_;
  CompactRow* rows_;
};

/// A sweep and its number of steps.
struct SweepTask {
  Sweeper sweeper;
  std::uint64_t steps;
};

/// Makes the rows of two sweeps at a time: the steps of one depend on each other.
void sweep_both(SweepTask a, SweepTask b) {
  for (; a.steps > 0 && b.steps > 0; --a.steps, --b.steps) {
    a.sweeper.step();
    b.sweeper.step();
  }
  for (; a.steps > 0; --a.steps) a.sweeper.step();
  for (; b.steps > 0; --b.steps) b.sweeper.step();
}

/// Ends the lists after all items: the remaining light items, which have whole buckets, come last.
void end_lists(Lists& lists, std::uint64_t elements, const ListSums& all) {
  lists.sums[all.lights] = all.deficits;
  lists.items[all.lights] = 0;
  lists.sums[elements - 1 - all.heavies] = ~std::uint64_t{0};
  lists.items[elements - 1 - all.heavies] = 0;
}

void write_rows_without_weight(std::uint64_t items, CompactRow* rows) {
  std::fill_n(rows, items, row_without_weight());
}

/// Consecutive segments, which one sweep makes the rows of: of equal sums a heavy item ends first,
/// so that no alias leaves its segment.
struct Group {
  std::uint64_t begin;  ///< of segments
  std::uint64_t end;
};

/// Finds the masses and lists of a group of segments. Returns its sweep; segments without weight
/// are swept as if their weights were equal.
template <class T>
SweepTask prepared(std::span<const T> weights, std::span<const std::uint64_t> offsets, Group group,
                   CompactRow* rows, Lists& lists) {
  const std::uint64_t first = offsets[group.begin];
  const std::uint64_t items = offsets[group.end] - first;
  lists.without_weight.clear();
  for (std::uint64_t s = group.begin; s < group.end; ++s) {
    const std::uint64_t own_items = offsets[s + 1] - offsets[s];
    const auto masses = lists.masses.span().subspan(offsets[s] - first, own_items);
    if (masses_of(weights.subspan(offsets[s], own_items), masses, 1) || own_items == 0) continue;
    std::ranges::fill(masses, fixed_bucket);
    lists.without_weight.push_back({offsets[s], offsets[s + 1]});
  }
  const std::uint64_t elements = items + 2;
  ListSums all;
  append_to(lists.sums.data(), lists.items.data(), elements, lists.masses.span().first(items), 0,
            all);
  end_lists(lists, elements, all);
  return {Sweeper(lists, elements, 0, 0, static_cast<Index>(first), rows + first), items};
}

/// Makes the rows of segments, by one thread.
template <class T>
void build_short_segments(std::span<const T> weights, std::span<const std::uint64_t> offsets,
                          Group all, CompactRow* rows, std::array<Lists, 2>& lists) {
  const auto next_group = [&](std::uint64_t begin) {
    std::uint64_t end = begin;
    while (end < all.end && (end == begin || offsets[end + 1] - offsets[begin] <= group_items)) {
      ++end;
    }
    return Group{begin, end};
  };
  for (Group group{all.begin, all.begin}; group.end < all.end;) {
    group = next_group(group.end);
    const SweepTask a = prepared(weights, offsets, group, rows, lists[0]);
    group = next_group(group.end);
    sweep_both(a, prepared(weights, offsets, group, rows, lists[1]));
    for (const Lists& own : lists) {
      for (const Range& range : own.without_weight) {
        write_rows_without_weight(range.end - range.begin, rows + range.begin);
      }
    }
  }
}

/// As `build_short_segments` for one segment, by all threads: each makes the rows of the light
/// items of some parts and of the heavy items that end meanwhile.
template <class T>
void build_long_segment(std::span<const T> weights, Index first, CompactRow* rows,
                        unsigned threads) {
  const std::uint64_t items = weights.size();
  Lists lists(items);
  const std::uint64_t elements = items + 2;
  const std::span<std::uint64_t> masses = lists.masses.span();
  if (!masses_of(weights, masses, threads)) return write_rows_without_weight(items, rows);
  const Index parts = part_count(items);
  std::vector<ListSums> begins(parts + 1);
  for_each_part(parts, threads, [&](Index part) {
    ListSums sums;
    for (const std::uint64_t mass : items_of(masses, part)) {
      const auto is_heavy = static_cast<Index>(mass > fixed_bucket);
      const std::uint64_t mask = 0 - std::uint64_t{is_heavy};
      sums.lights += 1 - is_heavy;
      sums.heavies += is_heavy;
      sums.deficits += (fixed_bucket - mass) & ~mask;
      sums.excesses += (mass - fixed_bucket) & mask;
    }
    begins[part + 1] = sums;
  });
  for (Index part = 0; part < parts; ++part) {
    begins[part + 1].lights += begins[part].lights;
    begins[part + 1].heavies += begins[part].heavies;
    begins[part + 1].deficits += begins[part].deficits;
    begins[part + 1].excesses += begins[part].excesses;
  }
  for_each_part(parts, threads, [&](Index part) {
    // `append_to` writes beyond its lists, where others write.
    constexpr std::uint64_t most = part_items + 2;
    std::array<std::uint64_t, most> sums;
    std::array<Index, most> numbers;
    const ListSums& begin = begins[part];
    ListSums all{begin.deficits, begin.excesses, 0, 0};
    append_to(sums.data(), numbers.data(), most, items_of(masses, part), part * part_items, all);
    const auto copy = [&](std::uint64_t from, std::uint64_t count, std::uint64_t to) {
      std::copy_n(sums.data() + from, count, lists.sums.data() + to);
      std::copy_n(numbers.data() + from, count, lists.items.data() + to);
    };
    copy(0, all.lights, begin.lights);
    copy(most - all.heavies, all.heavies, elements - begin.heavies - all.heavies);
  });
  end_lists(lists, elements, begins[parts]);
  // The sweep before the first light item of a part: all heavy items have ended whose sum is at
  // most its own. Returns their number.
  const auto heavies_before = [&](Index part) {
    const std::uint64_t deficits = begins[part].deficits;
    const auto donor =
        std::partition_point(begins.begin() + 1, begins.end(),
                             [&](const ListSums& sums) { return sums.excesses <= deficits; });
    if (donor == begins.end()) return begins[parts].heavies;
    Index heavy = (donor - 1)->heavies;
    while (lists.sums[elements - 1 - heavy] <= deficits) ++heavy;
    return heavy;
  };
  const auto sweep_of = [&](Index begin) {
    const Index from = std::min(begin, parts);
    const Index to = std::min(parts, begin + task_parts / 2);
    const Index heavy = heavies_before(from);
    return SweepTask{
        Sweeper(lists, elements, begins[from].lights, heavy, first, rows),
        std::uint64_t{begins[to].lights - begins[from].lights} + (heavies_before(to) - heavy)};
  };
  parallel_for((parts + task_parts - 1) / task_parts, threads, [&](std::uint64_t task) {
    const auto begin = static_cast<Index>(task * task_parts);
    sweep_both(sweep_of(begin), sweep_of(begin + task_parts / 2));
  });
}

/// Calls `f(lists, group)` for ranges of segments of about `task_items` items, or as many segments;
/// with two lists for `longest` items, which no other thread uses meanwhile.
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
  using BothLists = std::array<Lists, 2>;
  std::vector<BothLists> unused;
  parallel_for(tasks, threads, [&](std::uint64_t task) {
    std::optional<BothLists> lists;
    {
      const std::lock_guard lock(mutex);
      if (!unused.empty()) {
        lists = std::move(unused.back());
        unused.pop_back();
      }
    }
    if (!lists) lists.emplace(BothLists{Lists(longest), Lists(longest)});
    f(*lists, Group{border(task), border(task + 1)});
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
          const T largest = largest_of(w.data() + begin, count);
          if (is_valid_weight(largest) && (empty_ok || largest > 0)) continue;
          std::uint64_t seen = first_bad.load();
          while (s < seen && !first_bad.compare_exchange_weak(seen, s)) {
          }
          return;
        }
      });
      const std::uint64_t s = first_bad.load();
      if (s == none) return;
      for (std::uint64_t i = begin_of[s]; i < begin_of[s + 1]; ++i) {
        if (is_valid_weight(w[i])) continue;
        throw_bad_item(s, begin_of[s], i, static_cast<double>(w[i]),
                       std::numeric_limits<T>::max_digits10);
      }
      throw_no_weight(s, begin_of[s], begin_of[s + 1]);
    });
  });
}

void write_segment_masses(const WeightsView& weights, std::span<std::uint64_t> masses,
                          unsigned threads) {
  weights.visit([&](auto w) { static_cast<void>(masses_of(w, masses, threads)); });
}

void write_prefix_masses(const WeightsView& weights, std::span<std::uint64_t> sums) {
  if (sums.empty()) return;
  weights.visit([&](auto w) { static_cast<void>(prefix_sums(w, sums.data())); });
  const PrefixMass prefix_mass(sums.back(), std::uint64_t{sums.size()} << 32);
  for (std::uint64_t& sum : sums) sum = prefix_mass(sum);
}

void build_segments(std::span<const std::uint64_t> offsets, const WeightsView& weights,
                    CompactRow* rows, unsigned threads) {
  std::uint64_t longest = group_items;  // of those that one thread builds
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
    for_each_task(offsets, longest, threads, [&](std::array<Lists, 2>& lists, Group group) {
      for (std::uint64_t begin = group.begin; begin < group.end;) {
        std::uint64_t end = begin;
        while (end < group.end && offsets[end + 1] - offsets[end] <= long_items) ++end;
        build_short_segments(w, offsets, {begin, end}, rows, lists);
        begin = end + 1;
      }
    });
    for (const std::uint64_t s : long_segments) {
      build_long_segment(w.subspan(offsets[s], offsets[s + 1] - offsets[s]),
                         static_cast<Index>(offsets[s]), rows + offsets[s], threads);
    }
  });
}

}  // namespace wrsgpu::segments
