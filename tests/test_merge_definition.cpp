// The table that `TiledSweep` and `AliasTableMergeGpu` build, from its definition: each row
// independently, from prefix sums of deficits and excesses (wrsgpu/detail/merge/tile_kernel.cuh).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cpu_reference/tiled_sweep.hpp"
#include "table_rows.hpp"
#include "tile_layouts.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/random/philox.hpp"

namespace wrsgpu::verification {
namespace {

/// Light items with exclusive prefix sums of deficits, heavy items with inclusive prefix sums of
/// excesses.
struct Sequences {
  std::vector<Index> light;
  std::vector<std::uint64_t> before{0};  // one additional entry: the sum of all deficits
  std::vector<Index> heavy;
  std::vector<std::uint64_t> inclusive_sum;

  void add(Index item, std::uint64_t mass) {
    if (mass <= fixed_bucket) {
      light.push_back(item);
      before.push_back(before.back() + (fixed_bucket - mass));
    } else {
      add_heavy(item, (inclusive_sum.empty() ? 0 : inclusive_sum.back()) + (mass - fixed_bucket));
    }
  }
  void add_heavy(Index item, std::uint64_t excesses) {
    heavy.push_back(item);
    inclusive_sum.push_back(excesses);
  }
  [[nodiscard]] std::uint64_t total_deficit() const { return before.back(); }
};

/// Exported items in order, with inclusive prefix sums of their excesses.
struct Exported {
  std::vector<Index> item;
  std::vector<std::uint64_t> inclusive_sum;
};

class Definition {
 public:
  explicit Definition(const std::vector<double>& weights)
      : masses_(quantise(weights, 1)), rows_(weights.size()) {
    const auto n = static_cast<Index>(weights.size());
    std::vector<Sequences> tiles(mass_tile_count(n));
    for (Index i = 0; i < n; ++i) tiles[i / mass_tile_items].add(i, masses_[i]);
    std::uint64_t handed_before = 0;
    for (const Sequences& tile : tiles) {
      if (tile.inclusive_sum.empty() || tile.inclusive_sum.back() <= tile.total_deficit()) continue;
      make_rows(tile);
      for (std::size_t j = 0; j < tile.heavy.size(); ++j) {
        if (tile.inclusive_sum[j] <= tile.total_deficit()) continue;
        handed_.item.push_back(tile.heavy[j]);
        handed_.inclusive_sum.push_back(handed_before +
                                        (tile.inclusive_sum[j] - tile.total_deficit()));
      }
      handed_before = handed_.inclusive_sum.back();
    }
    std::uint64_t lack_before = 0;
    for (Sequences& tile : tiles) {
      const std::uint64_t own = tile.inclusive_sum.empty() ? 0 : tile.inclusive_sum.back();
      if (own > tile.total_deficit()) continue;
      for (std::size_t k = 0; k < handed_.item.size(); ++k) {
        if (handed_.inclusive_sum[k] <= lack_before) continue;
        tile.add_heavy(handed_.item[k], own + (handed_.inclusive_sum[k] - lack_before));
        if (tile.inclusive_sum.back() > tile.total_deficit()) break;
      }
      make_rows(tile);
      lack_before += tile.total_deficit() - own;
    }
  }

  [[nodiscard]] const std::vector<PlainRow>& rows() const { return rows_; }

 private:
  /// Of all light items, and of the heavy ones that end in the tile.
  void make_rows(const Sequences& tile) {
    for (std::size_t i = 0; i < tile.light.size(); ++i) {
      const auto donor =
          std::lower_bound(tile.inclusive_sum.begin(), tile.inclusive_sum.end(), tile.before[i]);
      const std::uint64_t deficit = tile.before[i + 1] - tile.before[i];
      const Index item = tile.light[i];
      store(item, fixed_bucket - deficit,
            deficit == 0
                ? item
                : tile.heavy.at(static_cast<std::size_t>(donor - tile.inclusive_sum.begin())));
    }
    for (std::size_t j = 0; j < tile.heavy.size(); ++j) {
      if (tile.inclusive_sum[j] > tile.total_deficit()) break;
      const auto end =
          std::upper_bound(tile.before.begin(), tile.before.end(), tile.inclusive_sum[j]);
      const Index item = tile.heavy[j];
      if (end == tile.before.end()) {
        store(item, fixed_bucket, item);
      } else {
        store(item, fixed_bucket + tile.inclusive_sum[j] - *end, next_of(tile, j));
      }
    }
  }

  [[nodiscard]] static Index next_of(const Sequences& tile, std::size_t heavy) {
    return tile.heavy.at(heavy + 1);
  }
  void store(Index item, std::uint64_t own, Index alias) {
    rows_[item] = {static_cast<double>(own), alias};
  }

  HostBuffer<std::uint64_t> masses_;
  std::vector<PlainRow> rows_;
  Exported handed_;
};

void expect_the_definition(const std::vector<double>& weights, unsigned threads = 1,
                           Layout layout = Layout::wide_rows) {
  TiledSweep sweep({Arithmetic::fixed_point, layout, threads});
  sweep.build(weights);
  const std::vector<PlainRow> expected = Definition(weights).rows();
  const std::vector<PlainRow> rows = plain_rows(sweep);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].own, expected[i].own) << "row " << i;
    ASSERT_EQ(rows[i].alias, expected[i].alias) << "row " << i;
  }
}

TEST(MergeDefinition, IsWhatTheSectionedSweepBuilds) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : {1U, 2U, 3U, 33U, 2047U, 2048U, 2049U, 4097U, 20'011U, 100'003U}) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      expect_the_definition(family.make(n));
      if (HasFailure()) return;
    }
  }
}

// Small integers cause ties everywhere.
TEST(MergeDefinition, IsWhatTheSectionedSweepBuildsFromTies) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<double> weights = small_integers(seed, 20'000);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(weights.size()) + " items");
    expect_the_definition(weights);
    if (HasFailure()) return;
  }
}

TEST(MergeDefinition, IsWhatTheSectionedSweepBuildsWhereFewTilesTakeFromMany) {
  const std::vector<std::vector<Tiles>> cases = few_tiles_take_from_many();
  for (std::size_t k = 0; k < cases.size(); ++k) {
    std::vector<double> weights = weights_of(cases[k]);
    for (const Index beside : {0U, 1U, 1000U}) {  // in the last tile
      weights.resize(weights.size() - beside);
      for (const unsigned threads : {1U, 2U, 3U}) {
        SCOPED_TRACE("case " + std::to_string(k) + ", " + std::to_string(weights.size()) +
                     " items, " + std::to_string(threads) + " threads");
        expect_the_definition(weights, threads);
        expect_the_definition(weights, threads, Layout::compact_rows);
        if (HasFailure()) return;
      }
    }
  }
}

// A tile whose items are all heavy by a few units or not at all, and one item with a large deficit.
TEST(MergeDefinition, IsWhatTheSectionedSweepBuildsNearTheMean) {
  for (int digits = 20; digits < 40; ++digits) {
    std::vector<double> weights = weights_of({{40, {1}}});
    const auto n = static_cast<Index>(weights.size());
    for (Index i = 0; i < n; ++i) {
      weights[i] += std::ldexp(static_cast<double>(random::philox_word(1, i) % 4), -digits);
    }
    for (const Index light : {Index{0}, n / 2, n - 1}) {
      std::vector<double> one_light = weights;
      one_light[light] = 0.5;
      SCOPED_TRACE("2^-" + std::to_string(digits) + ", item " + std::to_string(light));
      expect_the_definition(one_light, 2);
      if (HasFailure()) return;
    }
  }
}

// Which tiles have items of one kind only is known up to two units.
TEST(MergeDefinition, IsWhatTheSectionedSweepBuildsWithinUnitsOfABucket) {
  for (int eighths = -32; eighths <= 32; ++eighths) {
    SCOPED_TRACE(eighths);
    expect_the_definition(units_beside_buckets(eighths));
    if (HasFailure()) return;
  }
}

TEST(MergeDefinition, FloatsAreSweptAsTheSameDoubles) {
  for (const char* family : {"ramp", "one_light", "heavy_tenth_leading", "uniform"}) {
    const std::vector<double> made = find_weight_family(family).make(200'003);
    const std::vector<float> floats(made.begin(), made.end());
    const std::vector<double> doubles(floats.begin(), floats.end());
    TiledSweep of_floats({Arithmetic::fixed_point, Layout::compact_rows, 2});
    TiledSweep of_doubles({Arithmetic::fixed_point, Layout::compact_rows, 2});
    of_floats.build(floats);
    of_doubles.build(doubles);
    EXPECT_TRUE(plain_rows(of_floats) == plain_rows(of_doubles)) << family;
  }
}

}  // namespace
}  // namespace wrsgpu::verification
