// Exports of deficits give the merge-path table: their rules in docs/exact_construction_cost.md are
// evaluated here step by step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "cpu_reference/tiled_sweep.hpp"
#include "registry/verify.hpp"
#include "table_rows.hpp"
#include "tile_layouts.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"

namespace wrsgpu::verification {
namespace {

/// Evaluates the rules, for tiles of neighbours.
class Definition {
 public:
  explicit Definition(const HostBuffer<std::uint64_t>& masses)
      : masses_(masses), rows_(masses.size()) {
    for (std::size_t begin = 0; begin < masses.size(); begin += mass_tile_items) {
      add_tile(begin, std::min<std::size_t>(masses.size(), begin + mass_tile_items));
    }
    for (std::size_t k = 0; k < exported_.size(); ++k) {
      const auto donor = is_first_[k] ? std::upper_bound(sums_.begin(), sums_.end(), begin_of(k))
                                      : std::lower_bound(sums_.begin(), sums_.end(), begin_of(k));
      store(exported_[k], fixed_bucket - (ends_[k] - begin_of(k)),
            chain_.at(static_cast<std::size_t>(donor - sums_.begin())));
    }
    for (std::size_t h = 0; h < chain_.size(); ++h) {
      const auto k = static_cast<std::size_t>(
          std::upper_bound(ends_.begin(), ends_.end(), sums_[h]) - ends_.begin());
      if (k == ends_.size() || (is_first_[k] && begin_of(k) == sums_[h])) {
        store(chain_[h], fixed_bucket, chain_[h]);
      } else {
        store(chain_[h], fixed_bucket + sums_[h] - ends_[k], chain_.at(h + 1));
      }
    }
  }
  [[nodiscard]] const std::vector<PlainRow>& rows() const { return rows_; }
  [[nodiscard]] std::size_t exported() const { return exported_.size(); }

 private:
  void add_tile(std::size_t first, std::size_t end_of_tile) {
    std::vector<Index> light;
    std::vector<std::uint64_t> before{0};
    std::vector<Index> heavy;
    std::vector<std::uint64_t> sum;
    for (auto i = static_cast<Index>(first); i < end_of_tile; ++i) {
      if (masses_[i] <= fixed_bucket) {
        light.push_back(i);
        before.push_back(before.back() + (fixed_bucket - masses_[i]));
      } else {
        heavy.push_back(i);
        sum.push_back((sum.empty() ? 0 : sum.back()) + (masses_[i] - fixed_bucket));
      }
    }
    const std::uint64_t deficits = before.back();
    const std::uint64_t excesses = sum.empty() ? 0 : sum.back();
    const std::size_t before_tile = exported_.size();
    const auto put = [&](Index item, std::uint64_t deficit) {
      is_first_.push_back(exported_.size() == before_tile);
      exported_.push_back(item);
      ends_.push_back((ends_.empty() ? 0 : ends_.back()) + deficit);
    };
    for (std::size_t h = 0; h < heavy.size(); ++h) {
      if (sum[h] > deficits) {
        chain_.push_back(heavy[h]);
        sums_.push_back(excess_before_ + (sum[h] - deficits));
        continue;
      }
      const auto end = std::upper_bound(before.begin(), before.end(), sum[h]);
      if (end == before.end()) {
        store(heavy[h], fixed_bucket, heavy[h]);
      } else if (h + 1 < heavy.size()) {
        store(heavy[h], fixed_bucket + sum[h] - *end, heavy[h + 1]);
      } else {
        put(heavy[h], *end - sum[h]);
      }
    }
    for (std::size_t l = 0; l < light.size(); ++l) {
      const std::uint64_t deficit = before[l + 1] - before[l];
      const auto donor = std::lower_bound(sum.begin(), sum.end(), before[l]);
      if (deficit == 0) {
        store(light[l], fixed_bucket, light[l]);
      } else if (sum.empty() || before[l] > excesses) {
        put(light[l], deficit);
      } else {
        store(light[l], fixed_bucket - deficit,
              heavy[static_cast<std::size_t>(donor - sum.begin())]);
      }
    }
    if (excesses > deficits) excess_before_ += excesses - deficits;
  }
  void store(Index item, std::uint64_t own, Index alias) {
    rows_[item] = {static_cast<double>(own), alias};
  }

  /// F_(k-1)
  [[nodiscard]] std::uint64_t begin_of(std::size_t k) const { return k == 0 ? 0 : ends_[k - 1]; }

  const HostBuffer<std::uint64_t>& masses_;
  std::vector<PlainRow> rows_;
  std::uint64_t excess_before_ = 0;
  std::vector<Index> exported_;
  std::vector<bool> is_first_;       // that its tile exports
  std::vector<std::uint64_t> ends_;  // inclusive sums of the exported deficits
  std::vector<Index> chain_;         // heavy items that their own tile does not use up
  std::vector<std::uint64_t> sums_;
};

/// Compares with the merge-path table and returns how many items were exported.
std::size_t expect_the_table(const std::vector<double>& weights) {
  TiledSweep merged({Arithmetic::fixed_point, Layout::wide_rows, 1}, TableForm::merge_path);
  merged.build(weights);
  const std::vector<PlainRow> expected = plain_rows(merged);
  const Definition made(quantise(weights, 1));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(made.rows()[i].own, expected[i].own) << "row " << i;
    EXPECT_EQ(made.rows()[i].alias, expected[i].alias) << "row " << i;
    if (::testing::Test::HasFailure()) break;
  }
  return made.exported();
}

TEST(DeficitExports, GiveTheMergePathTable) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : {2049U, 4097U, 20'011U, 100'003U}) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      expect_the_table(family.make(n));
      if (HasFailure()) return;
    }
  }
}

// Small integers cause ties everywhere: of ends of exported items with those of heavy ones, and
// with borders of tiles.
TEST(DeficitExports, GiveTheMergePathTableForTies) {
  int exporting = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::vector<double> weights(mass_tile_items * (2 + seed % 17), 8);
    for (Index k = 0; k < weights.size() / (64 << seed % 3); ++k) {
      const auto at = [&](std::uint64_t part) {
        return random::philox_word(seed, std::uint64_t{3} * k + part) % weights.size();
      };
      // The mean stays 8.
      const auto more =
          static_cast<double>(random::philox_word(seed, std::uint64_t{3} * k + 2) % 8);
      weights[at(0)] += more;
      weights[at(1)] -= std::min(more, weights[at(1)]);
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    exporting += expect_the_table(weights) > 0 ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GE(exporting, 290);
  for (const std::vector<Tiles>& kinds : few_tiles_take_from_many()) {
    expect_the_table(weights_of(kinds));
    if (HasFailure()) return;
  }
}

// From 2^24 weights on, the sample decides.
TEST(DeficitExports, OfMostlyHeavyWeightsMakeTheTable) {
  constexpr Index n = tile_sample::threshold_items + 1000;
  const auto table_of = [](const std::vector<float>& weights, TableForm form) {
    TiledSweep sweep({Arithmetic::fixed_point, Layout::compact_rows, 0}, form);
    sweep.build(weights);
    const auto report = verify(sweep, weights);
    EXPECT_TRUE(report.ok) << report.message;
    return plain_rows(sweep);
  };
  std::vector<float> one_light(n, 1);
  one_light[n / 3] = 0.5F;
  std::vector<float> leading(n, 2);
  std::fill_n(leading.rbegin(), n / 10, 1.0F);
  for (const auto& weights : {one_light, leading}) {
    EXPECT_TRUE(find_tile_map(weights).is_mostly_heavy);
    EXPECT_TRUE(table_of(weights, TableForm::by_size) == table_of(weights, TableForm::merge_path));
  }
  // Without an excess in any tile nothing is exported, and lanes pair the items.
  std::vector<float> balanced(tile_sample::threshold_items);
  for (Index i = 0; i < balanced.size(); ++i) {
    balanced[i] = i % 8 == i / 8 % 8 ? 0.125F : 1.125F;
  }
  EXPECT_TRUE(find_tile_map(balanced).is_mostly_heavy);
  EXPECT_FALSE(table_of(balanced, TableForm::by_size) == table_of(balanced, TableForm::merge_path));
  std::vector<float> ramp(n);
  std::iota(ramp.begin(), ramp.end(), 1.0F);
  EXPECT_FALSE(find_tile_map(ramp).is_mostly_heavy);
  EXPECT_FALSE(table_of(ramp, TableForm::by_size) == table_of(ramp, TableForm::merge_path));
}

}  // namespace
}  // namespace wrsgpu::verification
