// Tables of many segments and draws from them, on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "error_message.hpp"
#include "segment_tables.hpp"
#include "verification/brief.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/independence.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/segments/segment_builder.hpp"
#include "wrsgpu/detail/segments/segment_draws.hpp"
#include "wrsgpu/detail/segments/segment_lists.hpp"
#include "wrsgpu/detail/segments/segment_rows.hpp"
#include "wrsgpu/sampler_view.hpp"
#include "wrsgpu/segmented_sampler.hpp"

namespace wrsgpu::segments {
namespace {

using verification::suite_budget;

std::vector<CompactRow> rows_of(const SegmentedSampler& sampler) {
  return {sampler.rows().begin(), sampler.rows().end()};
}

template <class T>
std::vector<CompactRow> build(const Segmented<T>& segments, unsigned threads = 0) {
  return rows_of(SegmentedSampler(segments.offsets, segments.weights, {.threads = threads}));
}

bool are_equal(const CompactRow& a, const CompactRow& b) {
  return a.threshold == b.threshold && a.alias == b.alias;
}

/// The first row of a segment that begins with item `first` that differs from those of `expected`,
/// which begins with item 0; the number of rows if none does.
std::size_t first_difference(std::span<const CompactRow> expected, std::uint64_t first,
                             std::span<const CompactRow> rows) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const CompactRow row{rows[first + i].threshold,
                         rows[first + i].alias - static_cast<Index>(first)};
    if (!are_equal(row, expected[i])) return i;
  }
  return expected.size();
}

/// Items of both kinds, each with what it lacks or has in excess.
struct Sides {
  struct Item {
    Index item;
    std::uint64_t difference;
  };
  std::vector<Item> lights;
  std::vector<Item> heavies;

  void append(const Sides& more) {
    lights.insert(lights.end(), more.lights.begin(), more.lights.end());
    heavies.insert(heavies.end(), more.heavies.begin(), more.heavies.end());
  }
};

/// Makes the rows of segment_rows.hpp, each by its definition. Returns what is left over.
Sides merge(const Sides& sides, std::vector<CompactRow>& rows) {
  std::vector<std::uint64_t> deficits{0};  // D
  std::vector<std::uint64_t> excesses;     // E
  for (const auto& light : sides.lights) deficits.push_back(deficits.back() + light.difference);
  std::uint64_t all = 0;
  for (const auto& heavy : sides.heavies) excesses.push_back(all += heavy.difference);
  const auto set = [&](Index item, std::uint64_t lack, Index alias) {
    rows[item] = {0 - static_cast<Index>(lack), lack == 0 ? item : alias};
  };
  Sides left;
  for (std::size_t h = 0; h < excesses.size(); ++h) {
    const Index item = sides.heavies[h].item;
    if (excesses[h] > deficits.back()) {
      left.heavies.push_back(
          {item, std::min(sides.heavies[h].difference, excesses[h] - deficits.back())});
      continue;
    }
    const std::uint64_t lack = *std::ranges::lower_bound(deficits, excesses[h]) - excesses[h];
    if (h + 1 < excesses.size()) {
      set(item, lack, sides.heavies[h + 1].item);
    } else {
      left.lights.push_back({item, lack});
    }
  }
  for (std::size_t l = 0; l < sides.lights.size(); ++l) {
    const auto heavy = static_cast<std::size_t>(std::ranges::upper_bound(excesses, deficits[l]) -
                                                excesses.begin());
    if (heavy < excesses.size()) {
      set(sides.lights[l].item, sides.lights[l].difference, sides.heavies[heavy].item);
    } else {
      left.lights.push_back(sides.lights[l]);
    }
  }
  return left;
}

/// The rows of segment_rows.hpp, the segments of one part and what the parts of the others leave
/// over in one merge.
template <class T>
std::vector<CompactRow> merged(const Segmented<T>& segments) {
  std::vector<CompactRow> rows(segments.weights.size());
  Sides all;
  for (std::uint64_t s = 0; s < segments.count(); ++s) {
    const std::span<const T> weights = segments.segment(s);
    std::vector<std::uint64_t> masses(weights.size());
    write_segment_masses(weights, masses);
    for (std::size_t begin = 0; begin < masses.size(); begin += part_items) {
      Sides part;
      for (std::size_t i = begin; i < std::min<std::size_t>(begin + part_items, masses.size());
           ++i) {
        const auto item = static_cast<Index>(segments.offsets[s] + i);
        if (masses[i] <= fixed_bucket) {
          part.lights.push_back({item, fixed_bucket - masses[i]});
        } else {
          part.heavies.push_back({item, masses[i] - fixed_bucket});
        }
      }
      all.append(masses.size() > part_items ? merge(part, rows) : part);
    }
  }
  // What lacks nothing is left over.
  for (const auto& light : merge(all, rows).lights) {
    rows[light.item] = {0 - static_cast<Index>(light.difference), light.item};
  }
  return rows;
}

std::vector<Index> lengths() {
  std::vector<Index> all = verification::adversarial_sizes();
  all.insert(all.end(), {2047, 2048, 2049, 6000});
  std::erase_if(all, [](Index length) { return length > 10'000; });
  return all;
}

template <class T>
class SegmentTables : public testing::Test {};
using WeightTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(SegmentTables, WeightTypes);

TYPED_TEST(SegmentTables, AreExactAndInTheirSegments) {
  const auto segments = adversarial_segments<TypeParam>(lengths());
  const std::vector<CompactRow> rows = build(segments);
  EXPECT_EQ(fault_of_segments(segments, rows), "");
  // One merge over all of them is the same.
  EXPECT_EQ(first_difference(merged(segments), 0, rows), rows.size());
}

TYPED_TEST(SegmentTables, OfLongSegmentsDoNotDependOnThreads) {
  const Index items = verification::is_brief() ? 262'145 : 700'001;
  for (const char* family : {"uniform", "powerlaw_1", "one_heavy_last", "ramp_from_zero",
                             "alternating_blocks", "equal_tenth"}) {
    Segmented<TypeParam> segments;
    segments.add(std::vector<int>{1, 2, 3});
    segments.add(verification::find_weight_family(family).make(items));
    // The longest one that a thread builds alone.
    segments.add(verification::find_weight_family(family).make(1U << 18));
    const std::vector<CompactRow> rows = build(segments, 1);
    EXPECT_EQ(fault_of_segments(segments, rows), "") << family;
    EXPECT_EQ(first_difference(merged(segments), 0, rows), rows.size()) << family;
    EXPECT_EQ(first_difference(build(segments, 5), 0, rows), rows.size()) << family;
  }
}

TYPED_TEST(SegmentTables, AreExactAmongSegmentsWithoutWeight) {
  Segmented<TypeParam> segments;
  for (const Index length : {1U, 3U, 100U, 2047U, 2048U, 2049U, 6000U, (1U << 18) + 1}) {
    segments.add(std::vector<int>(length, 0));
    segments.add(verification::find_weight_family("uniform").make(length));
    segments.add(std::vector<int>{});
    segments.add(std::vector<int>{0});
    segments.add(std::vector<int>{0, 2, 1});
  }
  const std::vector<TypeParam> equal(segments.weights.size(), 1);
  SegmentedSampler sampler(SegmentsView::equal(1, equal.size()), equal, {.empty_ok = true});
  sampler.rebuild(segments.offsets, segments.weights);  // over other rows
  EXPECT_EQ(fault_of_segments(segments, sampler.rows()), "");
}

/// Where the lists differ that the best and the portable code make by `append(lists, loops)`, or
/// "".
template <class T>
std::string difference_of_codes(const auto& append) {
  const auto best = std::make_unique_for_overwrite<Lists>();
  const auto portable = std::make_unique_for_overwrite<Lists>();
  append(*best, list_loops<T>());
  append(*portable, list_loops<T>(HostCode::portable));
  for (const auto kind : {&Lists::light, &Lists::heavy}) {
    const auto& [begin, end, sum] = (*best).*kind;
    if (end != ((*portable).*kind).end || sum != ((*portable).*kind).sum) return "number or sum";
    for (std::uint64_t place = begin; place < end; ++place) {
      if (best->items[place] != portable->items[place]) return "item " + std::to_string(place);
      if (best->sums[place] != portable->sums[place]) return "sum " + std::to_string(place);
    }
  }
  return "";
}

TYPED_TEST(SegmentTables, AreTheSameByAllCode) {
  using T = TypeParam;
  const auto segments = adversarial_segments<T>(lengths());
  for (std::uint64_t s = 0; s < segments.count(); ++s) {
    const std::span<const T> weights = segments.segment(s);
    if (weights.size() > part_items) continue;
    std::vector<std::uint64_t> sums(weights.size() + 8);
    const TileSum sum = list_loops<T>(HostCode::portable).write_prefix_sums(weights, sums.data());
    const TileSum best = list_loops<T>().write_prefix_sums(weights, sums.data());
    EXPECT_TRUE(best.sum == sum.sum && best.shift == sum.shift) << s;
    // Parts of long segments: with one item heavier than 2^63, and light ones.
    for (const std::uint64_t mass : {~std::uint64_t{0} << 32, std::uint64_t{1} << 33}) {
      const auto append = [&](Lists& lists, const ListLoops<T>& loops) {
        lists.light.sum = 5;
        lists.heavy.sum = std::uint64_t{1} << 40;
        loops.append(weights, {sum, sum.sum > 0 ? mass : 0}, 77, lists);
      };
      EXPECT_EQ(difference_of_codes<T>(append), "") << s;
    }
    // With the segments before it.
    std::uint64_t from = s;
    while (from > 0 && segments.offsets[s + 1] - segments.offsets[from - 1] <= part_items) --from;
    const auto offsets = std::span(segments.offsets).subspan(from, s + 2 - from);
    std::vector<Range> without_weight;
    const auto append = [&](Lists& lists, const ListLoops<T>& loops) {
      loops.append_segments(segments.weights.data(), offsets, lists, without_weight);
    };
    EXPECT_EQ(difference_of_codes<T>(append), "") << s;
  }
}

TEST(SegmentTables, DoNotDependOnTheirPlace) {
  const auto family = verification::find_weight_family("uniform");
  for (const Index length : {1U, 3U, 100U, 2048U, 3000U}) {
    Segmented<double> alone;
    alone.add(family.make(length));
    const std::vector<CompactRow> expected = build(alone);
    const Index last = verification::is_brief() ? 40 : 2100;
    Segmented<double> all;
    std::vector<std::uint64_t> places;
    // Every distance from the beginning of a tile.
    for (Index before = 0; before <= last; ++before) {
      all.add(family.make(1 + (before * 2049) % 2048));
      places.push_back(all.count());
      all.add(alone.weights);
    }
    const std::vector<CompactRow> rows = build(all);
    for (const std::uint64_t s : places) {
      ASSERT_EQ(first_difference(expected, all.offsets[s], rows), length) << "segment " << s;
    }
  }
}

TEST(SegmentTables, CheckFindsPlantedFaults) {
  // Two segments of the same weights: exchanging the aliases of their first rows with an alias
  // leaves every mass exact.
  Segmented<double> segments;
  segments.add(std::vector<double>{1, 5, 2, 4});
  segments.add(std::vector<double>{1, 5, 2, 4});
  const std::vector<CompactRow> rows = build(segments);
  ASSERT_EQ(fault_of_segments(segments, rows), "");
  std::vector<CompactRow> crossed = rows;
  std::swap(crossed[0].alias, crossed[4].alias);
  EXPECT_NE(fault_of_segments(segments, crossed), "");
  std::vector<CompactRow> off_by_one = rows;
  ++off_by_one[0].threshold;
  EXPECT_NE(fault_of_segments(segments, off_by_one), "");
  std::vector<std::uint64_t> masses(4);
  write_segment_masses(segments.segment(0), masses);
  EXPECT_EQ(verification::fault_of_masses(segments.segment(0), masses), "");
  --masses[1];
  EXPECT_NE(verification::fault_of_masses(segments.segment(0), masses), "");
}

TEST(SegmentTables, OfEqualLengthsAndOffsetsOfAnyType) {
  const std::vector<float> weights = {1, 2, 3, 4, 5, 6};
  const std::vector<CompactRow> expected =
      rows_of(SegmentedSampler(std::vector<std::int64_t>{0, 2, 4, 6}, weights));
  for (const auto& rows :
       {rows_of(SegmentedSampler(SegmentsView::equal(3, 2), weights)),
        rows_of(SegmentedSampler(std::vector<std::int32_t>{0, 2, 4, 6}, weights)),
        rows_of(SegmentedSampler(std::vector<std::uint32_t>{0, 2, 4, 6}, {1, 2, 3, 4, 5, 6}))}) {
    EXPECT_EQ(first_difference(expected, 0, rows), 6U);
  }
}

TEST(SegmentTables, InvalidArgumentsAreNamedAndChangeNothing) {
  using Offsets = std::vector<std::int64_t>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  SegmentedSampler sampler(Offsets{0, 1, 4}, {1, 2, 3, 4});
  const std::vector<CompactRow> before = rows_of(sampler);
  const auto message = [&](const Offsets& offsets, const std::vector<double>& weights) {
    std::string error = error_of([&] { sampler.rebuild(offsets, weights); });
    EXPECT_EQ(first_difference(before, 0, rows_of(sampler)), 4U);
    return error;
  };
  EXPECT_EQ(message({0, 2, 4}, {1, 2, 3, -1}),
            "argument 'weights': in segment 1, item 1 (weight 3 of all) is negative (-1)");
  EXPECT_EQ(message({0, 2, 4}, {1, std::nan(""), infinity, 1}),
            "argument 'weights': in segment 0, item 1 (weight 1 of all) is not a number (nan)");
  EXPECT_EQ(message({0, 1, 4}, {1, 0, infinity, 1}),
            "argument 'weights': in segment 1, item 1 (weight 2 of all) is infinite (inf)");
  EXPECT_EQ(message({0, 1, 3}, {1, 0, 0}),
            "argument 'weights': segment 1 (items 1 to 2) has only zeros; set empty_ok to permit "
            "it");
  EXPECT_EQ(message({0, 1, 1}, {1}),
            "argument 'segments': segment 1 is empty; set empty_ok to permit it");
  EXPECT_EQ(message({1, 2}, {1, 2}), "argument 'segments': the first offset is 1; it must be 0");
  EXPECT_EQ(message({0, 2, 1}, {1, 2}),
            "argument 'segments': segment 1 begins at 2 and ends at 1, but there are 2 weights");
  EXPECT_EQ(message({0, 1}, {1, 2}),
            "argument 'segments': segment 0 begins at 0 and ends at 1, but there are 2 weights and "
            "this is the last segment");
  EXPECT_EQ(message({0, -1, 2}, {1, 2}),
            "argument 'segments': segment 0 begins at 0 and ends at 18446744073709551615 (-1 if "
            "signed), but there are 2 weights");
  EXPECT_EQ(error_of([] {
              SegmentedSampler(std::vector<int>{-2, 2}, {1, 2});
            }),
            "argument 'segments': the first offset is 4294967294 (-2 if signed); it must be 0");
  EXPECT_EQ(message({0}, {}),
            "argument 'segments' has no segment; one more offset than segments is needed");
  EXPECT_EQ(error_of([] {
              SegmentedSampler(SegmentsView::equal(2, 3), {1, 2, 3, 4});
            }),
            "argument 'weights' has 4 items; 2 segments of 3 are needed");
  EXPECT_EQ(error_of([] {
              SegmentedSampler(SegmentsView::equal(2, 3), {1, 2, 3, 4, 5, 6, 7});
            }),
            "argument 'weights' has 7 items; 2 segments of 3 are needed");
}

TEST(SegmentTables, OfManySegmentsHaveTheirOffsetsAndNameTheFirstInvalidOne) {
  constexpr Index count = 300'000;  // several threads copy and check them
  std::vector<Index> offsets(count + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  const std::vector<float> weights(count, 1);
  const SegmentedSamplerOptions options{.threads = 4};
  std::vector<Index> out(count);
  SegmentedSampler(offsets, weights, options).draw_from_all(1, out, {});
  EXPECT_TRUE(std::equal(out.begin(), out.end(), offsets.begin()));
  for (const Index segment : {250'000U, 100'000U, 99'990U}) {
    offsets[segment + 1] = 0;
    const std::string number = std::to_string(segment);
    EXPECT_EQ(error_of([&] { SegmentedSampler(offsets, weights, options); }),
              std::string("argument 'segments': segment ")
                  .append(number)
                  .append(" begins at ")
                  .append(number)
                  .append(" and ends at 0, but there are 300000 weights"));
  }
}

TEST(SegmentTables, InvalidWeightsOfLongSegmentsAreNamed) {
  constexpr std::size_t items = 300'001;
  std::vector<double> weights(items + 4, 1);
  const auto message = [&] {
    return error_of([&] {
      SegmentedSampler(std::vector<std::size_t>{0, 2, items + 2, items + 4}, weights);
    });
  };
  EXPECT_EQ(message(), "no error");
  for (const std::size_t item : {std::size_t{0}, items / 2, items - 1}) {
    weights[2 + item] = std::nan("");
    EXPECT_EQ(message(), "argument 'weights': in segment 1, item " + std::to_string(item) +
                             " (weight " + std::to_string(2 + item) +
                             " of all) is not a number (nan)");
    weights[2 + item] = 1;
  }
  weights[items + 2] = -1;
  EXPECT_NE(message().find("in segment 2, item 0"), std::string::npos);
  weights[items + 2] = 1;
  std::fill_n(weights.begin() + 2, items, 0.0);
  EXPECT_NE(message().find("segment 1 (items 2 to 300002) has only zeros"), std::string::npos);
}

TEST(SegmentDraws, TakeTheWordsOfTheStream) {
  Segmented<double> segments;
  for (const Index length : {1U, 2U, 16U, 100U, 5000U}) {
    segments.add(verification::find_weight_family("uniform").make(length));
  }
  for (const Generator generator : {Generator::philox, Generator::philox7}) {
    const SegmentedSampler sampler(segments.offsets, segments.weights,
                                   {.generator = generator, .threads = 3});
    std::vector<Index> from(10'000);
    for (std::size_t t = 0; t < from.size(); ++t) from[t] = static_cast<Index>(t * 7 % 5);
    constexpr std::uint64_t k = 7;
    constexpr RandomState state{5, (std::uint64_t{1} << 63) + 3};
    std::vector<Index> out(from.size() * k);
    sampler.draw(from, k, out, state);
    const random::SplitWords<7> seven(state.seed);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::uint64_t number = state.offset + i;
      const std::uint64_t word = generator == Generator::philox7
                                     ? seven.word(number)
                                     : RandomWords(state.seed)[number].bits();
      const Index s = from[i / k];
      const auto first = static_cast<Index>(segments.offsets[s]);
      const RowChoice choice =
          choose_row(word, static_cast<Index>(segments.offsets[s + 1] - first));
      const CompactRow row = sampler.rows()[first + choice.row];
      const bool is_own = choice.fraction >> 32 < row.threshold;
      ASSERT_EQ(out[i], is_own ? first + choice.row : row.alias);
    }
    // Parts of a draw, by the offset.
    std::vector<Index> part(3 * k);
    sampler.draw(std::span(from).subspan(100, 3), k, part, {state.seed, state.offset + 100 * k});
    EXPECT_TRUE(std::ranges::equal(part, std::span(out).subspan(100 * k, 3 * k)));
    // Local numbers and a payload.
    std::vector<Index> payload(segments.weights.size());
    for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<Index>(3 * i + 1);
    std::vector<Index> local(out.size());
    std::vector<Index> named(out.size());
    std::vector<Index> counts(from.size());
    sampler.draw(from, k, local, state, {.local_numbers = true, .counts = counts});
    sampler.draw(from, k, named, state, {.payload = payload});
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(local[i] + segments.offsets[from[i / k]], out[i]);
      ASSERT_EQ(named[i], payload[out[i]]);
      ASSERT_EQ(counts[i / k], k);
    }
  }
}

TEST(SegmentDraws, HaveTheDistributionOfTheirSegment) {
  Segmented<double> segments;
  for (const char* family : {"uniform", "powerlaw_1_shuffled", "zeros_and_ones", "sixty_orders"}) {
    for (const Index length : {1U, 2U, 3U, 16U, 100U, 5000U}) {
      segments.add(verification::find_weight_family(family).make(length));
    }
  }
  const SegmentedSampler sampler(segments.offsets, segments.weights);
  constexpr std::uint64_t k = 200'000;
  std::vector<Index> out(segments.count() * k);
  sampler.draw_from_all(k, out, {11, 0}, {.local_numbers = true});
  for (std::uint64_t s = 0; s < segments.count(); ++s) {
    const auto weights = segments.segment(s);
    const std::vector<Index> own(out.begin() + static_cast<std::ptrdiff_t>(s * k),
                                 out.begin() + static_cast<std::ptrdiff_t>((s + 1) * k));
    const auto p = verification::expected_probabilities(weights);
    const auto counts = verification::count_samples(own, static_cast<Index>(weights.size()));
    EXPECT_TRUE(verification::chi_squared(counts, p, 20).passes(suite_budget.level())) << s;
    EXPECT_TRUE(verification::worst_item(counts, p).passes(suite_budget.level())) << s;
    const auto pairs = verification::pair_independence(own, p);
    EXPECT_TRUE(pairs.passes(suite_budget.level())) << s << " " << to_string(pairs);
    if (std::ranges::max(p) > 0.5) continue;  // nearly always the same item
    // Planted: every fourth sample repeats the one before.
    std::vector<Index> dependent = own;
    for (std::size_t i = 1; i < k; i += 4) dependent[i] = dependent[i - 1];
    EXPECT_FALSE(verification::pair_independence(dependent, p).passes(suite_budget.level())) << s;
  }
}

TEST(SegmentDraws, GiveNoItemFromSegmentsWithoutWeight) {
  const std::vector<std::uint32_t> offsets = {0, 0, 2, 5, 5};
  const std::vector<double> weights = {0, -0.0, 1, 0, 1};
  const SegmentedSampler sampler(offsets, weights, {.empty_ok = true});
  std::vector<Index> out(12);
  std::vector<Index> counts(4);
  const std::vector<Index> payload(5, 77);
  sampler.draw_from_all(3, out, {1, 0}, {.payload = payload, .counts = counts});
  EXPECT_EQ(counts, (std::vector<Index>{0, 0, 3, 0}));
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i / 3 == 2 ? 77 : no_item);
  // Which has no local number, either.
  const auto expect_local = [&] {
    for (std::size_t i = 0; i < out.size(); ++i) {
      EXPECT_TRUE(i / 3 == 2 ? out[i] == 0 || out[i] == 2 || i == 8 : out[i] == no_item) << i;
    }
  };
  sampler.draw_from_all(3, out, {1, 0}, {.local_numbers = true});
  expect_local();
  EXPECT_NE(out[8], no_item);
  sampler.choose(weights, std::vector<Index>{0, 1, 2, 3}, 3, out, {1, 0}, {.local_numbers = true});
  expect_local();
  EXPECT_EQ(out[8], no_item);  // two of three have a weight
  // A walk ends there: vertex 2 leads to 1, which leads nowhere.
  const std::vector<Index> neighbours = {2, 2, 1, 1, 1};
  std::vector<Index> walks(12);
  sampler.walk(std::vector<Index>{2, 1, 0}, 3, neighbours, walks, {1, 0});
  EXPECT_EQ(walks, (std::vector<Index>{2, 1, no_item, no_item, 1, no_item, no_item, no_item, 0,
                                       no_item, no_item, no_item}));
  std::ranges::fill(counts, 7);
  sampler.draw_from_all(0, {}, {1, 0}, {.counts = counts});
  EXPECT_EQ(counts, std::vector<Index>(4, 0));
  const SegmentedSampler nothing(std::vector<std::uint32_t>{0, 0}, std::vector<double>{},
                                 {.empty_ok = true});
  std::vector<Index> one(1);
  nothing.draw_from_all(1, one, {});
  EXPECT_EQ(one[0], no_item);
}

TEST(SegmentDraws, GiveNoItemFromLongSegmentsWithoutWeight) {
  // Of one part, of several, and of so many that all threads build the segment; among others.
  for (const Index length : {3U, 2049U, (1U << 18) + 1}) {
    const std::vector<Index> offsets = {0, 2, 2 + length, 4 + length};
    std::vector<float> weights(4 + length, 0);
    weights[1] = weights[2 + length] = 1;
    EXPECT_EQ(error_of([&] { SegmentedSampler(offsets, weights); }),
              "argument 'weights': segment 1 (items 2 to " + std::to_string(length + 1) +
                  ") has only zeros; set empty_ok to permit it");
    SegmentedSampler sampler(SegmentsView::equal(1, weights.size()), weights, {.empty_ok = true});
    sampler.rebuild(offsets, weights);  // over other rows
    std::vector<Index> out(std::size_t{3} * 100);
    sampler.draw_from_all(100, out, {1, 0});
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(out[i], i < 100 ? 1 : i < 200 ? no_item : 2 + length) << length;
    }
  }
}

TEST(SegmentDraws, RefuseArgumentsThatDoNotFit) {
  const SegmentedSampler sampler(std::vector<int>{0, 2, 3}, {1, 2, 3});
  std::vector<Index> out(4, 9);
  const std::vector<Index> from = {1, 2};
  EXPECT_EQ(error_of([&] { sampler.draw(from, 2, out, {}); }),
            "argument 'from': element 1 is 2, but there are 2 segments");
  EXPECT_EQ(error_of([&] { sampler.draw_from_all(3, out, {}); }),
            "argument 'out' has 4 elements; 2 rows of 3 are needed");
  EXPECT_EQ(error_of([&] { sampler.draw_from_all(2, out, {}, {.payload = from}); }),
            "argument 'payload' has 2 elements; 3 are needed");
  const std::vector<Index> payload(3);
  EXPECT_EQ(error_of([&] {
              sampler.draw_from_all(2, out, {}, {.local_numbers = true, .payload = payload});
            }),
            "argument 'payload' is given, but local numbers are asked for: choose one");
  EXPECT_EQ(error_of([&] { sampler.walk(from, 1, payload, out, {}); }),
            "argument 'starts': element 1 is 2, but there are 2 segments");
  EXPECT_EQ(error_of([&] { sampler.walk(from, 1, from, out, {}); }),
            "argument 'neighbours' has 2 elements; 3 are needed");
  // As many samples as fit in no memory, and in no word.
  EXPECT_EQ(error_of([&] { sampler.draw_from_all(std::uint64_t{1} << 63, {}, {}); }),
            "argument 'out' has 0 elements; 2 rows of 9223372036854775808 are needed");
  EXPECT_EQ(error_of([&] { sampler.walk(from, ~std::uint64_t{0}, payload, {}, {}); }),
            "argument 'length' is 2^64 - 1; it must be less");
  EXPECT_EQ(out, std::vector<Index>(4, 9));
}

/// Outcomes of `choose` for a segment of the weights 1, 2, 5, 0: the ordered pair (first, second).
std::vector<double> pair_probabilities() {
  const double weights[] = {1, 2, 5, 0};
  std::vector<double> probabilities(16);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (i != j) probabilities[4 * i + j] = weights[i] / 8 * weights[j] / (8 - weights[i]);
    }
  }
  return probabilities;
}

TEST(SegmentChoices, HaveTheLawOfSuccessiveSampling) {
  Segmented<double> segments;
  segments.add(std::vector<double>{3, 4});
  segments.add(std::vector<double>{1, 2, 5, 0});
  const SegmentedSampler sampler(segments.offsets, segments.weights);
  constexpr std::size_t rows = 200'000;
  const std::vector<Index> from(rows, 1);
  std::vector<Index> out(rows * 4);
  std::vector<Index> counts(rows);
  sampler.choose(segments.weights, from, 4, out, {6, 1}, {.local_numbers = true, .counts = counts});
  verification::Counts outcomes(16);
  verification::Counts biased(16);
  std::vector<Index> firsts(rows);
  for (std::size_t t = 0; t < rows; ++t) {
    const std::span<const Index> row = std::span(out).subspan(4 * t, 4);
    ASSERT_EQ(row[0] + row[1] + row[2], 3U);  // a permutation of the items of positive weight
    ASSERT_EQ(row[3], no_item);
    ASSERT_EQ(counts[t], 3U);
    ++outcomes[4 * row[0] + row[1]];
    // Planted: in every tenth row the second item comes first.
    ++biased[t % 10 == 0 ? 4 * row[1] + row[0] : 4 * row[0] + row[1]];
    firsts[t] = row[0];
  }
  const std::vector<double> expected = pair_probabilities();
  EXPECT_TRUE(verification::chi_squared(outcomes, expected, 20).passes(suite_budget.level()));
  EXPECT_FALSE(verification::chi_squared(biased, expected, 20).passes(suite_budget.level()));
  const std::vector<double> p = {1. / 8, 2. / 8, 5. / 8, 0};
  EXPECT_TRUE(verification::pair_independence(firsts, p).passes(suite_budget.level()));
}

TEST(SegmentChoices, OfFewerItemsAreTheBeginning) {
  Segmented<float> segments;
  for (const Index length : {1U, 3U, 100U, 5000U}) {
    segments.add(verification::find_weight_family("powerlaw_1_shuffled").make(length));
  }
  // What comes first is chosen, and must be kept while the others are read.
  segments.add(verification::find_weight_family("powerlaw_1").make(5000));
  const SegmentedSampler sampler(segments.offsets, segments.weights);
  const std::vector<Index> from = {3, 2, 1, 0, 3, 4};
  constexpr std::size_t all = 5001;
  std::vector<Index> out(from.size() * all);
  sampler.choose(segments.weights, from, all, out, {6, 1});
  for (std::size_t t = 0; t < from.size(); ++t) {
    const Index s = from[t];
    const std::size_t length = segments.segment(s).size();
    std::vector<Index> row(out.begin() + static_cast<std::ptrdiff_t>(t * all),
                           out.begin() + static_cast<std::ptrdiff_t>(t * all + length));
    for (const std::size_t k : {std::size_t{1}, std::size_t{7}, std::size_t{1500}}) {
      std::vector<Index> few(k);
      sampler.choose(segments.weights, std::span(from).subspan(t, 1), k, few, {6, 1 + t});
      EXPECT_TRUE(std::ranges::equal(few, std::span(out).subspan(t * all, k)));
    }
    std::ranges::sort(row);
    for (std::size_t i = 0; i < length; ++i) ASSERT_EQ(row[i], segments.offsets[s] + i);
    EXPECT_EQ(out[t * all + length], no_item);
  }
  EXPECT_FALSE(std::ranges::equal(std::span(out).first(100), std::span(out).subspan(4 * all, 100)));
  // Rows are numbered by 64 bits.
  std::vector<Index> row_of_many(100);
  sampler.choose(segments.weights, std::span(from).first(1), 100, row_of_many,
                 {6, 1 + (std::uint64_t{1} << 32)});
  EXPECT_FALSE(std::ranges::equal(row_of_many, std::span(out).first(100)));
  // Rows of a matrix take the words of as many segments.
  const std::vector<float> matrix = {1, 2, 3, 4, 5, 6};
  const SegmentedSampler rows(SegmentsView::equal(2, 3), matrix);
  std::vector<Index> expected(6);
  std::vector<Index> chosen(6);
  rows.choose(matrix, std::vector<Index>{0, 1}, 3, expected, {2, 5}, {.local_numbers = true});
  choose_from_rows(matrix, 2, 3, 3, chosen, {2, 5});
  EXPECT_EQ(chosen, expected);
  EXPECT_EQ(error_of([&] {
              rows.choose({1, 2}, std::vector<Index>{0, 1}, 3, chosen, {});
            }),
            "argument 'weights' has 2 elements; 6 are needed");
}

/// Five vertices; a row for each: the vertices it leads to, with weights.
struct SmallGraph {
  std::vector<int> offsets = {0, 2, 5, 6, 8, 10};
  std::vector<Index> neighbours = {1, 2, 0, 3, 4, 1, 4, 0, 2, 3};
  std::vector<double> weights = {1, 3, 2, 2, 1, 1, 5, 1, 1, 4};

  /// Probabilities of the vertices after one more step.
  [[nodiscard]] std::vector<double> step(const std::vector<double>& from) const {
    std::vector<double> to(5);
    for (std::size_t v = 0; v < 5; ++v) {
      const auto begin = static_cast<std::size_t>(offsets[v]);
      const auto end = static_cast<std::size_t>(offsets[v + 1]);
      double total = 0;
      for (std::size_t e = begin; e < end; ++e) total += weights[e];
      for (std::size_t e = begin; e < end; ++e) to[neighbours[e]] += from[v] * weights[e] / total;
    }
    return to;
  }
};

TEST(SegmentWalks, FollowThePowersOfTheTransitionMatrix) {
  const SmallGraph graph;
  const SegmentedSampler sampler(graph.offsets, graph.weights);
  constexpr std::uint64_t walks = 100'000;
  constexpr std::uint64_t length = 13;
  const std::vector<Index> starts(walks, 2);
  std::vector<Index> out(walks * (length + 1));
  sampler.walk(starts, length, graph.neighbours, out, {3, 1});
  std::vector<double> expected = {0, 0, 1, 0, 0};
  for (std::uint64_t step = 0; step <= length; ++step) {
    verification::Counts counts(5);
    for (std::uint64_t t = 0; t < walks; ++t) ++counts[out[t * (length + 1) + step]];
    EXPECT_TRUE(verification::chi_squared(counts, expected, 20).passes(suite_budget.level()))
        << "step " << step;
    expected = graph.step(expected);
  }
  // A step is a draw from the vertex, with its own word.
  for (const Generator generator : {Generator::philox, Generator::philox7}) {
    const SegmentedSampler own(graph.offsets, graph.weights, {.generator = generator});
    own.walk(starts, length, graph.neighbours, out, {3, 1});
    for (std::uint64_t t = 0; t < 100; ++t) {
      for (std::uint64_t step = 0; step < length; ++step) {
        Index next = 0;
        own.draw(std::span(out).subspan(t * (length + 1) + step, 1), 1, std::span(&next, 1),
                 {3, 1 + t * length + step}, {.payload = graph.neighbours});
        ASSERT_EQ(next, out[t * (length + 1) + step + 1]);
      }
    }
  }
}

TEST(SegmentWalks, OfManyStepsContinueWalksOfFewer) {
  const SmallGraph graph;
  for (const unsigned threads : {1U, 3U}) {
    const SegmentedSampler sampler(graph.offsets, graph.weights, {.threads = threads});
    const std::vector<Index> starts = {2, 0, 4};
    constexpr std::uint64_t length = 40'000;
    std::vector<Index> out(starts.size() * (length + 1));
    sampler.walk(starts, length, graph.neighbours, out, {3, 1});
    constexpr std::uint64_t few = 100;
    for (std::uint64_t t = 0; t < starts.size(); ++t) {
      const std::span<const Index> row = std::span(out).subspan(t * (length + 1), length + 1);
      ASSERT_EQ(row[0], starts[t]);
      for (std::uint64_t first = 0; first < length; first += few) {
        std::vector<Index> part(few + 1);
        sampler.walk(row.subspan(first, 1), few, graph.neighbours, part,
                     {3, 1 + t * length + first});
        ASSERT_TRUE(std::ranges::equal(part, row.subspan(first, few + 1))) << first;
      }
    }
  }
}

TEST(SegmentWalks, EndAtWhatIsNoVertex) {
  for (const Index beyond : {2U, 3U, no_item}) {
    SegmentedSampler sampler(std::vector<int>{0, 1, 2, 4}, {1, 1, 1, 1});
    sampler.rebuild(std::vector<int>{0, 1, 2}, {1, 1});  // what was beyond is still in memory
    std::vector<Index> out(4);
    sampler.walk(std::vector<Index>{0}, 3, std::vector<Index>{1, beyond}, out, {});
    EXPECT_EQ(out, (std::vector<Index>{0, 1, beyond, no_item}));
    sampler.walk(std::vector<Index>{1, 0}, 0, std::vector<Index>{1, beyond},
                 std::span(out).first(2), {});
    EXPECT_EQ(out, (std::vector<Index>{1, 0, beyond, no_item}));
    sampler.walk({}, ~std::uint64_t{0} - 1, std::vector<Index>{1, beyond}, {}, {});
  }
}

TEST(SegmentGenerators, GiveOtherSamples) {
  const std::vector<double> weights(100, 1);
  const auto of = [&](Generator generator) {
    std::pair<std::vector<Index>, std::vector<Index>> both(20, 20);
    multinomial(weights, 1, 100, 20, both.first, {1, 0}, {.generator = generator});
    choose_from_rows(weights, 1, 100, 20, both.second, {1, 0}, {.generator = generator});
    return both;
  };
  EXPECT_NE(of(Generator::philox).first, of(Generator::philox7).first);
  EXPECT_NE(of(Generator::philox).second, of(Generator::philox7).second);
}

TEST(SegmentMultinomial, DrawsFromEachRowOfAMatrix) {
  for (const std::size_t columns : {1U, 16U, 100U, 2048U, 2049U}) {
    std::vector<float> weights;
    constexpr std::uint64_t rows = 3;
    constexpr std::uint64_t k = 100'000;
    for (const char* family : {"uniform", "powerlaw_1_shuffled", "zeros_and_ones"}) {
      for (const double weight :
           verification::find_weight_family(family).make(static_cast<Index>(columns))) {
        weights.push_back(static_cast<float>(weight));
      }
    }
    std::vector<Index> out(rows * k);
    multinomial(weights, rows, columns, k, out, {4, 2});
    for (std::uint64_t row = 0; row < rows; ++row) {
      const auto own = std::span(out).subspan(row * k, k);
      const auto p =
          verification::expected_probabilities(std::span(weights).subspan(row * columns, columns));
      const auto counts = verification::count_samples(own, static_cast<Index>(columns));
      EXPECT_TRUE(verification::chi_squared(counts, p, 20).passes(suite_budget.level()));
      EXPECT_TRUE(verification::worst_item(counts, p).passes(suite_budget.level()));
    }
    // One thread gives the same, and so do later rows by themselves.
    std::vector<Index> last(k);
    multinomial(std::span(weights).subspan(2 * columns), 1, columns, k, last, {4, 2 + 2 * k},
                {.threads = 1});
    EXPECT_TRUE(std::ranges::equal(last, std::span(out).subspan(2 * k)));
  }
  std::vector<Index> out(4, 9);
  EXPECT_EQ(error_of([&] {
              multinomial({1, 2, 0, 0}, 2, 2, 2, out, {});
            }),
            "argument 'weights': segment 1 (items 2 to 3) has only zeros; set empty_ok to permit "
            "it");
  EXPECT_EQ(out, std::vector<Index>(4, 9));
  multinomial({1, 0, 0, 0}, 2, 2, 2, out, {}, {.empty_ok = true});
  EXPECT_EQ(out, (std::vector<Index>{0, 0, no_item, no_item}));
  multinomial(std::vector<float>{}, 2, 0, 2, out, {}, {.empty_ok = true});
  EXPECT_EQ(out, std::vector<Index>(4, no_item));
}

/// The samples that the masses of each row give by the definition: the first item whose prefix sum
/// exceeds the place of the word.
template <class T>
std::vector<Index> searched(std::span<const T> weights, std::uint64_t rows, std::uint64_t k,
                            RandomState state) {
  const std::size_t columns = weights.size() / rows;
  std::vector<Index> out;
  std::vector<std::uint64_t> prefix(columns);
  const random::SplitWords<> words(state.seed);
  for (std::uint64_t row = 0; row < rows; ++row) {
    write_segment_masses(weights.subspan(row * columns, columns), prefix);
    std::partial_sum(prefix.begin(), prefix.end(), prefix.begin());
    for (std::uint64_t j = 0; j < k; ++j) {
      const WideInteger product =
          WideInteger{words.word(state.offset + row * k + j)} * (std::uint64_t{columns} << 32);
      const auto item = std::ranges::upper_bound(prefix, static_cast<std::uint64_t>(product >> 64));
      out.push_back(item == prefix.end() ? no_item : static_cast<Index>(item - prefix.begin()));
    }
  }
  return out;
}

template <class T>
void check_search(std::uint64_t rows, std::size_t columns, std::uint64_t k) {
  for (const char* family : {"uniform", "mostly_zeros", "one_heavy_last", "sixty_orders", "tiny"}) {
    const std::vector<double> values =
        verification::find_weight_family(family).make(static_cast<Index>(rows * columns));
    std::vector<T> weights(values.begin(), values.end());
    if (rows > 1) std::fill_n(weights.begin(), columns, T{0});
    std::vector<Index> out(rows * k);
    constexpr RandomState state{7, (std::uint64_t{1} << 40) + 3};
    for (const unsigned threads : {1U, 3U}) {
      multinomial(weights, rows, columns, k, out, state, {.empty_ok = true, .threads = threads});
      ASSERT_EQ(out, searched(std::span<const T>(weights), rows, k, state))
          << family << ", " << rows << " rows of " << columns;
    }
  }
}

TEST(SegmentMultinomial, FindsTheItemInWhoseMassAPlaceIs) {
  const std::vector<std::uint64_t> prefix = {0, 5, 5, 6, 8, 8};
  const std::vector<Index> expected = {1, 1, 1, 1, 1, 3, 4, 4};
  for (std::uint64_t place = 0; place < expected.size(); ++place) {
    EXPECT_EQ(first_above(prefix.data(), 6, place), expected[place]) << place;
  }
  EXPECT_EQ(place_of(0, 3), 0U);
  EXPECT_EQ(place_of(~std::uint64_t{0}, 3), 3 * fixed_bucket - 1);
}

TEST(SegmentMultinomial, FindsTheFirstAndTheLastPlaceOfItemsAtTheBordersOfParts) {
  constexpr Index columns = 4097;
  const std::vector<double> weights = verification::find_weight_family("uniform").make(columns);
  std::vector<std::uint64_t> prefix(columns);
  write_segment_masses(weights, prefix);
  std::partial_sum(prefix.begin(), prefix.end(), prefix.begin());
  std::vector<std::uint64_t> words;
  std::vector<Index> expected;
  const auto add = [&](std::uint64_t place, Index item) {
    const WideInteger places = std::uint64_t{columns} << 32;
    words.push_back(static_cast<std::uint64_t>(((WideInteger{place} << 64) + places - 1) / places));
    EXPECT_EQ(place_of(words.back(), columns), place);
    expected.push_back(item);
  };
  for (const Index item : {1U, 2046U, 2047U, 2048U, 4095U, 4096U}) {
    add(prefix[item - 1], item);
    add(prefix[item] - 1, item);
  }
  std::vector<Index> found(words.size());
  find_items(weights, 1, {}, words, found, 1);
  EXPECT_EQ(found, expected);
}

TEST(SegmentMultinomial, SearchesLongRowsForFewSamples) {
  check_search<float>(1, 2048, max_searched_samples + 1);  // for any number
  check_search<double>(3, 5, 40'000);
  check_search<float>(1, 2049, max_searched_samples);
  check_search<double>(1, 4096, 1);
  check_search<float>(3, 4097, 100);
  check_search<double>(40, 6145, 7);
  check_search<float>(2, 300'000, 1000);  // summed by all threads
  // One sample more is drawn from a table.
  const std::vector<double> weights = verification::find_weight_family("uniform").make(5000);
  std::vector<Index> out(max_searched_samples + 1);
  std::vector<Index> expected(out.size());
  multinomial(weights, 1, weights.size(), out.size(), out, {3, 1});
  SegmentedSampler(SegmentsView::equal(1, weights.size()), weights)
      .draw_from_all(out.size(), expected, {3, 1});
  EXPECT_EQ(out, expected);
  EXPECT_NE(searched<double>(weights, 1, out.size(), {3, 1}), expected);
  EXPECT_EQ(error_of([&] {
              std::vector<double> bad = weights;
              bad[2500] = -1;
              multinomial(bad, 1, bad.size(), 1, std::span(out).first(1), {});
            }),
            "argument 'weights': in segment 0, item 2500 (weight 2500 of all) is negative (-1)");
  EXPECT_EQ(out, expected);
}

}  // namespace
}  // namespace wrsgpu::segments
