// The integer masses: steps 1 to 4 of wrsgpu/detail/masses/mass_tiles.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "tile_layouts.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/tile_arithmetic.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/random/philox.hpp"

namespace wrsgpu::verification {
namespace {

using Wide = WideInteger;

constexpr Index around_a_tile[] = {1, 2, 3, 2047, 2048, 2049, 4096, 10'000, 100'003};

std::vector<std::uint64_t> masses_of(WeightsView weights, unsigned threads = 1) {
  const HostBuffer<std::uint64_t> masses = quantise(weights, threads);
  return {masses.data(), masses.data() + weights.size()};
}

TEST(MassTiles, MassesAddUpToABucketEachAndZeroWeightsHaveNone) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index n : around_a_tile) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      const std::vector<double> weights = family.make(n);
      const std::vector<std::uint64_t> masses = masses_of(weights);
      Wide sum = 0;
      for (Index i = 0; i < n; ++i) {
        sum += masses[i];
        ASSERT_TRUE(weights[i] > 0 || masses[i] == 0) << i;
      }
      ASSERT_TRUE(sum == Wide{n} << 32);
    }
  }
}

TEST(MassTiles, MassesDependNeitherOnThreadsNorOnTheTypeOfTheWeights) {
  for (const WeightFamily& family : weight_families()) {
    if (!family.fits_float) continue;
    const std::vector<double> exact = family.make(100'003);
    const std::vector<float> floats(exact.begin(), exact.end());
    const std::vector<double> doubles(floats.begin(), floats.end());
    const std::vector<std::uint64_t> masses = masses_of(doubles);
    EXPECT_EQ(masses_of(floats), masses) << family.name;
    EXPECT_EQ(masses_of(doubles, 3), masses) << family.name;
  }
}

// The summary sums the tiles while their weights are in the cache.
TEST(MassTiles, AreTheSameFromTheSummaryOfTheWeights) {
  for (const Index n : {1U, 1023U, 1025U, 2047U, 2048U, 2049U, 3073U, 65'537U, 200'000U}) {
    for (const char* family : {"uniform", "one_nonzero_last", "sixty_orders", "ramp"}) {
      SCOPED_TRACE(std::string(family) + ", " + std::to_string(n) + " items");
      const std::vector<double> weights = find_weight_family(family).make(n);
      std::vector<TileWeights> known;
      static_cast<void>(summarise(weights, 2, nullptr, &known));
      const std::vector<MassTile> tiles = find_mass_tiles(weights, 1).tiles;
      ASSERT_EQ(known.size(), tiles.size());
      std::vector<TileSum> sums;
      for (std::size_t t = 0; t < known.size(); ++t) {
        sums.push_back(known[t].sum);
        const auto part = weights_of_tile(std::span<const double>(weights), t);
        EXPECT_EQ(known[t].smallest, *std::min_element(part.begin(), part.end()));
        EXPECT_EQ(known[t].largest, *std::max_element(part.begin(), part.end()));
      }
      const std::vector<MassTile> same = balance_mass_tiles(sums, n);
      for (std::size_t t = 0; t < tiles.size(); ++t) {
        EXPECT_EQ(same[t].shift, tiles[t].shift);
        EXPECT_EQ(same[t].slope, tiles[t].slope);
        EXPECT_EQ(same[t].mass, tiles[t].mass);
      }
    }
  }
}

// Scaling by a power of two changes exponents only.
TEST(MassTiles, MassesDoNotDependOnTheScale) {
  std::vector<double> weights(10'000);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] =
        std::ldexp(static_cast<double>(random::philox_word(1, i) >> 12), static_cast<int>(i % 40));
  }
  const std::vector<std::uint64_t> masses = masses_of(weights);
  for (const int power : {-900, -1, 1, 900}) {
    std::vector<double> scaled = weights;
    for (double& weight : scaled) weight = std::ldexp(weight, power);
    EXPECT_EQ(masses_of(scaled), masses) << power;
  }
}

TEST(MassTiles, EqualWeightsHaveExactlyABucket) {
  for (const double weight : {0.1, 1.0, 3e-310, 1e300}) {
    for (const Index n : around_a_tile) {
      EXPECT_EQ(masses_of(std::vector<double>(n, weight)),
                std::vector<std::uint64_t>(n, fixed_bucket))
          << weight << ", " << n << " items";
    }
  }
}

// Independent of the implementation: exact ratios of small integers.
TEST(MassTiles, MassesAreWithinTheirBound) {
  for (const Index n : around_a_tile) {
    for (const std::uint64_t spread : {2ULL, 1000ULL, 1ULL << 40}) {
      std::vector<double> weights(n);
      std::uint64_t total = 0;
      for (Index i = 0; i < n; ++i) {
        const std::uint64_t weight = random::philox_word(n, i) % spread;
        weights[i] = static_cast<double>(weight);
        total += weight;
      }
      if (total == 0) continue;
      const std::vector<std::uint64_t> masses = masses_of(weights);
      for (Index i = 0; i < n; ++i) {
        const auto exact = static_cast<long double>(weights[i]) / static_cast<long double>(total) *
                           static_cast<long double>(n) * 0x1p32L;
        ASSERT_LT(std::abs(static_cast<double>(static_cast<long double>(masses[i]) - exact)),
                  mass_bound(static_cast<double>(exact), n))
            << "item " << i << " of " << n;
      }
    }
  }
}

// A second implementation of step 4, from its description: nearest integers, then units for the
// first light items, then for others.
std::vector<std::uint64_t> masses_by_text(std::span<const double> weights, const MassTile& tile) {
  std::vector<std::uint64_t> masses;
  Wide sum = 0;
  for (const double weight : weights) {
    masses.push_back(
        static_cast<std::uint64_t>(std::nearbyint(std::ldexp(weight, tile.shift) * tile.slope)));
    sum += masses.back();
  }
  Wide lacking = sum < tile.mass ? tile.mass - sum : 0;
  Wide beyond = sum < tile.mass ? 0 : sum - tile.mass;
  const std::vector<std::uint64_t> rounded = masses;
  for (const bool light : {true, false}) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if ((rounded[i] < 0xffff'ffff) != light) continue;
      if (lacking > 0 && weights[i] > 0) {
        ++masses[i];
        --lacking;
      } else if (beyond > 0 && rounded[i] > 0) {
        --masses[i];
        --beyond;
      }
    }
  }
  const auto largest = std::max_element(weights.begin(), weights.end());
  masses[static_cast<std::size_t>(largest - weights.begin())] +=
      static_cast<std::uint64_t>(lacking);
  return masses;
}

/// The tile of these weights, with mass `mass`.
MassTile tile_of(std::span<const double> weights, std::uint64_t mass) {
  const int shift = largest_shift(largest_of(weights));
  return {normalised(integer_sum(weights, shift), shift), mass};
}

void expect_masses_by_text(std::span<const double> weights, std::uint64_t mass) {
  const MassTile tile = tile_of(weights, mass);
  std::vector<std::uint64_t> masses(weights.size());
  write_masses(weights, tile, masses.data());
  ASSERT_EQ(masses, masses_by_text(weights, tile)) << weights.size() << " items, mass " << mass;
}

// Complete tiles, and so few weights that wide vector code processes them one by one; small masses,
// for which many items get none, and masses near 2^64.
TEST(MassTiles, MassesAreRoundedAsTheTextSays) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{5}, std::size_t{7}, std::size_t{8},
                                std::size_t{2000}, std::size_t{mass_tile_items}}) {
      std::vector<double> weights(n);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t word = random::philox_word(seed, i);
        weights[i] = seed % 3 == 0 && word % 4 == 0 ? 0 : static_cast<double>(1 + (word >> 20));
      }
      weights[n / 2] += 1;
      const std::uint64_t word = random::philox_word(seed, n);
      expect_masses_by_text(weights, n * fixed_bucket);
      expect_masses_by_text(weights, word % (2 * n));
      expect_masses_by_text(weights, word >> (word % 40));
      expect_masses_by_text(weights, (std::uint64_t{1} << 63) - word % 1000);
      expect_masses_by_text(weights, ~std::uint64_t{0} - (fixed_bucket << 1) - word % 1000);
      if (HasFailure()) return;
    }
  }
}

// Which items are light decides who gives or takes units.
TEST(MassTiles, MassesBesideABucketAreRoundedAsTheTextSays) {
  for (int eighths = -32; eighths <= 32; ++eighths) {
    const std::vector<double> weights = units_beside_buckets(eighths);
    const std::vector<MassTile> tiles = find_mass_tiles(weights, 1).tiles;
    for (std::uint64_t t = 0; t < tiles.size(); ++t) {
      expect_masses_by_text(weights_of_tile(std::span(weights), t), tiles[t].mass);
    }
  }
}

// Compares with the scalar functions, for complete tiles and for fewer items than a vector holds.
template <class T>
void expect_all_code_is_exact(const std::vector<T>& exact, const MassTile& tile) {
  const std::span<const T> weights(exact);
  const int shift = largest_shift(largest_of(weights));
  Wide sum = 0;
  std::vector<std::uint64_t> nearest;
  for (const double weight : exact) {
    sum += static_cast<std::uint64_t>(std::floor(std::ldexp(weight, shift)));
    nearest.push_back(
        static_cast<std::uint64_t>(std::nearbyint(std::ldexp(weight, tile.shift) * tile.slope)));
  }
  for (const HostCode code : {HostCode::best, HostCode::portable}) {
    ASSERT_TRUE(integer_sum(weights, shift, code) == sum);
    std::vector<std::uint64_t> masses(weights.size());
    const RoundedMasses rounded = round_masses(weights, tile, masses.data(), code);
    ASSERT_EQ(masses, nearest);
    EXPECT_EQ(rounded.sum, std::accumulate(masses.begin(), masses.end(), std::uint64_t{0}));
    EXPECT_EQ(rounded.all_have_mass, std::find(masses.begin(), masses.end(), 0U) == masses.end());
  }
}

TEST(MassTiles, AllCodeSumsAndRoundsExactly) {
  MassTile tile;
  tile.mass = (std::uint64_t{1} << 52) - 1;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const std::size_t n : {std::size_t{3}, std::size_t{2045}, std::size_t{mass_tile_items}}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(n) + " items");
      // Weights of one order of magnitude, or of more orders than a sum has digits.
      const std::uint64_t orders = seed % 2 == 0 ? 1 : 70;
      std::vector<double> weights(n);
      std::vector<double> integers(n);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t word = random::philox_word(seed, i);
        weights[i] =
            std::ldexp(static_cast<double>(1 + (word >> 11)), -static_cast<int>(word % orders));
        integers[i] = static_cast<double>(word % 8);
      }
      // The largest mass has 5 to 50 digits.
      tile.shift = largest_shift(largest_of(std::span<const double>(weights))) - 57 +
                   static_cast<int>(seed % 46);
      tile.slope = 0.75 + static_cast<double>(seed) / 1000;
      expect_all_code_is_exact(weights, tile);
      integers[n / 2] = 5;
      tile.shift = -1;  // halves
      tile.slope = 1;
      expect_all_code_is_exact(integers, tile);
      if (HasFailure()) return;
    }
  }
}

// In units of 2^-61 the sum is 2^61 + 0.75 + 0.875.
TEST(MassTiles, AllCodeCutsFloatsDown) {
  expect_all_code_is_exact<float>({1, 0x1.8p-62F, 0x1.cp-62F}, MassTile());
}

// Masses for which the constants of other loops would not leave the integer in the last digits of a
// double, and masses that do not fit in a signed integer.
TEST(MassTiles, AllCodeRoundsLargeMasses) {
  MassTile tile;
  tile.slope = 1;
  tile.mass = (std::uint64_t{1} << 53) - 1;
  expect_all_code_is_exact<double>({0x1p52 + 1, 3}, tile);
  tile.mass = ~std::uint64_t{0};
  expect_all_code_is_exact<double>({0x1p63 + 0x1p12, 3}, tile);
}

// The slope is smaller by a relative 2^-48, so these products are just below the halves and
// round to 0, 1, 2 and 3. The first two items get the two remaining units.
TEST(MassTiles, HalvesRoundDownAndTheFirstItemsGetWhatIsLeft) {
  const std::vector<double> weights{1, 3, 5, 7};  // 0.5, 1.5, 2.5 and 3.5 of a mass of 8
  const MassTile tile = tile_of(weights, 8);
  std::vector<std::uint64_t> masses(4);
  write_masses(std::span<const double>(weights), tile, masses.data());
  EXPECT_EQ(masses, (std::vector<std::uint64_t>{1, 2, 2, 3}));
  EXPECT_EQ(masses, masses_by_text(weights, tile));
}

// The units of a tile depend on its heaviest item; the next tile has finer units.
TEST(MassTiles, LightTilesKeepTheirDigitsBesideHeavyOnes) {
  std::vector<double> weights(std::size_t{2} * mass_tile_items, 1.0);
  for (Index i = 0; i < mass_tile_items; ++i) weights[i] = 0x1p20;
  weights[mass_tile_items] = 3.0;
  const std::vector<std::uint64_t> masses = masses_of(weights);
  // 4096 * 2^32 / (2048 * 2^20 + 2050)
  const double unit = 4096 * 0x1p32 / (2048 * 0x1p20 + 2050);
  EXPECT_NEAR(static_cast<double>(masses[mass_tile_items]), 3 * unit, 4);
  EXPECT_NEAR(static_cast<double>(masses.back()), unit, 4);
}

// If a tile has more mass left than one unit per item, the largest item gets the rest.
TEST(MassTiles, TheLargestItemTakesWhatRoundingLeaves) {
  constexpr Index n = 1U << 22;
  std::vector<float> weights(n);
  weights[3] = 1;
  weights[5] = 1e30F;
  weights[9] = 1e30F;
  const std::vector<std::uint64_t> masses = masses_of(weights);
  EXPECT_EQ(masses[3], 1U);
  EXPECT_EQ(masses[3] + masses[5] + masses[9], std::uint64_t{n} << 32);
  EXPECT_GT(masses[5], masses[9]);
  EXPECT_LT(masses[5] - masses[9], 1U << 7);  // 2^-47 of the total
}

// Masses of saved tables and recorded runs must not change. Other tests only compare host and
// device, and check a bound that also other roundings satisfy. The masses changed once, when light
// items began to give and take units before others. An evaluation of the steps in rational numbers
// gave these digests, too.
TEST(MassTiles, AreTheOnesOfEarlierVersions) {
  const auto digest_of = [](Index n, auto weight_at) {
    std::vector<double> weights(n);
    for (Index i = 0; i < n; ++i) weights[i] = weight_at(i);
    std::uint64_t digest = 0xcbf29ce484222325;  // FNV-1a, of words
    for (const std::uint64_t mass : masses_of(weights)) digest = (digest ^ mass) * 0x100000001b3;
    return digest;
  };
  EXPECT_EQ(digest_of(10'007, [](Index i) { return 1.0 / (i + 1); }), 1'844'039'694'377'510'899U);
  EXPECT_EQ(digest_of(10'007, [](Index i) { return static_cast<double>(i * 2'654'435'761U); }),
            13'500'262'537'981'887'853U);
  EXPECT_EQ(digest_of(10'007,
                      [](Index i) {
                        return i % 3 == 0 ? 0.0
                                          : std::ldexp(1.0 + i % 5, -static_cast<int>(i % 97));
                      }),
            12'759'724'882'393'384'581U);
  // Heavy items whose masses have so many digits that any rounding of the slope is visible.
  EXPECT_EQ(digest_of(300'007,
                      [](Index i) {
                        return i % 65'521 == 0 ? 1.0 + i % 7 : std::ldexp(1.0 + i % 3, -30);
                      }),
            14'146'244'128'036'519'195U);
}

// Steps 2 and 3 for the maximum number of tiles, all alike or one of them far heavier.
TEST(WideQuotient, IsThatOfTheCompiler) {
  // Where estimates lose most: at both ends of the range, at powers of two and beside them.
  std::vector<std::uint64_t> divisors{1, 2, 3, 1ULL << 50, (1ULL << 50) + 1, ~std::uint64_t{0}};
  for (const std::uint64_t power : {std::uint64_t{1} << 61, std::uint64_t{1} << 62}) {
    for (const std::uint64_t off : {0U, 1U, 2U, 1U << 8, 1U << 9}) divisors.push_back(power + off);
  }
  std::vector<std::uint64_t> quotients{0, 1, 2, ~std::uint64_t{0} - 0xffff'ffff};
  for (int bit = 1; bit < 64; ++bit) {
    quotients.push_back(std::uint64_t{1} << bit);
    quotients.push_back((std::uint64_t{1} << bit) - 1);
  }
  for (std::uint64_t k = 0; k < 200; ++k) {
    divisors.push_back((std::uint64_t{1} << 61) +
                       random::philox_word(5, 2 * k) % (std::uint64_t{1} << 61));
    quotients.push_back(random::philox_word(5, 2 * k + 1) >> (k % 64));
  }
  for (const std::uint64_t divisor : divisors) {
    for (const std::uint64_t quotient : quotients) {
      if (quotient > ~std::uint64_t{0} - 0xffff'ffff) continue;
      for (const std::uint64_t rest : {std::uint64_t{0}, std::uint64_t{1}, divisor - 1}) {
        const Wide dividend = Wide{quotient} * divisor + rest;
        ASSERT_EQ(wide_quotient(dividend, divisor), static_cast<std::uint64_t>(dividend / divisor))
            << quotient << " * " << divisor << " + " << rest;
      }
    }
  }
}

TEST(CommonUnit, FourBillionItemsHaveTheirMass) {
  const Index tiles = mass_tile_count(max_items);
  EXPECT_EQ(tiles, 1U << 21);
  for (const int lead : {0, 1, 20, 60, 2000}) {
    const TileSum heavy{(1ULL << 62) - 1, 0};
    const TileSum light{1ULL << 61, lead};
    const WideSum light_sum = common_tile_sum(light, 0);
    const WideSum total = common_tile_sum(heavy, 0) + (tiles - 1) * light_sum;
    const CommonUnit unit(total, max_items);
    EXPECT_EQ(unit.prefix_mass(total), max_items << 32);
    std::uint64_t before = 0;
    for (WideSum sum = common_tile_sum(heavy, 0);; sum += light_sum * (tiles / 16)) {
      sum = std::min(sum, total);
      const std::uint64_t end = unit.prefix_mass(sum);
      const auto exact = static_cast<long double>(sum) / static_cast<long double>(total) *
                         static_cast<long double>(max_items) * 0x1p32L;
      EXPECT_GE(end, before);
      EXPECT_LT(std::abs(static_cast<double>(static_cast<long double>(end) - exact)), 24);
      if (sum == total || light_sum == 0) break;
      before = end;
    }
  }
}

}  // namespace
}  // namespace wrsgpu::verification
