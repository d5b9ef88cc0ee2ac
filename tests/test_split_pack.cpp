// The split and pack functions that PSA uses on the host and on the device.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "construction/pack/baseline.hpp"
#include "construction/pack/chunk.hpp"
#include "construction/pack/reorder.hpp"
#include "construction/split/baseline.hpp"
#include "construction/split/pivots.hpp"
#include "cpu_reference/psa.hpp"
#include "cpu_reference/psa_sequential.hpp"
#include "cpu_reference/split_and_pack.hpp"
#include "cpu_reference/sweep.hpp"
#include "table_rows.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/masses/masses.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"

namespace wrsgpu {
namespace {

using verification::weight_families;
using verification::WeightFamily;

const std::vector<Index> sizes{1, 2, 3, 4, 7, 8, 9, 31, 64, 65, 257, 1000};

IntegerMasses integer_masses(const std::vector<double>& weights,
                             HostBuffer<std::uint64_t>& buffer) {
  buffer = quantise(weights, 1);
  return {buffer.data()};
}

ScaledWeights<double> scaled_weights(const std::vector<double>& weights) {
  const WeightSummary summary = summarise(weights, 1);
  return {weights.data(), summary.scale, summary.bucket()};
}

/// The states of the sweep, one per row, computed naively.
template <class Masses>
std::vector<split::State<typename Masses::Mass>> states_of_sweep(const Masses& masses,
                                                                 const std::vector<Index>& light,
                                                                 const std::vector<Index>& heavy) {
  using Mass = typename Masses::Mass;
  const auto heavies = static_cast<Index>(heavy.size());
  std::vector<split::State<Mass>> states;
  split::State<Mass> state{0, 0, heavies > 0 ? masses[heavy[0]] : Mass{0}};
  states.push_back(state);
  while (state.items() < light.size() + heavy.size()) {
    if (state.heavy < heavies && state.spill <= masses.bucket) {
      const Mass missing = masses.bucket - state.spill;
      ++state.heavy;
      state.spill = state.heavy < heavies ? masses[heavy[state.heavy]] - missing : Mass{0};
    } else {
      state.spill -= state.heavy < heavies ? masses.bucket - masses[light[state.light]] : Mass{0};
      ++state.light;
    }
    states.push_back(state);
  }
  return states;
}

TEST(Split, FindsTheSweepsStateAfterEveryRow) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : sizes) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      HostBuffer<std::uint64_t> buffer;
      const std::vector<double> weights = family.make(n);
      const IntegerMasses masses = integer_masses(weights, buffer);
      const auto partition = partition_items(masses, n, 1);
      const auto lists = partition.lists();
      const auto expected = states_of_sweep(masses, {lists.light, lists.light + lists.lights},
                                            {lists.heavy, lists.heavy + lists.heavies});
      ASSERT_EQ(expected.size(), n + 1U);
      for (Index rows = 0; rows <= n; ++rows) {
        const auto found = split::binary_search(partition.prefix_sums(), rows);
        ASSERT_EQ(found.light, expected[rows].light) << rows;
        ASSERT_EQ(found.heavy, expected[rows].heavy) << rows;
        ASSERT_EQ(found.spill, expected[rows].spill) << rows;
      }
    }
  }
}

TEST(Split, FloatingPointStatesAreStatesOfTheSweepUpToRounding) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : sizes) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      const std::vector<double> weights = family.make(n);
      const ScaledWeights<double> masses = scaled_weights(weights);
      const auto partition = partition_items(masses, n, 1);
      const auto lists = partition.lists();
      std::vector<long double> light{0};
      std::vector<long double> heavy{0};
      for (Index i = 0; i < lists.lights; ++i) light.push_back(light[i] + masses[lists.light[i]]);
      for (Index j = 0; j < lists.heavies; ++j) heavy.push_back(heavy[j] + masses[lists.heavy[j]]);
      // Two prefix sums and a product, each rounded once, and two more roundings. The bucket is
      // rounded, too, which is visible when one kind of item is exhausted.
      const long double total = light.back() + heavy.back();
      const long double bound =
          6 * 0x1p-53L * total + std::abs(static_cast<long double>(n) * masses.bucket - total);
      for (Index rows = 0; rows <= n; ++rows) {
        const auto state = split::binary_search(partition.prefix_sums(), rows);
        ASSERT_EQ(state.items(), rows);
        ASSERT_LE(state.light, lists.lights);
        ASSERT_LE(state.heavy, lists.heavies);
        const long double used = static_cast<long double>(rows) * masses.bucket;
        if (state.heavy > 0) {
          ASSERT_LE(light[state.light] + heavy[state.heavy], used + bound) << rows;
        }
        if (state.heavy < lists.heavies) {
          const long double left = light[state.light] + heavy[state.heavy + 1] - used;
          ASSERT_LE(std::abs(left - static_cast<long double>(state.spill)), bound) << rows;
          if (state.light > 0) {
            ASSERT_GE(light[state.light - 1] + heavy[state.heavy + 1], used - bound) << rows;
          }
        }
      }
    }
  }
}

TEST(Split, SearchesOnlyTheRangeItIsGiven) {
  const std::vector<double> weights{5, 1, 1, 1, 5, 1, 1, 1};
  HostBuffer<std::uint64_t> buffer;
  const auto partition = partition_items(integer_masses(weights, buffer), 8, 1);
  const auto sums = partition.prefix_sums();
  EXPECT_EQ(split::search_range(sums, 7).low, 1U);
  EXPECT_EQ(split::search_range(sums, 7).high, 2U);
  EXPECT_EQ(split::binary_search(sums, {1, 1}, 7).heavy, 1U);
  EXPECT_EQ(split::binary_search(sums, {2, 2}, 7).heavy, 2U);
}

TEST(Split, StatesAreMovedIntoOrder) {
  const std::vector<double> weights{3, 3, 3, 1, 1, 1};
  const auto partition = partition_items(scaled_weights(weights), 6, 1);
  const auto sums = partition.prefix_sums();
  using State = split::State<double>;
  for (Index light = 0; light <= 3; ++light) {
    for (Index heavy = 0; heavy <= 3; ++heavy) {
      const State previous = split::state_with(sums, heavy, light + heavy);
      for (Index rows = previous.items(); rows <= 6; ++rows) {
        const split::SearchRange range = split::search_range(sums, rows);
        for (Index j = range.low; j <= range.high; ++j) {
          const State found = split::state_with(sums, j, rows);
          const State moved = split::move_after(sums, previous, found);
          ASSERT_TRUE(split::in_order(previous, moved));
          ASSERT_EQ(moved.items(), rows);
          ASSERT_LE(moved.light, 3U);
          ASSERT_LE(moved.heavy, 3U);
          if (split::in_order(previous, found)) {
            ASSERT_EQ(moved.heavy, found.heavy);
          }
        }
      }
    }
  }
}

// Masses that differ from the bucket only in the last bit: rounding decides every comparison of a
// split.
TEST(Split, NearlyEqualMassesStillGiveSectionsInOrder) {
  std::mt19937_64 random(5);
  std::vector<double> weights(3000);
  for (double& w : weights) w = 0.1 * (1 + static_cast<double>(random() % 3) * 0x1p-52);
  const auto partition = partition_items(scaled_weights(weights), 3000, 1);
  for (const Index sections : {1U, 2U, 7U, 100U, 2999U, 3000U}) {
    const auto states = find_splits(partition.prefix_sums(), sections, 1);
    ASSERT_EQ(states.size(), sections + 1U);
    EXPECT_EQ(states.front().items(), 0U);
    EXPECT_EQ(states.back().items(), 3000U);
    for (Index k = 0; k < sections; ++k) ASSERT_TRUE(split::in_order(states[k], states[k + 1]));
  }
}

/// The joint phase of the partial p-ary search as the threads of a block make it. Returns what is
/// left of the range.
template <int p>
split::PivotRange<p, Index> narrowed(const std::vector<Index>& list,
                                     const std::vector<Index>& queries, unsigned reduction,
                                     int& steps) {
  split::PivotRange<p, Index> range{0, static_cast<Index>(list.size())};
  while (range.is_wide()) {
    unsigned before = 0;
    unsigned behind = 0;
    for (unsigned thread = 0; thread < p; ++thread) {
      const Index value = list[range.pivot(thread)];
      before += value < queries.front() ? 1U : 0U;
      behind += value >= queries.back() ? 1U : 0U;
    }
    ++steps;
    if (!range.narrow(before, behind, reduction)) break;
  }
  return range;
}

TEST(Split, JointSearchKeepsWhatAnyQueryFindsWhateverItsThreshold) {
  constexpr int p = 32;
  std::vector<Index> list(5000);
  for (Index i = 0; i < list.size(); ++i) list[i] = 3 * i + i % 5;
  for (const Index distance : {0U, 1U, 20U, 400U}) {
    for (const Index first : {0U, 77U, 9000U, 20'000U}) {
      std::vector<Index> queries(p);
      for (Index q = 0; q < p; ++q) queries[q] = first + q * distance;
      int fewest_steps = 0;
      for (const unsigned reduction : {p / 2U, p / 4U, p / 8U, 2U}) {
        SCOPED_TRACE(std::to_string(distance) + " apart from " + std::to_string(first) +
                     ", reduction " + std::to_string(reduction));
        int steps = 0;
        const auto range = narrowed<p>(list, queries, reduction, steps);
        for (const Index query : queries) {
          const auto found =
              static_cast<Index>(std::lower_bound(list.begin(), list.end(), query) - list.begin());
          EXPECT_LE(range.low, found);
          EXPECT_GE(range.high, found);
        }
        EXPECT_GE(steps, fewest_steps);  // the joint phase goes on for longer
        fewest_steps = steps;
      }
    }
  }
}

// The thesis: until the range cannot be reduced to less than 1 / (p / 8).
TEST(Split, JointSearchEndsAtItsThreshold) {
  split::PivotRange<128, Index> range{0, 129'000};
  EXPECT_EQ(range.pivot(0), 1000U);
  EXPECT_EQ(range.pivot(127), 128'000U);
  split::PivotRange<128, Index> half = range;
  EXPECT_TRUE(range.narrow(60, 61, 16));  // 8 of 129 parts are left
  EXPECT_EQ(range.low, 60'001U);
  EXPECT_EQ(range.high, 68'000U);
  EXPECT_FALSE(half.narrow(60, 59, 16));  // 10 of 129
}

/// Counts the stores to each row.
class CountingRows {
 public:
  CountingRows(std::vector<PlainRow>& rows, std::vector<int>& stores)
      : rows_(&rows), stores_(&stores) {}
  [[nodiscard]] Index size() const { return static_cast<Index>(rows_->size()); }
  template <class Mass>
  void store(Index i, Mass own, Index alias) const {
    (*rows_)[i] = {static_cast<double>(own), alias};
    ++(*stores_)[i];
  }

 private:
  std::vector<PlainRow>* rows_;
  std::vector<int>* stores_;
};

/// Packs in both forms from the same states, and expects equal rows, each stored once.
template <class Masses, class Mass>
std::vector<PlainRow> pack_both_ways(const Partition<Index, Mass>& partition, const Masses& masses,
                                     const std::vector<split::State<Mass>>& states) {
  std::vector<PlainRow> rows(partition.size());
  std::vector<PlainRow> optimised(partition.size());
  std::vector<int> stores(partition.size());
  std::vector<int> optimised_stores(partition.size());
  for (std::size_t k = 0; k + 1 < states.size(); ++k) {
    pack::pack<pack::Form::readable>(partition.lists(), masses, CountingRows(rows, stores),
                                     states[k], states[k + 1]);
    pack::pack<pack::Form::optimised>(partition.lists(), masses,
                                      CountingRows(optimised, optimised_stores), states[k],
                                      states[k + 1]);
  }
  EXPECT_EQ(rows, optimised);
  EXPECT_EQ(stores, std::vector<int>(partition.size(), 1));
  EXPECT_EQ(optimised_stores, std::vector<int>(partition.size(), 1));
  return rows;
}

TEST(Pack, BothFormsWriteEachRowOnceAndTheSame) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : sizes) {
      const std::vector<double> weights = family.make(n);
      HostBuffer<std::uint64_t> buffer;
      const IntegerMasses integers = integer_masses(weights, buffer);
      const ScaledWeights<double> doubles = scaled_weights(weights);
      const auto integer_partition = partition_items(integers, n, 1);
      const auto double_partition = partition_items(doubles, n, 1);
      for (const Index sections : {1U, 2U, 5U, n}) {
        SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items, " +
                     std::to_string(sections) + " sections");
        pack_both_ways(integer_partition, integers,
                       find_splits(integer_partition.prefix_sums(), sections, 1));
        pack_both_ways(double_partition, doubles,
                       find_splits(double_partition.prefix_sums(), sections, 1));
        if (HasFailure()) return;
      }
    }
  }
}

/// A reader that has a prefix of both lists, like chunks in shared memory.
template <class Masses>
class PartOfLists {
 public:
  using Mass = typename Masses::Mass;
  PartOfLists(const pack::Lists<Index>& lists, const Masses& masses) : all_{lists, masses} {}

  [[nodiscard]] bool has(bool is_heavy, Index light, Index heavy) const {
    return is_heavy ? heavy < heavies_ : light < lights_;
  }
  [[nodiscard]] pack::ItemMass<Mass> take(bool is_heavy, Index light, Index heavy) const {
    EXPECT_TRUE(has(is_heavy, light, heavy)) << "light " << light << ", heavy " << heavy;
    return all_.take(is_heavy, light, heavy);
  }
  void know(Index lights, Index heavies) {
    lights_ = std::min(lights, all_.lists.lights);
    heavies_ = std::min(heavies, all_.lists.heavies);
  }

 private:
  pack::ListReader<Index, Masses> all_;
  Index lights_ = 0;
  Index heavies_ = 0;
};

/// Packs each section with a reader that makes `step` more items available whenever it is
/// exhausted.
template <pack::Form form, class Masses, class Mass>
std::vector<PlainRow> pack_by_parts(const Partition<Index, Mass>& partition, const Masses& masses,
                                    const std::vector<split::State<Mass>>& states, Index step) {
  std::vector<PlainRow> rows(partition.size());
  std::vector<int> stores(partition.size());
  const CountingRows counted(rows, stores);
  for (std::size_t k = 0; k + 1 < states.size(); ++k) {
    PartOfLists<Masses> reader(partition.lists(), masses);
    reader.know(states[k].light, partition.lists().heavies);  // includes the current heavy item
    pack::Packer<Mass> packer(reader, partition.lists().heavies, masses.bucket, states[k],
                              states[k + 1]);
    reader.know(packer.light(), packer.heavy() + 1);
    while (!packer.template pack<form>(reader, counted)) {
      reader.know(packer.light() + step, packer.heavy() + 1 + step);
    }
  }
  EXPECT_EQ(stores, std::vector<int>(partition.size(), 1));
  return rows;
}

TEST(Pack, GoesOnWhereItsReaderRanOut) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : {1U, 2U, 31U, 257U}) {
      const std::vector<double> weights = family.make(n);
      HostBuffer<std::uint64_t> buffer;
      const IntegerMasses masses = integer_masses(weights, buffer);
      const auto partition = partition_items(masses, n, 1);
      for (const Index sections : {1U, 3U}) {
        const auto states = find_splits(partition.prefix_sums(), sections, 1);
        const std::vector<PlainRow> expected = pack_both_ways(partition, masses, states);
        for (const Index step : {1U, 2U, 5U}) {
          SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items, " +
                       std::to_string(sections) + " sections, by " + std::to_string(step));
          EXPECT_EQ(pack_by_parts<pack::Form::optimised>(partition, masses, states, step),
                    expected);
          EXPECT_EQ(pack_by_parts<pack::Form::readable>(partition, masses, states, step), expected);
          if (HasFailure()) return;
        }
      }
    }
  }
}

/// Packs each section from chunks of `capacity` elements, as a worker of the chunked kernel does.
/// `copied` counts the elements that are read from the lists.
template <Index capacity, class Masses, class Mass>
std::vector<PlainRow> pack_by_chunks(const Partition<Index, Mass>& partition, const Masses& masses,
                                     const std::vector<split::State<Mass>>& states, Index threshold,
                                     bool reuses, Index& copied) {
  const auto lists = partition.lists();
  std::vector<PlainRow> rows(partition.size());
  std::vector<int> stores(partition.size());
  for (std::size_t k = 0; k + 1 < states.size(); ++k) {
    std::vector<Index> memory(2 * std::size_t{capacity}, ~Index{0});
    pack::Packer<Mass> packer(pack::ListReader<Index, Masses>{lists, masses}, lists.heavies,
                              masses.bucket, states[k], states[k + 1]);
    const Index limit[2] = {packer.light_end(), lists.heavies == 0 ? 0 : packer.heavy_end() + 1};
    pack::ChunkReader<capacity, Index, Masses> reader{memory.data(), masses, {}};
    const auto refill = [&](int kind) {
      const Index next = kind == 0 ? packer.light() : packer.heavy() + 1;
      pack::ChunkWindow& window = reader.window[kind];
      if (!window.is_used_up(next, limit[kind], capacity, threshold)) return false;
      Index* const chunk = memory.data() + (kind == 0 ? Index{0} : capacity);
      if (reuses) pack::keep_unread(chunk, window, next);
      const pack::ChunkRequest request = window.move_to(next, limit[kind], capacity, reuses);
      std::copy_n((kind == 0 ? lists.light : lists.heavy) + request.from, request.count,
                  chunk + request.place);
      copied += request.count;
      return true;
    };
    do {
      const bool has_light = refill(0);
      const bool has_heavy = refill(1);
      // Otherwise the worker would wait for elements forever.
      EXPECT_TRUE(has_light || has_heavy || packer.light() == limit[0] ||
                  packer.heavy() + 1 >= limit[1]);
      if (testing::Test::HasFailure()) return rows;
    } while (!packer.pack(reader, CountingRows(rows, stores)));
  }
  EXPECT_EQ(stores, std::vector<int>(partition.size(), 1));
  return rows;
}

template <Index capacity>
void expect_rows_of_chunks(const WeightFamily& family, Index n) {
  const std::vector<double> weights = family.make(n);
  HostBuffer<std::uint64_t> buffer;
  const IntegerMasses masses = integer_masses(weights, buffer);
  const auto partition = partition_items(masses, n, 1);
  for (const Index sections : {1U, 3U}) {
    const auto states = find_splits(partition.prefix_sums(), sections, 1);
    const std::vector<PlainRow> expected = pack_both_ways(partition, masses, states);
    for (const Index threshold : {Index{0}, capacity / 3, capacity - 1}) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items, " + std::to_string(sections) +
                   " sections, chunks of " + std::to_string(capacity) + ", threshold " +
                   std::to_string(threshold));
      Index copied = 0;
      Index copied_once = 0;
      EXPECT_EQ(pack_by_chunks<capacity>(partition, masses, states, threshold, false, copied),
                expected);
      EXPECT_EQ(pack_by_chunks<capacity>(partition, masses, states, threshold, true, copied_once),
                expected);
      // What is reused is not read again, and every item is in the chunks of one section only.
      EXPECT_LE(copied_once, n);
      EXPECT_LE(copied_once, copied);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Pack, ChunksOfAnyShapeGiveTheRowsOfWholeLists) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : {1U, 2U, 31U, 257U}) {
      expect_rows_of_chunks<1>(family, n);
      expect_rows_of_chunks<4>(family, n);
      expect_rows_of_chunks<16>(family, n);
      expect_rows_of_chunks<32>(family, n);
      if (HasFailure()) return;
    }
  }
}

// As 11 of 32 elements in the thesis's tuned shape.
TEST(Pack, ChunkIsLoadedAgainFromItsThresholdOn) {
  pack::ChunkWindow window;
  EXPECT_TRUE(window.is_used_up(5, 100, 32, 11));  // not loaded yet
  const pack::ChunkRequest first = window.move_to(5, 100, 32, false);
  EXPECT_EQ(first.from, 5U);
  EXPECT_EQ(first.count, 32U);
  EXPECT_FALSE(window.is_used_up(5 + 20, 100, 32, 11));
  EXPECT_TRUE(window.is_used_up(5 + 21, 100, 32, 11));
  EXPECT_FALSE(window.is_used_up(5 + 21, 26, 32, 11));  // the list has no more
  const pack::ChunkRequest rest = window.move_to(5 + 21, 40, 32, true);
  EXPECT_EQ(rest.place, 11U);
  EXPECT_EQ(rest.from, 37U);
  EXPECT_EQ(rest.count, 3U);
  EXPECT_TRUE(window.has(39));
  EXPECT_FALSE(window.has(40));
}

// Greedy packing as in PSA+: the rows up to the end of the reader's items equal those of the sweep.
TEST(Pack, WithoutAnEndGoesAsFarAsItsReader) {
  for (const WeightFamily& family : weight_families()) {
    constexpr Index n = 257;
    const std::vector<double> weights = family.make(n);
    HostBuffer<std::uint64_t> buffer;
    const IntegerMasses masses = integer_masses(weights, buffer);
    const auto partition = partition_items(masses, n, 1);
    const auto lists = partition.lists();
    if (lists.heavies == 0) continue;
    SCOPED_TRACE(family.name);
    const std::vector<PlainRow> expected =
        pack_both_ways(partition, masses, find_splits(partition.prefix_sums(), 1, 1));
    PartOfLists<IntegerMasses> reader(lists, masses);
    reader.know(lists.lights / 2, lists.heavies / 2 + 1);
    std::vector<PlainRow> rows(n);
    std::vector<int> stores(n);
    pack::Packer<std::uint64_t> packer(reader.take(true, 0, 0), 0, 0, masses.bucket);
    EXPECT_FALSE(packer.pack(reader, CountingRows(rows, stores)));
    Index stored = 0;
    for (Index i = 0; i < n; ++i) {
      stored += static_cast<Index>(stores[i]);
      if (stores[i] > 0) {
        ASSERT_EQ(rows[i], expected[i]) << "row " << i;
      }
    }
    EXPECT_EQ(stored, packer.light() + packer.heavy());
    EXPECT_TRUE(packer.light() == lists.lights / 2 || packer.heavy() == lists.heavies / 2);
  }
}

TEST(Pack, SmallTableRowByRow) {
  // Bucket 2; heavy items 0 and 3.
  const std::vector<double> weights{4.5, 1, 0.5, 3, 1, 2};
  HostBuffer<std::uint64_t> buffer;
  const IntegerMasses masses = integer_masses(weights, buffer);
  const auto partition = partition_items(masses, 6, 1);
  const double unit = 0x1p31;  // a weight of 1
  const std::vector<PlainRow> expected{{2 * unit, 0}, {1 * unit, 0}, {0.5 * unit, 0},
                                       {2 * unit, 3}, {1 * unit, 3}, {2 * unit, 5}};
  for (const Index sections : {1U, 2U, 3U, 6U}) {
    EXPECT_EQ(pack_both_ways(partition, masses, find_splits(partition.prefix_sums(), sections, 1)),
              expected);
  }
}

// For any rounding of the states: every row is written, no alias is out of range, own parts are at
// most a bucket, and items of mass zero are never drawn.
TEST(Pack, SurvivesStatesFarFromTheSweeps) {
  std::mt19937_64 random(11);
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : {2U, 9U, 100U}) {
      const std::vector<double> weights = family.make(n);
      const ScaledWeights<double> masses = scaled_weights(weights);
      const auto partition = partition_items(masses, n, 1);
      const auto lists = partition.lists();
      for (int repetition = 0; repetition < 10; ++repetition) {
        SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
        std::vector<split::State<double>> states{{0, 0, 0}};
        while (states.back().items() < n) {
          split::State<double> next = states.back();
          next.light += static_cast<Index>(random() % (lists.lights - next.light + 1));
          next.heavy += static_cast<Index>(random() % (lists.heavies - next.heavy + 1));
          next.spill = static_cast<double>(random() % 8) * masses.bucket / 2;
          states.push_back(next);
        }
        const std::vector<PlainRow> rows = pack_both_ways(partition, masses, states);
        for (Index i = 0; i < n; ++i) {
          ASSERT_LT(rows[i].alias, n);
          ASSERT_GE(rows[i].own, 0);
          ASSERT_LE(rows[i].own, masses.bucket);
          if (weights[i] == 0) {
            ASSERT_EQ(rows[i].own, 0);
          }
          if (rows[i].own < masses.bucket) {
            ASSERT_GT(weights[rows[i].alias], 0);
          }
        }
      }
    }
  }
}

// Rounding can cause prefix sums that give the current heavy item a negative mass, and states that
// give it more than its mass.
TEST(Split, NoStateHasLessThanNothingLeft) {
  const std::vector<double> light{0.05};
  const std::vector<double> heavy{0.9, 3};
  const split::PrefixSums<double> sums{light.data(), heavy.data(), 1, 2, 1.0};
  EXPECT_EQ(split::state_with(sums, 0, 1).spill, 0);
  EXPECT_DOUBLE_EQ(split::state_with(sums, 1, 2).spill, 1.05);
}
TEST(Pack, NoItemGivesMoreThanItWeighs) {
  const std::vector<double> weights{1.5, 0.5, 0.5, 0.5, 2};
  const ScaledWeights<double> masses = scaled_weights(weights);
  const auto partition = partition_items(masses, 5, 1);
  const split::State<double> end{3, 2, 0};
  const std::vector<PlainRow> expected =
      pack_both_ways(partition, masses, {{0, 0, masses[0]}, end});
  EXPECT_EQ(pack_both_ways(partition, masses, {{0, 0, 8 * masses[0]}, end}), expected);
}

TEST(Pack, DealtListsKeepAllTheirElements) {
  for (Index count = 1; count < 40; ++count) {
    for (Index sections = 1; sections < 45; ++sections) {
      std::vector<int> elements_at(count, 0);
      for (Index place = 0; place < count; ++place) {
        const Index dealt = pack::dealt_place(place, count, sections);
        ASSERT_LT(dealt, count) << place << " of " << count << ", " << sections << " sections";
        ++elements_at[dealt];
      }
      ASSERT_EQ(elements_at, std::vector<int>(count, 1)) << count << ", " << sections;
    }
  }
  // Three rows of seven elements: 0 3 6, 1 4, 2 5.
  const std::vector<Index> expected{0, 3, 5, 1, 4, 6, 2};
  for (Index place = 0; place < 7; ++place) {
    EXPECT_EQ(pack::dealt_place(place, 7, 3), expected[place]);
  }
}

// In fixed-point arithmetic PSA equals the sweep, for any splits.
TEST(Psa, FixedPointTablesAreTheSweepsBitForBit) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : {1U, 2U, 3U, 8U, 33U, 1000U, 4097U, 20'011U}) {
      const std::vector<double> weights = family.make(n);
      for (const Layout layout : {Layout::wide_rows, Layout::compact_rows}) {
        const TableOptions options{Arithmetic::fixed_point, layout, 2};
        Sweep sweep(options);
        sweep.build(weights);
        const std::vector<PlainRow> expected = plain_rows(sweep);
        for (const Index section_items : {1U, 2U, 3U, 7U, 64U, 4096U, 100'000U}) {
          SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items, sections of " +
                       std::to_string(section_items));
          Psa psa(options, section_items);
          psa.build(weights);
          ASSERT_TRUE(plain_rows(psa) == expected);
          PsaSequential sequential(options, section_items);
          sequential.build(weights);
          ASSERT_TRUE(plain_rows(sequential) == expected);
        }
      }
    }
  }
}

TEST(Psa, SequentialAndParallelTablesAreTheSame) {
  for (const WeightFamily& family : weight_families()) {
    SCOPED_TRACE(family.name);
    const std::vector<double> weights = family.make(20'011);
    PsaSequential sequential({Arithmetic::floating, Layout::wide_rows, 1}, 100);
    sequential.build(weights);
    for (const unsigned threads : {1U, 2U, 5U}) {
      Psa psa({Arithmetic::floating, Layout::wide_rows, threads}, 100);
      psa.build(weights);
      ASSERT_TRUE(plain_rows(psa) == plain_rows(sequential));
    }
  }
}

TEST(Psa, RefusesSectionsWithoutItems) {
  EXPECT_THROW(Psa({}, 0), Error);
  EXPECT_THROW(PsaSequential({}, 0), Error);
}

}  // namespace
}  // namespace wrsgpu
