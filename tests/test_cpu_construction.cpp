// Properties of the constructions of cpu_reference/ beyond those that the suite tests for all
// methods.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cpu_reference/psa_plus.hpp"
#include "cpu_reference/tiled_sweep.hpp"
#include "registry/methods.hpp"
#include "registry/variants.hpp"
#include "registry/verify.hpp"
#include "table_rows.hpp"
#include "verification/reconstruction.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/host_sweep/compensated_sum.hpp"
#include "wrsgpu/detail/host_sweep/tile_lists.hpp"

namespace wrsgpu {
namespace {

std::vector<double> uniform_weights(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> weights(n);
  for (double& w : weights) w = static_cast<double>(random() >> 11) * 0x1p-53;
  return weights;
}

std::vector<double> power_law(Index n, double exponent, bool shuffled) {
  std::vector<double> weights(n);
  for (Index i = 0; i < n; ++i) weights[i] = std::pow(i + 1.0, -exponent);
  if (shuffled) std::shuffle(weights.begin(), weights.end(), std::mt19937_64(7));
  return weights;
}

std::vector<verification::Variant> host_tables(Index items) {
  std::vector<verification::Variant> tables;
  for (const verification::Variant& variant : verification::all_variants(2)) {
    if (variant.method->device == Device::cpu && variant.method->is_alias_table() &&
        items <= variant.method->practical_items) {
      tables.push_back(variant);
    }
  }
  return tables;
}

/// Largest |N p_i - 1|.
double worst_deviation_from_equal(const SamplingAlgorithm& built) {
  const std::vector<double> p = built.probabilities();
  double worst = 0;
  for (const double each : p) {
    worst = std::max(worst, std::abs(each * static_cast<double>(p.size()) - 1));
  }
  return worst;
}

// In other implementations eight weights of 0.1 crash, and a million of them draw only one item.
TEST(CpuConstruction, EqualWeightsStayEqual) {
  for (const Index n : {1U, 2U, 3U, 8U, 10U, 49U, 1000U, 1'000'000U}) {
    for (const double weight : {0.1, 1.0 / 3, 1e-310, 1e300}) {
      const std::vector<double> weights(n, weight);
      for (const verification::Variant& variant : host_tables(n > 1000 ? 100'000'000 : n)) {
        if (n > 1000 && weight != 0.1) continue;
        SCOPED_TRACE(variant.name + ", " + std::to_string(n) + " items");
        const auto built = variant.make();
        built->build(weights);
        // Quantising costs up to 2^-31 of an item, a floating-point sum of n weights n roundings.
        EXPECT_LT(worst_deviation_from_equal(*built), 0x1p-31 + n * 0x1p-53);
      }
    }
  }
}

TEST(CpuConstruction, ItemsOfWeightZeroAreNeverDrawn) {
  const Index n = 9000;
  std::vector<std::vector<double>> cases;
  cases.push_back(uniform_weights(n, 1));
  for (Index i = 0; i < n; i += 2) cases.back()[i] = 0;
  cases.emplace_back(n, 0.0);
  cases.back()[n - 1] = 0.3;
  cases.emplace_back(n, 0.1);
  cases.back()[n / 2] = 0;
  cases.emplace_back(n, 0.0);
  std::fill_n(cases.back().begin(), n / 3, 0.7);
  for (const std::vector<double>& weights : cases) {
    for (const verification::Variant& variant : host_tables(n)) {
      SCOPED_TRACE(variant.name);
      const auto built = variant.make();
      built->build(weights);
      const std::vector<double> p = built->probabilities();
      for (Index i = 0; i < n; ++i) {
        if (weights[i] == 0) {
          ASSERT_EQ(p[i], 0) << i;
        }
      }
    }
  }
}

TEST(CpuConstruction, FullRowsNameTheirOwnItem) {
  for (const verification::WeightFamily& family : verification::weight_families()) {
    const std::vector<double> weights = family.make(5000);
    for (const verification::Variant& variant : host_tables(5000)) {
      SCOPED_TRACE(variant.name + ", " + family.name);
      const auto built = variant.make();
      built->build(weights);
      const HostTable& table = dynamic_cast<const HostAliasTable&>(*built).table();
      table.visit([&](auto rows) {
        for (Index i = 0; i < rows.size(); ++i) {
          const auto row = rows.load(i);
          ASSERT_LE(rows.own(row), rows.bucket());
          if (rows.own(row) == rows.bucket()) {
            ASSERT_EQ(rows.alias(row), i);
          }
        }
      });
    }
  }
}

// Sizes and weights for which the parallel constructions have many sections, use non-temporal
// stores, and export few or nearly all items to other sections.
class LargeTables : public testing::TestWithParam<std::string> {};

TEST_P(LargeTables, AreRightAndDoNotDependOnThreads) {
  const Index n = 1'100'003;  // at least 8 MiB, even with compact rows
  std::vector<std::pair<const char*, std::vector<double>>> cases;
  cases.emplace_back("uniform", uniform_weights(n, 2));
  cases.emplace_back("power law", power_law(n, 1, false));
  cases.emplace_back("shuffled power law", power_law(n, 1, true));
  cases.emplace_back("steep shuffled power law", power_law(n, 3, true));
  cases.emplace_back("ramp", power_law(n, -1, false));
  cases.emplace_back("one light", std::vector<double>(n, 0.1));
  cases.back().second[n / 2] = 0;
  for (const Index heavies : {n / 2, n / 10 * 9, n / 100 * 99}) {
    cases.emplace_back("heavy ones first", std::vector<double>(n, 0.1));
    std::fill_n(cases.back().second.begin(), heavies, 0.2);
  }
  cases.emplace_back("one heavy", std::vector<double>(n, 0.1));
  cases.back().second[n - 1] = n;
  cases.emplace_back("zeros, then equal", std::vector<double>(n, 0.0));
  std::fill_n(cases.back().second.begin() + n / 10, n - n / 10, 0.3);
  cases.emplace_back("few heavy ones between zeros", std::vector<double>(n, 0.0));
  for (Index i = 1000; i < n; i += 100'000) cases.back().second[i] = 0.1 * i;
  for (const auto& [name, values] : cases) {
    const std::vector<double>& weights = values;  // which a lambda can capture
    for (const Arithmetic arithmetic : find_method(GetParam()).arithmetics) {
      SCOPED_TRACE(std::string(name) + ", " + std::string(to_string(arithmetic)));
      const auto one_thread = make_method(GetParam(), {arithmetic, Layout::wide_rows, 1});
      one_thread->build(weights);
      const verification::TableReport report = verification::verify(*one_thread, weights);
      ASSERT_TRUE(report.ok) << report.message;
      const auto expect_same = [&](Layout layout, unsigned threads) {
        const auto other = make_method(GetParam(), {arithmetic, layout, threads});
        other->build(weights);
        if (find_method(GetParam()).depends_on_threads) {
          const verification::TableReport again = verification::verify(*other, weights);
          ASSERT_TRUE(again.ok) << again.message;
        } else {
          ASSERT_TRUE(plain_rows(*other) == plain_rows(*one_thread));
        }
      };
      expect_same(Layout::struct_of_arrays, 3);
      if (arithmetic == Arithmetic::fixed_point) expect_same(Layout::compact_rows, 2);
      if (HasFatalFailure()) return;
    }
  }
}

std::vector<std::string> parallel_tables() {
  std::vector<std::string> names;
  for (const BuildMethod& method : methods()) {
    if (method.device == Device::cpu && method.parallel && method.is_alias_table()) {
      names.push_back(method.name);
    }
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(, LargeTables, testing::ValuesIn(parallel_tables()),
                         [](const auto& instance) { return instance.param; });

TEST(TiledSweep, IsExactAroundWholeSections) {
  std::mt19937_64 random(3);
  for (const Index sections : {1U, 2U, 3U, 5U, 8U, 9U, 130U}) {
    for (const int beside : {-9, -1, 0, 1, 8}) {
      const Index n = sections * host_tile_items + static_cast<Index>(beside);
      for (const verification::WeightFamily& family : verification::weight_families()) {
        if (sections == 130 && random() % 4 != 0) continue;
        SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
        const std::vector<double> weights = family.make(n);
        for (const Arithmetic arithmetic : {Arithmetic::floating, Arithmetic::fixed_point}) {
          TiledSweep table({arithmetic, Layout::wide_rows, 1});
          table.build(weights);
          const verification::TableReport report = verification::verify(table, weights);
          ASSERT_TRUE(report.ok) << report.message;
        }
      }
    }
  }
}

// A plain sweep rounds once for each of the two million buckets that a heavy item fills. Here the
// heavy item is exported to sections at prefix sums that are rounded only a few times.
TEST(TiledSweep, RoundsAFewTimesPerSection) {
  const Index n = 2'000'000;
  const std::vector<double> weights = power_law(n, 1, true);
  TiledSweep table({Arithmetic::floating, Layout::wide_rows, 2});
  table.build(weights);
  EXPECT_LT(verification::verify(table, weights).worst_error, 8 * 0x1p-53 * n);
}

/// Compares a plain evaluation of the section with the result of `read_tile`, for whichever
/// instruction set it uses; then does the same for the rows.
template <class Masses>
void check_section(const Masses& masses, Index first, Index count, Index n) {
  using Mass = typename Masses::Mass;
  const auto lists = std::make_unique<TileLists<Mass>>();
  read_tile(masses, first, count, *lists);
  Index light = 0;
  Index heavy = 0;
  for (Index i = first; i < first + count; ++i) {
    if (masses[i] > masses.bucket) {
      ASSERT_EQ(lists->heavy[heavy], i);
      ASSERT_EQ(lists->heavy_slack[heavy], slack_of(masses[i], masses.bucket));
      ++heavy;
    } else {
      ASSERT_EQ(lists->light_slack[light], slack_of(masses[i], masses.bucket));
      ++light;
    }
  }
  ASSERT_EQ(lists->lights, light);
  ASSERT_EQ(lists->heavies, heavy);
  // A fake sweep that leaves recognisable values.
  for (Index i = 0; i < light; ++i) lists->donor[i] = 7 * i;
  for (Index j = 0; j < heavy; ++j) lists->heavy_slack[j] = j % 5 == 0 ? 0 : -lists->heavy_slack[j];
  lists->heavy[heavy] = 12345;
  const auto bucket = static_cast<double>(masses.bucket);
  std::vector<WideRow> table(n);
  write_tile(masses, first, count, *lists, WideRows(table.data(), n, bucket));
  // Tables are aligned to cache lines.
  HostBuffer<WideRow> cached(n);
  HostBuffer<WideRow> non_temporal(n);
  write_tile_by_vectors<Stores::cached>(masses, first, count, *lists,
                                        WideRows(cached.data(), n, bucket));
  write_tile_by_vectors<Stores::non_temporal>(masses, first, count, *lists,
                                              WideRows(non_temporal.data(), n, bucket));
  light = heavy = 0;
  for (Index i = first; i < first + count; ++i) {
    PlainRow expected{};
    if (masses[i] > masses.bucket) {
      const Mass own = masses.bucket + static_cast<Mass>(lists->heavy_slack[heavy]);
      expected = {static_cast<double>(own), lists->heavy[heavy + 1]};
      ++heavy;
    } else {
      expected = {static_cast<double>(masses[i]), lists->donor[light++]};
    }
    if (expected.own == static_cast<double>(masses.bucket)) expected.alias = i;
    ASSERT_EQ((PlainRow{table[i].weight, table[i].alias}), expected) << i;
    ASSERT_EQ((PlainRow{cached[i].weight, cached[i].alias}), expected) << i;
    ASSERT_EQ((PlainRow{non_temporal[i].weight, non_temporal[i].alias}), expected) << i;
  }
  if constexpr (std::is_integral_v<Mass>) {
    std::vector<CompactRow> compact(n);
    HostBuffer<CompactRow> compact_cached(n);
    HostBuffer<CompactRow> compact_non_temporal(n);
    write_tile(masses, first, count, *lists, CompactRows(compact.data(), n));
    write_tile_by_vectors<Stores::cached>(masses, first, count, *lists,
                                          CompactRows(compact_cached.data(), n));
    write_tile_by_vectors<Stores::non_temporal>(masses, first, count, *lists,
                                                CompactRows(compact_non_temporal.data(), n));
    for (Index i = first; i < first + count; ++i) {
      ASSERT_EQ(compact[i].alias, table[i].alias) << i;
      ASSERT_EQ(compact_cached[i].alias, table[i].alias) << i;
      ASSERT_EQ(compact_cached[i].threshold, compact[i].threshold) << i;
      ASSERT_EQ(compact_non_temporal[i].alias, table[i].alias) << i;
      ASSERT_EQ(compact_non_temporal[i].threshold, compact[i].threshold) << i;
    }
  }
}

TEST(TileLists, AreTheSameForEveryInstructionSet) {
  const Index n = 3 * host_tile_items;
  std::vector<double> doubles = uniform_weights(n, 4);
  for (Index i = host_tile_items; i < 2 * host_tile_items; ++i) doubles[i] = i % 2 == 0 ? 0.5 : 0;
  const std::vector<float> floats(doubles.begin(), doubles.end());
  std::vector<std::uint64_t> integers(n);
  for (Index i = 0; i < n; ++i) integers[i] = static_cast<std::uint64_t>(doubles[i] * 0x1p33);
  integers[5] = fixed_bucket + 1;
  integers[6] = std::uint64_t{1} << 63;  // saturates
  integers[7] = ~std::uint64_t{0};
  for (const Index section : {0U, 1U, 2U}) {
    for (const Index count :
         {host_tile_items, host_tile_items - 1, host_tile_items - 8, 9U, 8U, 7U, 1U}) {
      SCOPED_TRACE(std::to_string(section) + ", " + std::to_string(count) + " items");
      const Index first = section * host_tile_items;
      check_section(ScaledWeights<double>{doubles.data(), 1.0, 0.5}, first, count, n);
      check_section(ScaledWeights<double>{doubles.data(), 0x1p3, 3.7}, first, count, n);
      check_section(ScaledWeights<float>{floats.data(), 1.0, 0.5}, first, count, n);
      check_section(IntegerMasses{integers.data()}, first, count, n);
      if (HasFailure()) return;
    }
  }
}

TEST(PsaPlus, PacksMostOfUniformWeightsGreedily) {
  PsaPlus table({Arithmetic::floating, Layout::wide_rows, 2});
  table.build(uniform_weights(200'000, 6));
  EXPECT_GT(table.greedy_fraction(), 0.95);
  EXPECT_LT(table.greedy_fraction(), 1.0);
  // Sorted weights: nearly all sections contain items of one kind only.
  table.build(power_law(200'000, 1, false));
  EXPECT_LT(table.greedy_fraction(), 0.1);
}

TEST(PsaPlus, IsExactForSectionsOfAnySize) {
  for (const verification::WeightFamily& family : verification::weight_families()) {
    for (const Index n : {1U, 2U, 10U, 1000U, 4099U}) {
      const std::vector<double> weights = family.make(n);
      for (const Index items : {1U, 2U, 3U, 50U, 1000U, 10'000U}) {
        SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items, sections of " +
                     std::to_string(items));
        for (const Arithmetic arithmetic : {Arithmetic::floating, Arithmetic::fixed_point}) {
          PsaPlus table({arithmetic, Layout::wide_rows, 2}, items);
          table.build(weights);
          const verification::TableReport report = verification::verify(table, weights);
          ASSERT_TRUE(report.ok) << report.message;
        }
      }
    }
  }
  EXPECT_THROW(PsaPlus({}, 0), Error);
}

TEST(CompensatedSum, RoundsOnce) {
  CompensatedSum<double> sum;
  for (int i = 0; i < 1'000'000; ++i) sum.add(0.1);
  // 10^6 times the double nearest to 0.1 is 10^5 + 5.6e-12, within half an ulp of 10^5; a plain sum
  // is off by 1.3e-6.
  EXPECT_EQ(sum.value(), 1e5);
  CompensatedSum<double> both;
  both.add(1e16);
  both.add(sum);
  both.add(-1e16);
  EXPECT_EQ(both.value(), sum.value());
  CompensatedSum<std::uint64_t> exact;
  exact.add(std::uint64_t{1} << 63);
  exact.add(1);
  EXPECT_EQ(exact.value(), (std::uint64_t{1} << 63) + 1);
}

TEST(Walker, FillsTheEmptiestBucketFromTheFullest) {
  const auto table = make_method("walker", {});
  table->build(std::vector<double>{1, 5, 2, 4});  // bucket 3
  const std::vector<PlainRow> rows = plain_rows(*table);
  EXPECT_EQ(rows[0], (PlainRow{1, 1}));  // residual of item 1: 3
  EXPECT_EQ(rows[2], (PlainRow{2, 3}));  // residual of item 3: 3
  EXPECT_EQ(rows[1], (PlainRow{3, 1}));
  EXPECT_EQ(rows[3], (PlainRow{3, 3}));
}

TEST(Vose, TakesItemsFromTheTopsOfTheStacks) {
  const auto table = make_method("vose", {});
  table->build(std::vector<double>{1, 5, 2, 6, 1});  // bucket 3
  const std::vector<PlainRow> rows = plain_rows(*table);
  EXPECT_EQ(rows[4], (PlainRow{1, 3}));  // residual of item 3: 4
  EXPECT_EQ(rows[2], (PlainRow{2, 3}));  // residual of item 3: 3, now light and a full row
  EXPECT_EQ(rows[3], (PlainRow{3, 3}));
  EXPECT_EQ(rows[0], (PlainRow{1, 1}));
  EXPECT_EQ(rows[1], (PlainRow{3, 1}));
}

}  // namespace
}  // namespace wrsgpu
