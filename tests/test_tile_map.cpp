// Interleaved tiles: their items, the weights for which they are chosen, and tables of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cpu_reference/tiled_sweep.hpp"
#include "error_message.hpp"
#include "registry/verify.hpp"
#include "table_rows.hpp"
#include "tile_layouts.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/masses/item_probabilities.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/tile_reader.hpp"
#include "wrsgpu/detail/masses/zero_mass_items.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/warp_pairing/host_warp_pairing.hpp"
#include "wrsgpu/generate_weights.hpp"

namespace wrsgpu::verification {
namespace {

constexpr Index enough = tile_sample::threshold_items;

// Full tiles, and each kind of incomplete last tile: none, no chunk, some, nearly all.
const std::vector<Index>& sizes() {
  static const std::vector<Index> all = [] {
    std::vector<Index> found;
    for (const Index tiles : {1U, 2U, 3U, 7U, 64U, 100U}) {
      for (const Index more : {0U, 1U, 63U, 64U, 65U, 640U, 1000U, 2047U}) {
        found.push_back(tiles * mass_tile_items + more);
      }
    }
    return found;
  }();
  return all;
}

/// The item at each place, tile by tile.
std::vector<Index> order_of(const TileMap& map) {
  std::vector<Index> order;
  for (Index tile = 0; tile < mass_tile_count(map.items); ++tile) {
    const TileItems items = map[tile];
    for (Index place = 0; place < items.size(); ++place) order.push_back(items(place));
  }
  return order;
}

TEST(TileMap, KnowsTheTileOfAnItem) {
  for (const Index n : sizes()) {
    for (Index tile = 0; tile < mass_tile_count(n); ++tile) {
      const TileItems items = InterleavedMap{n}[tile];
      for (Index place = 0; place < items.size(); ++place) {
        ASSERT_EQ(InterleavedMap{n}.tile_of(items(place)), tile) << n << " " << items(place);
      }
      const NeighbourItems neighbours = NeighbourMap{n}[tile];
      ASSERT_EQ(NeighbourMap{n}.tile_of(neighbours(neighbours.size() - 1)), tile);
    }
  }
}

TEST(TileMap, EachItemIsInOneTile) {
  for (const Index n : sizes()) {
    SCOPED_TRACE(std::to_string(n) + " items");
    std::vector<Index> order = order_of({n, true});
    ASSERT_EQ(order.size(), n);
    EXPECT_TRUE(n < 2 * mass_tile_items || order != order_of({n, false}));
    std::sort(order.begin(), order.end());
    for (Index i = 0; i < n; ++i) ASSERT_EQ(order[i], i);
  }
  EXPECT_EQ(order_of({1000, true}), order_of({1000, false}));  // no full tile
}

// Each tile has a chunk of each part of the array, each half one of every two parts, and no two are
// at the same place of their parts.
TEST(TileMap, ATileIsASampleOfAllItems) {
  constexpr Index tiles = 1000;
  constexpr Index n = tiles * mass_tile_items + 700;
  for (Index tile = 0; tile < tiles; ++tile) {
    const TileItems items = TileItems::interleaved(tile, n);
    std::vector<double> begins;
    for (Index chunk = 0; chunk < tile_chunks; ++chunk) {
      begins.push_back(static_cast<double>(items.chunk(chunk)) / n);
      for (Index k = 0; k < chunk_items; ++k) {
        ASSERT_EQ(items(chunk * chunk_items + k), items.chunk(chunk) + k);
      }
    }
    constexpr double some_chunks = 3.0 * chunk_items / n;  // rows differ by a chunk
    std::vector<double> columns;
    for (Index chunk = 0; chunk < tile_chunks; ++chunk) {
      const Index row = chunk % 16 * 2 + chunk / 16;
      columns.push_back(begins[chunk] - static_cast<double>(row) / tile_chunks);
      EXPECT_GE(columns.back(), -some_chunks);
      EXPECT_LE(columns.back(), 1.0 / tile_chunks + some_chunks);
    }
    std::sort(columns.begin(), columns.end());
    for (Index k = 1; k < tile_chunks; ++k) EXPECT_GT(columns[k], columns[k - 1] + some_chunks);
  }
}

/// Evaluates the definition in docs/exact_masses.md: lays out the rows of chunks, rotates
/// them, and lets each tile take its column.
std::vector<Index> defined_order(Index n) {
  const Index full = n / mass_tile_items;
  const Index more = n % mass_tile_items / chunk_items;
  std::vector<std::vector<Index>> rows(tile_chunks);  // the first items of their chunks
  Index item = 0;
  for (Index row = 0; row < tile_chunks; ++row) {
    const auto with_more = [&](Index r) { return std::floor(r * more / 32.0 + 0.5); };
    const Index length = full + (with_more(row + 1) > with_more(row) ? 1 : 0);
    for (Index k = 0; k < length; ++k, item += chunk_items) rows[row].push_back(item);
    const double fraction = std::fmod(row * 0x9E3779B9p-32, 1);
    std::rotate(rows[row].begin(), rows[row].begin() + static_cast<int>(fraction * length),
                rows[row].end());
  }
  std::vector<Index> order;
  const auto take = [&](Index row, Index column) {
    if (column >= rows[row].size()) return;
    for (Index k = 0; k < chunk_items; ++k) order.push_back(rows[row][column] + k);
  };
  const Index columns = full / 64;
  for (Index tile = 0; tile < full; ++tile) {
    const Index column = tile < 64 * columns ? tile % 64 * columns + tile / 64 : tile;
    for (Index row = 0; row < tile_chunks; row += 2) take(row, column);
    for (Index row = 1; row < tile_chunks; row += 2) take(row, column);
  }
  for (Index row = 0; row < tile_chunks; ++row) take(row, full);
  for (; item < n; ++item) order.push_back(item);
  return order;
}

// Tables depend on it, and device and host share its code.
TEST(TileMap, IsAsDefined) {
  for (const Index n : sizes()) {
    SCOPED_TRACE(std::to_string(n) + " items");
    ASSERT_EQ(order_of({n, true}), defined_order(n));
  }
  // So many that all bits of the rotations count.
  for (std::uint64_t tiles = (1U << 21) - 1; tiles > (1U << 21) - 100; --tiles) {
    const TileItems items = TileItems::interleaved(0, static_cast<Index>(tiles * mass_tile_items));
    for (std::uint64_t row = 0; row < tile_chunks; ++row) {
      const std::uint64_t fraction = row * 2'654'435'769 % (std::uint64_t{1} << 32);
      EXPECT_EQ(items.chunk(static_cast<Index>(row / 2 + row % 2 * 16)),
                chunk_items * (row * tiles + (fraction * tiles >> 32)))
          << row;
    }
  }
}

template <class T = double>
std::vector<T> made(const char* distribution, Index n) {
  std::vector<T> weights(n);
  weights::generate<T>(distribution, n, 1, weights);
  return weights;
}

TEST(TileMap, IsInterleavedWhereNeighboursAreAlike) {
  for (const char* const alike :
       {"ramp", "sine", "powerlaw_0.5", "powerlaw_1", "powerlaw_2", "words"}) {
    std::vector<float> weights = made<float>(alike, enough);
    EXPECT_TRUE(find_tile_map(weights).is_interleaved) << alike;
    std::reverse(weights.begin(), weights.end());
    EXPECT_TRUE(find_tile_map(weights).is_interleaved) << alike << ", reversed";
    weights.pop_back();
    EXPECT_FALSE(find_tile_map(weights).is_interleaved) << "fewer";
  }
  std::vector<double> ramp = made("ramp", enough);
  EXPECT_TRUE(find_tile_map(ramp).is_interleaved);
  for (double& weight : ramp) weight *= 0x1p-1060;  // denormal numbers
  EXPECT_TRUE(find_tile_map(ramp).is_interleaved);
  for (const char* const random : {"uniform", "powerlaw_0.5_shuffled", "powerlaw_1_shuffled",
                                   "powerlaw_2_shuffled", "one_light"}) {
    EXPECT_FALSE(find_tile_map(made(random, enough)).is_interleaved) << random;
  }
  EXPECT_FALSE(find_tile_map(std::vector<float>(enough)).is_interleaved);
}

TEST(TileMap, KnowsWhetherMostWeightsAreHeavy) {
  for (const char* const mostly : {"one_light", "heavy_fraction_75_leading", "heavy_fraction_90"}) {
    EXPECT_TRUE(find_tile_map(made(mostly, enough)).is_mostly_heavy) << mostly;
  }
  for (const char* const others :
       {"ramp", "sine", "uniform", "words", "powerlaw_0.5", "powerlaw_1", "powerlaw_2",
        "heavy_fraction_70", "heavy_fraction_70_leading"}) {
    EXPECT_FALSE(find_tile_map(made(others, enough)).is_mostly_heavy) << others;
  }
}

/// Weights of 1, but for the first ones of some chunks of the sample.
class SampledOnly {
 public:
  static constexpr Index items = enough + 1000;

  SampledOnly() : weights_(items, 1) {}

  /// Sets `twos` weights of a chunk to 2, and the next `zeros` to 0.
  SampledOnly& set(Index chunk, Index twos, Index zeros) {
    const std::uint64_t fraction = std::uint64_t{chunk} * 2'654'435'769U % (std::uint64_t{1} << 32);
    float* const begin = weights_.data() + (fraction * (items / 64) >> 32) * 64;
    std::fill_n(std::fill_n(begin, twos, 2.0F), zeros, 0.0F);
    return *this;
  }
  [[nodiscard]] TileMap map() const { return find_tile_map(weights_); }

 private:
  std::vector<float> weights_;
};

// Tables depend on it, and device and host share its code. The mean stays 1, and weights equal to
// the mean are neither above nor below it.
TEST(TileMap, TheSampleDecidesAsDefined) {
  // Eight times what random order gives, where few weights are above the mean.
  EXPECT_TRUE(
      SampledOnly().set(0, 8, 0).set(2, 0, 1).set(3, 0, 1).set(4, 0, 6).map().is_interleaved);
  SampledOnly sevens;
  for (Index chunk = 0; chunk < 256; chunk += 2) sevens.set(chunk, 7, 0).set(chunk + 1, 0, 7);
  EXPECT_FALSE(sevens.map().is_interleaved);
  // Pairs are of chunks that follow each other.
  EXPECT_FALSE(SampledOnly().set(0, 8, 8).set(1, 8, 8).map().is_interleaved);
  EXPECT_TRUE(SampledOnly().set(0, 8, 8).set(128, 8, 8).map().is_interleaved);
  EXPECT_TRUE(SampledOnly().set(254, 8, 8).map().is_interleaved);

  // A quarter of the weights are below the mean, and one more.
  SampledOnly quarter;
  for (Index chunk = 0; chunk < 256; ++chunk) quarter.set(chunk, 16, 16);
  EXPECT_TRUE(quarter.map().is_mostly_heavy);
  EXPECT_FALSE(quarter.map().is_interleaved);
  EXPECT_FALSE(quarter.set(100, 17, 17).map().is_mostly_heavy);
}

/// The sum of a sample whose chunks have `begin` 32 times, then `end` 32 times: a lane has every
/// 32nd weight of the 16 chunks of its warp, and the sums of lanes and warps are added pairwise.
double sum_of_sample(double begin, double end) {
  double lane = 0;
  for (int chunk = 0; chunk < 16; ++chunk) lane = lane + begin + end;
  return lane * 32 * 16;
}

// Where the mean is a unit in the last place away from weights, the order of the additions decides.
TEST(TileMap, TheSampleIsAddedUpInItsOrder) {
  std::vector<double> weights(enough);
  int mostly_heavy = 0;
  for (Index k = 0; k < 200; ++k) {
    const double begin = 1 + 0x1p-52 * static_cast<double>(random::philox_word(5, k) >> 12);
    const double end = std::nextafter(begin, 0);
    for (Index chunk = 0; chunk < tile_sample::chunks; ++chunk) {
      double* const at = weights.data() + tile_sample::first_item(chunk, enough);
      std::fill_n(std::fill_n(at, 32, begin), 32, end);
    }
    const double sum = sum_of_sample(begin, end);
    const bool none_below = end * tile_sample::items >= sum;
    EXPECT_EQ(look_at_sample(std::span<const double>(weights)).are_mostly_heavy, none_below) << k;
    mostly_heavy += none_below ? 1 : 0;
  }
  EXPECT_GT(mostly_heavy, 20);
  EXPECT_LT(mostly_heavy, 180);
}

TEST(TileMap, InvalidWeightsCountAsZero) {
  const std::vector<double> ramp = made("ramp", enough);
  for (const double invalid :
       {std::numeric_limits<double>::quiet_NaN(), -1.0, std::numeric_limits<double>::infinity()}) {
    std::vector<double> weights = ramp;
    for (Index i = 0; i < enough; i += 7) weights[i] = invalid;
    std::vector<double> zeros = ramp;
    for (Index i = 0; i < enough; i += 7) zeros[i] = 0;
    EXPECT_EQ(find_tile_map(weights).is_interleaved, find_tile_map(zeros).is_interleaved);
    EXPECT_FALSE(find_tile_map(std::vector<double>(enough, invalid)).is_interleaved);
  }
}

// The sample is read before the weights are checked.
TEST(TileMap, IsOfWeightsInHostMemory) {
  const auto elsewhere =
      WeightsView::on_device(std::span<const float>(static_cast<const float*>(nullptr), enough));
  EXPECT_THROW(static_cast<void>(find_tile_map(elsewhere)), Error);
  EXPECT_THROW(static_cast<void>(find_zero_mass_items(elsewhere)), Error);
}

template <class T>
std::vector<T> in_order(const std::vector<T>& weights, const std::vector<Index>& order) {
  std::vector<T> moved;
  moved.reserve(order.size());
  for (const Index item : order) moved.push_back(weights[item]);
  return moved;
}

/// The rows of a table of the weights in that order, as those of the weights themselves.
std::vector<PlainRow> renamed(const std::vector<PlainRow>& rows, const std::vector<Index>& order) {
  std::vector<PlainRow> moved(rows.size());
  for (std::size_t place = 0; place < rows.size(); ++place) {
    moved[order[place]] = {rows[place].own, order[rows[place].alias]};
  }
  return moved;
}

template <class T>
std::optional<std::vector<PlainRow>> paired(const std::vector<T>& weights, const MassTiles& tiles,
                                            HostCode code, Layout layout) {
  HostTable table(layout, static_cast<Index>(weights.size()), static_cast<double>(fixed_bucket));
  const bool is_supported = table.visit([&](const auto& rows) {
    return detail::warp_pairing(std::span<const T>(weights), tiles, rows, 2, code);
  });
  return is_supported ? std::optional(plain_rows(table)) : std::nullopt;
}

// The definition: the table of interleaved tiles is that of tiles of neighbours for the weights in
// the order of the tiles.
TEST(InterleavedTiles, AreThoseOfTheWeightsInTheirOrder) {
  Index supported = 0;
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : {2049U, 3 * mass_tile_items + 700, 50 * mass_tile_items + 65}) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      const std::vector<double> weights = family.make(n);
      const TileMap map{n, true};
      const std::vector<Index> order = order_of(map);
      const std::vector<double> moved = in_order(weights, order);
      const MassTiles tiles = find_mass_tiles(weights, map, 2);
      const MassTiles of_moved = find_mass_tiles(moved, TileMap{n}, 2);
      for (std::size_t t = 0; t < tiles.tiles.size(); ++t) {
        ASSERT_EQ(tiles.tiles[t].mass, of_moved.tiles[t].mass);
      }
      const auto expected = paired(moved, of_moved, HostCode::portable, Layout::wide_rows);
      supported += expected ? 1U : 0U;
      for (const HostCode code : {HostCode::best, HostCode::portable}) {
        for (const Layout layout : {Layout::wide_rows, Layout::compact_rows}) {
          const auto rows = paired(weights, tiles, code, layout);
          ASSERT_EQ(rows.has_value(), expected.has_value());
          if (rows) {
            ASSERT_EQ(*rows, renamed(*expected, order));
          }
        }
      }
    }
  }
  EXPECT_GT(supported, 10);
}

// Of as many weights as decide: masses, probabilities and tables, by either form.
TEST(InterleavedTiles, LargeTablesAreExactAndAsDefined) {
  constexpr TableOptions options{Arithmetic::fixed_point, Layout::compact_rows, 2};
  TiledSweep by_size(options, TableForm::by_size);
  TiledSweep merged(options, TableForm::merge_path);
  for (const bool is_paired : {true, false}) {
    const Index n = enough + (is_paired ? 777 : 65);
    SCOPED_TRACE(std::to_string(n) + " items");
    const std::vector<float> weights = is_paired ? made<float>("ramp", n) : heavy_leading<float>(n);
    const TileMap map = find_tile_map(weights);
    ASSERT_TRUE(map.is_interleaved);
    const std::vector<Index> order = order_of(map);
    const std::vector<float> moved = in_order(weights, order);

    const HostBuffer<std::uint64_t> masses = quantise(weights, 2);
    const std::vector<MassTile> of_moved = find_mass_tiles(moved, TileMap{n}, 2).tiles;
    std::vector<float> probabilities(n);
    write_probabilities(weights, probabilities, 2);
    Index others = 0;
    for (std::size_t t = 0; t < of_moved.size(); ++t) {
      std::array<std::uint64_t, mass_tile_items> of_tile;
      const auto part = weights_of_tile(std::span<const float>(moved), t);
      write_masses(part, of_moved[t], of_tile.data());
      for (std::size_t place = 0; place < part.size(); ++place) {
        const Index item = order[t * mass_tile_items + place];
        const float probability = probability_of_mass(of_tile[place], n);
        if (masses[item] != of_tile[place] || probabilities[item] != probability) ++others;
      }
    }
    EXPECT_EQ(others, 0U);
    const auto rows = paired(moved, {of_moved, TileMap{n}}, HostCode::best, Layout::compact_rows);
    ASSERT_EQ(rows.has_value(), is_paired);
    for (TiledSweep* const table : {&by_size, &merged}) {
      table->build(weights);
      const TableReport report = verify(*table, std::span<const float>(weights));
      EXPECT_TRUE(report.ok) << report.message;
      if (rows && table == &by_size) {
        EXPECT_TRUE(plain_rows(*table) == renamed(*rows, order));
      }
    }
  }
}

// They are summed by other code, in the order of the tiles.
TEST(InterleavedTiles, RefuseInvalidWeights) {
  constexpr Index n = enough + 700;
  std::vector<float> weights = made<float>("ramp", n);
  TiledSweep table({Arithmetic::fixed_point, Layout::compact_rows, 2});
  for (const Index item : {0U, 777U, n / 2, n - 700, n - 1}) {
    const float valid = weights[item];
    for (const auto& [invalid, fault] :
         {std::pair{std::numeric_limits<float>::quiet_NaN(), "is not a number"},
          std::pair{std::numeric_limits<float>::infinity(), "is infinite"},
          std::pair{-1e-40F, "is negative"}}) {
      weights[item] = invalid;
      ASSERT_TRUE(find_tile_map(weights).is_interleaved);
      const std::string message = error_of([&] { table.build(weights); });
      EXPECT_NE(message.find("weight " + std::to_string(item) + " " + fault), std::string::npos)
          << message;
    }
    weights[item] = valid;
  }
}

TEST(InterleavedTiles, TheFirstItemsWithoutMassAreNamed) {
  std::vector<float> weights = made<float>("ramp", enough + 100);
  const TileMap map = find_tile_map(weights);
  std::vector<Index> light;
  for (const Index tile : {900U, 5U, 77U, 3000U, 4000U, 2000U}) {
    light.push_back(map[tile](2000));  // not one of the first of a tile, which get what it lacks
    weights[light.back()] = 1e-30F;
  }
  std::sort(light.begin(), light.end());
  const ZeroMassItems found = find_zero_mass_items(weights, 2);
  EXPECT_EQ(found.count, light.size());
  light.pop_back();
  EXPECT_EQ(found.first, light);
}

}  // namespace
}  // namespace wrsgpu::verification
