// The bits of exact tables, and of samples from those of segments, which must not change once seeds
// are pinned. Other tests compare the
// forms with their definitions, and device and host with each other, but limits and samples that
// decide between the forms stand once for all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "cpu_reference/tiled_sweep.hpp"
#include "table_rows.hpp"
#include "tile_layouts.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/tile_reader.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/detail/warp_pairing/host_warp_pairing.hpp"
#include "wrsgpu/segmented_sampler.hpp"

namespace wrsgpu::verification {
namespace {

/// FNV-1a, of words.
class Digest {
 public:
  void add(std::uint64_t word) { value_ = (value_ ^ word) * 0x100000001b3; }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

std::uint64_t digest_of(const std::vector<float>& weights) {
  TiledSweep table({Arithmetic::fixed_point, Layout::compact_rows, 0});
  table.build(weights);
  Digest digest;
  for (const PlainRow& row : plain_rows(table)) {
    digest.add(static_cast<std::uint64_t>(row.own));
    digest.add(row.alias);
  }
  return digest.value();
}
std::uint64_t digest_of(std::span<const Index> samples) {
  Digest digest;
  for (const Index sample : samples) digest.add(sample);
  return digest.value();
}

/// 24 random bits each.
std::vector<float> random_integers(Index n) {
  std::vector<float> weights(n);
  for (Index i = 0; i < n; ++i) weights[i] = static_cast<float>(random::philox_word(1, i) >> 40);
  return weights;
}
std::vector<float> ramp(Index n) {
  std::vector<float> weights(n);
  std::iota(weights.begin(), weights.end(), 1.0F);
  return weights;
}

TEST(TableBits, OfOneTileAndOfFew) {
  EXPECT_EQ(digest_of(ramp(2048)), 6'711'488'943'277'060'541U);
  EXPECT_EQ(digest_of(ramp(100'003)), 7'827'606'176'485'654'921U);
  EXPECT_EQ(digest_of(random_integers(100'003)), 1'529'191'582'366'916'461U);
}

TEST(TableBits, OfTilesOfNeighboursByLanes) {
  EXPECT_EQ(digest_of(random_integers((1U << 23) + 5)), 12'681'877'057'841'261'756U);
  EXPECT_EQ(digest_of(random_integers((1U << 23) - 5)),
            8'547'550'664'578'022'941U);  // by merge path
}

constexpr Index many = (1U << 24) + 777;

TEST(TableBits, OfInterleavedTilesByLanes) {
  EXPECT_EQ(digest_of(ramp(many)), 9'136'889'101'704'859'676U);
}

TEST(TableBits, OfInterleavedTilesByMergePath) {
  const std::vector<float> weights = heavy_leading<float>(many);
  EXPECT_TRUE(find_tile_map(weights).is_interleaved);
  EXPECT_EQ(digest_of(weights), 11'488'499'759'032'651'920U);
}

TEST(TableBits, OfExportsOfDeficits) {
  std::vector<float> weights(many, 2);
  std::fill_n(weights.rbegin(), many / 10, 1.0F);
  EXPECT_EQ(digest_of(weights), 1'153'893'012'858'164'266U);
}

// One tile would receive what all others lack: too many for exports of deficits. Lanes could pair
// them, but are not tried.
TEST(TableBits, OfMostlyHeavyWeightsByMergePath) {
  std::vector<float> weights = random_integers(many);
  for (Index i = 0; i < many; ++i) weights[i] = 0x1p-24F * weights[i] + (i % 8 == 0 ? 60 : 64);
  constexpr Index heavy = many / 8;
  weights[77] = static_cast<float>(heavy);
  const TileMap map = find_tile_map(weights);
  EXPECT_TRUE(map.is_mostly_heavy);
  HostTable table(Layout::compact_rows, many, static_cast<double>(fixed_bucket));
  EXPECT_TRUE(table.visit([&](const auto& rows) {
    const std::span<const float> all(weights);
    return detail::warp_pairing(all, find_mass_tiles(weights, map, 0), rows, 0);
  }));
  EXPECT_EQ(digest_of(weights), 17'892'322'101'744'145'334U);
}

TEST(TableBits, OfSegmentsAndTheirSamples) {
  std::vector<Index> offsets{0};
  for (const Index length : {1U, 2U, 100U, 2048U, 2049U, 300'000U}) {
    offsets.push_back(offsets.back() + length);
  }
  const std::vector<float> weights = random_integers(offsets.back());
  const SegmentedSampler sampler(offsets, weights);
  Digest rows;
  for (const CompactRow& row : sampler.rows()) {
    rows.add(row.threshold);
    rows.add(row.alias);
  }
  EXPECT_EQ(rows.value(), 6'080'282'815'796'539'854U);
  constexpr RandomState state{7, (std::uint64_t{1} << 40) + 1};
  const std::vector<Index> from = {5, 4, 3, 2, 1, 0};
  std::vector<Index> samples(from.size() * 50);
  sampler.draw(from, 50, samples, state);
  EXPECT_EQ(digest_of(samples), 2'904'157'918'810'024'066U);
  sampler.choose(weights, from, 50, samples, state);
  EXPECT_EQ(digest_of(samples), 8'661'975'051'060'386'451U);
  std::vector<Index> neighbours(weights.size());
  for (Index i = 0; i < neighbours.size(); ++i) neighbours[i] = i % 6;
  sampler.walk(from, 49, neighbours, samples, state);
  EXPECT_EQ(digest_of(samples), 16'114'600'425'196'931'542U);
  std::vector<Index> columns(100);
  multinomial(std::span(weights).first(1000), 2, 500, 50, columns, state);
  EXPECT_EQ(digest_of(columns), 3'169'041'998'128'759'341U);
  multinomial(std::span(weights).first(6000), 2, 3000, 50, columns, state);
  EXPECT_EQ(digest_of(columns), 3'256'320'732'468'158'925U);
}

}  // namespace
}  // namespace wrsgpu::verification
