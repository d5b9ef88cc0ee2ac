// Exports of deficits on the host: the weights that they support, their exactness, and their
// agreement with the definition in docs/merge_construction.md, which is evaluated here step by
// step.
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
#include "wrsgpu/detail/host_sweep/deficit_exports.hpp"
#include "wrsgpu/detail/masses/deficit_exports.hpp"
#include "wrsgpu/detail/masses/tile_reader.hpp"

namespace wrsgpu::verification {
namespace {

/// Evaluates the definition.
class Definition {
 public:
  Definition(const std::vector<std::uint64_t>& masses, const TileMap& map)
      : masses_(masses), rows_(masses.size()) {
    for (Index t = 0; t < mass_tile_count(masses.size()); ++t) add_tile(map[t]);
    for (std::size_t k = 0; k < exported_.size(); ++k) {
      const std::uint64_t begin = k == 0 ? 0 : ends_[k - 1];
      store(exported_[k], fixed_bucket - (ends_[k] - begin),
            chain_.at(static_cast<std::size_t>(std::lower_bound(sums_.begin(), sums_.end(), begin) -
                                               sums_.begin())));
    }
    for (std::size_t h = 0; h < chain_.size(); ++h) {
      const auto end = std::upper_bound(ends_.begin(), ends_.end(), sums_[h]);
      if (end == ends_.end()) {
        store(chain_[h], fixed_bucket, chain_[h]);
      } else {
        store(chain_[h], fixed_bucket + sums_[h] - *end, chain_.at(h + 1));
      }
    }
  }
  [[nodiscard]] const std::vector<PlainRow>& rows() const { return rows_; }

 private:
  void add_tile(const TileItems& items) {
    std::vector<Index> light;
    std::vector<std::uint64_t> before{0};
    std::vector<Index> heavy;
    std::vector<std::uint64_t> sum;
    for (Index place = 0; place < items.size(); ++place) {
      const Index i = items(place);
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
    const auto put = [&](Index item, std::uint64_t deficit) {
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
      } else if (donor == sum.end()) {
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

  const std::vector<std::uint64_t>& masses_;
  std::vector<PlainRow> rows_;
  std::uint64_t excess_before_ = 0;
  std::vector<Index> exported_;
  std::vector<std::uint64_t> ends_;  // inclusive sums of the exported deficits
  std::vector<Index> chain_;         // heavy items that their own tile does not use up
  std::vector<std::uint64_t> sums_;
};

std::vector<std::uint64_t> masses_of(const std::vector<double>& weights, const MassTiles& tiles) {
  std::vector<std::uint64_t> masses(weights.size());
  TileReader<double> reader(weights, tiles.map);
  std::vector<std::uint64_t> own(mass_tile_items);
  for (Index t = 0; t < tiles.tiles.size(); ++t) {
    write_masses(reader.read(t), tiles.tiles[t], own.data());
    for (Index place = 0; place < tiles.map[t].size(); ++place) {
      masses[tiles.map[t](place)] = own[place];
    }
  }
  return masses;
}

/// What each item has in all rows.
std::vector<std::uint64_t> masses_in(const std::vector<PlainRow>& rows) {
  std::vector<std::uint64_t> masses(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto own = static_cast<std::uint64_t>(rows[i].own);
    EXPECT_LE(own, fixed_bucket);
    masses[i] += own;
    masses[rows[i].alias] += fixed_bucket - own;
  }
  return masses;
}

struct Built {
  bool is_supported;
  std::vector<PlainRow> rows;
};
Built build(const std::vector<double>& weights, const MassTiles& tiles, unsigned threads = 1) {
  std::vector<WideRow> made(weights.size());
  const WideRows rows{made.data(), static_cast<Index>(made.size()),
                      static_cast<double>(fixed_bucket)};
  const bool is_supported =
      detail::export_deficits(std::span<const double>(weights), tiles, rows, threads);
  std::vector<PlainRow> plain(made.size());
  std::transform(made.begin(), made.end(), plain.begin(), [](const WideRow& row) {
    return PlainRow{row.weight, row.alias};
  });
  return {is_supported, plain};
}

/// Compares with the definition if the weights are supported, and returns whether they are.
bool expect_the_definition(const std::vector<double>& weights, bool is_interleaved = false) {
  const TileMap map{static_cast<Index>(weights.size()), is_interleaved};
  const MassTiles tiles = find_mass_tiles(weights, map, 1);
  const Built built = build(weights, tiles);
  if (!built.is_supported) return false;
  const std::vector<std::uint64_t> masses = masses_of(weights, tiles);
  const std::vector<PlainRow> expected = Definition(masses, map).rows();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(built.rows[i].own, expected[i].own) << "row " << i;
    EXPECT_EQ(built.rows[i].alias, expected[i].alias) << "row " << i;
    if (::testing::Test::HasFailure()) return true;
  }
  EXPECT_EQ(masses_in(built.rows), masses);
  EXPECT_EQ(build(weights, tiles, 3).rows, built.rows);
  return true;
}

/// `share` of the weights, in random order, are 2 and the others 1.
std::vector<double> mostly_heavy(Index n, double share) {
  std::vector<double> weights(n, 1);
  for (Index i = 0; i < n; ++i) {
    if (static_cast<double>(random::philox_word(5, i)) < share * 0x1p64) weights[i] = 2;
  }
  return weights;
}

TEST(DeficitExports, AreAsDefined) {
  int supported = 0;
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : {2049U, 4097U, 20'011U, 100'003U}) {
      for (const bool is_interleaved : {false, true}) {
        SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
        supported += expect_the_definition(family.make(n), is_interleaved) ? 1 : 0;
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GE(supported, 50);
}

TEST(DeficitExports, SupportMostlyHeavyWeights) {
  for (const double share : {0.75, 0.9, 0.99, 0.9999}) {
    SCOPED_TRACE(share);
    EXPECT_TRUE(expect_the_definition(mostly_heavy(300'000, share)));
  }
  std::vector<double> one_light(300'000, 1);
  one_light[123'456] = 0.25;
  EXPECT_TRUE(expect_the_definition(one_light));
  std::vector<double> leading(300'032, 2);
  std::fill_n(leading.begin(), 30'000, 1);
  EXPECT_TRUE(expect_the_definition(leading, true));
  EXPECT_FALSE(expect_the_definition(leading, false));                   // whole tiles are light
  EXPECT_FALSE(expect_the_definition(std::vector<double>(300'000, 1)));  // nothing to export
}

// Small integers cause ties everywhere: of ends of exported items with those of heavy ones, and
// with borders of tiles.
TEST(DeficitExports, AreAsDefinedForTies) {
  int supported = 0;
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
    supported += expect_the_definition(weights) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GE(supported, 200);
}

/// Masses of `tiles` tiles of full buckets; the weights are masses.
std::vector<double> full_buckets(Index tiles) {
  return std::vector<double>(std::size_t{tiles} * mass_tile_items,
                             static_cast<double>(fixed_bucket));
}

TEST(DeficitExports, AreLimited) {
  using namespace deficit_exports;
  constexpr auto unit = static_cast<double>(fixed_bucket) / 1024;
  // One tile exports light items to two others.
  for (const Index count : {max_exported, max_exported + 1}) {
    std::vector<double> weights = full_buckets(3);
    for (Index k = 0; k < count; ++k) {
      weights[mass_tile_items + 7 * k] -= unit;
      weights[k % 2 == 0 ? 5 : 3 * mass_tile_items - 5] += unit;
    }
    EXPECT_EQ(expect_the_definition(weights), count == max_exported) << count;
  }
  // One tile receives light items from two others.
  for (const Index count : {max_received, max_received + 1}) {
    std::vector<double> weights = full_buckets(3);
    for (Index k = 0; k < count; ++k) {
      weights[(k % 2) * mass_tile_items + 7 * k] -= unit;
      weights[2 * mass_tile_items + k % 100] += unit;
    }
    EXPECT_EQ(expect_the_definition(weights), count == max_received) << count;
  }
  // The first tile with an excess has a part of the item that the second one ends.
  std::vector<double> weights = full_buckets(300);
  for (Index t = 0; t < 299; ++t) {
    weights[t * mass_tile_items + 9] -= unit;
    weights[299 * mass_tile_items + t] += unit;
  }
  EXPECT_FALSE(expect_the_definition(weights));
  weights = full_buckets(max_buckets + 3);
  for (Index k = 0; k <= max_buckets + 1; ++k) {
    weights[(k + std::size_t{1}) * mass_tile_items] = 0;
    weights[0] += static_cast<double>(fixed_bucket);
  }
  EXPECT_FALSE(expect_the_definition(weights));
}

// From 2^24 weights on, the sample decides.
TEST(DeficitExports, AreChosenForMostlyHeavyWeights) {
  constexpr Index n = tile_sample::threshold_items + 1000;
  const auto table_of = [](const std::vector<float>& weights) {
    TiledSweep sweep({Arithmetic::fixed_point, Layout::compact_rows, 0});
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
    const TileMap map = find_tile_map(weights);
    EXPECT_TRUE(map.is_mostly_heavy);
    const MassTiles tiles = find_mass_tiles(weights, map, 0);
    std::vector<WideRow> made(n);
    ASSERT_TRUE(detail::export_deficits(std::span<const float>(weights), tiles,
                                        WideRows{made.data(), n, static_cast<double>(fixed_bucket)},
                                        0));
    const std::vector<PlainRow> rows = table_of(weights);
    for (Index i = 0; i < n; ++i) {
      ASSERT_EQ(rows[i].own, made[i].weight) << i;
      ASSERT_EQ(rows[i].alias, made[i].alias) << i;
    }
  }
  std::vector<float> equal(n, 1);
  table_of(equal);
  std::iota(equal.begin(), equal.end(), 1.0F);
  EXPECT_FALSE(find_tile_map(equal).is_mostly_heavy);
  // Mostly heavy, but one tile would receive what all others lack.
  std::vector<float> many(n, 4);
  for (Index i = 0; i < n; i += 8) many[i] = 3.5F;
  many[77] = n / 32.0F;
  EXPECT_TRUE(find_tile_map(many).is_mostly_heavy);
  table_of(many);
}

}  // namespace
}  // namespace wrsgpu::verification
