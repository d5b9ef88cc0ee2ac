// Generators, digests, seeding and uniform numbers. The statistical tests have a false-alarm
// rate of 1e-6 for the whole program, over the choice of seeds (which are fixed).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/random/uniform_int_distribution.hpp>
#include <boost/random/uniform_real_distribution.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "sampling/generators/digest.hpp"
#include "sampling/generators/md5.hpp"
#include "sampling/generators/mersenne_twister.hpp"
#include "sampling/generators/pkpt.hpp"
#include "sampling/generators/quasi_random.hpp"
#include "sampling/generators/sha1.hpp"
#include "sampling/generators/xorwow.hpp"
#include "scripted_generator.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "wrsgpu/detail/random/normal.hpp"
#include "wrsgpu/detail/random/philox_engine.hpp"
#include "wrsgpu/detail/random/uniform.hpp"

namespace wrsgpu::random {
namespace {

constexpr double level = verification::FalseAlarmBudget(1e-6, 60).level();

static_assert(Generator<PhiloxEngine<10>> && gives_64_bits<PhiloxEngine<10>>);
static_assert(Generator<XorwowEngine> && !gives_64_bits<XorwowEngine>);
static_assert(Generator<MersenneTwister> && !gives_64_bits<MersenneTwister>);
static_assert(!Generator<std::minstd_rand>);  // its results do not use all bits of a word
static_assert(!Generator<ScriptedGenerator<std::uint16_t>>);

std::array<std::uint32_t, 4> words(const PhiloxBlock& block) { return std::to_array(block.word); }

TEST(PhiloxWord, SubsequencesShareNoWord) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t index = 0; index < 100; ++index) {
    EXPECT_EQ(philox_word(7, index, 0), philox_word(7, index));
    for (std::uint64_t attempt = 0; attempt < 20; ++attempt) {
      EXPECT_TRUE(seen.insert(philox_word(7, index, attempt)).second);
    }
    EXPECT_TRUE(seen.insert(philox_word(7, index, weights_subsequence)).second);
  }
}

// The test vectors of Random123 (kat_vectors).
TEST(Philox, KnownAnswers) {
  using Words = std::array<std::uint32_t, 4>;
  constexpr std::uint32_t ones = 0xFFFF'FFFF;
  constexpr PhiloxBlock zero_block{{0, 0, 0, 0}};
  constexpr PhiloxBlock one_block{{ones, ones, ones, ones}};
  constexpr PhiloxBlock pi{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
  EXPECT_EQ(words(philox4x32<7>(zero_block, 0, 0)),
            (Words{0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}));
  EXPECT_EQ(words(philox4x32<7>(one_block, ones, ones)),
            (Words{0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662}));
  EXPECT_EQ(words(philox4x32<7>(pi, 0xa4093822, 0x299f31d0)),
            (Words{0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}));
  EXPECT_EQ(words(philox4x32<10>(zero_block, 0, 0)),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(words(philox4x32<10>(one_block, ones, ones)),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(words(philox4x32<10>(pi, 0xa4093822, 0x299f31d0)),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, BlockPutsIndexSubsequenceAndSeedWhereTheyBelong) {
  // Counter and key from the digits of pi, as in the vectors above.
  EXPECT_EQ(words(philox_block<10>(0x299f31d0'a4093822, 0x85a308d3'243f6a88, 0x03707344'13198a2e)),
            (std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  EXPECT_EQ(philox_word<10>(0, 0), 0xe169c58d'6627e8d5);
  EXPECT_EQ(philox_word<10>(0, 1), 0x9b00dbd8'bc57ac4c);
}

// Values of cuRAND's own code for curand_init(0x0123456789abcdef, 0xdeadbeefcafef00d, offset) and
// curand4(); the device test compares more of them.
TEST(Philox, GivesTheSequenceOfCurand) {
  struct Case {
    std::uint64_t offset;
    std::array<std::uint32_t, 4> words;
  };
  for (const Case& expected :
       {Case{0, {0xa335f2f8, 0x7e7181b8, 0x8b2a9e2a, 0x80067faf}},
        Case{1, {0x7e7181b8, 0x8b2a9e2a, 0x80067faf, 0x75156d02}},
        Case{1000003, {0x8dd1a4a2, 0xf5fbb163, 0xf74be6d7, 0x0dd7ce77}},
        Case{17179869186, {0x9af73d7d, 0xb0e31f8d, 0x191fa7d3, 0x01e0e027}}}) {
    for (std::uint64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(curand_philox_word(0x0123456789abcdef, 0xdeadbeefcafef00d, expected.offset + i),
                expected.words[i])
          << "offset " << expected.offset << " + " << i;
    }
  }
  for (std::uint64_t i = 0; i < 5; ++i) {
    const std::uint64_t low = curand_philox_word(77, 0, 2 * i);
    const std::uint64_t high = curand_philox_word(77, 0, 2 * i + 1);
    EXPECT_EQ(philox_word(77, i), low | (high << 32));
  }
}

template <class Engine>
class PhiloxEngineTest : public testing::Test {};
template <int rounds>
std::uint64_t word_of(const PhiloxEngine<rounds>&, std::uint64_t seed, std::uint64_t index) {
  return philox_word<rounds>(seed, index);
}
using PhiloxEngines = testing::Types<PhiloxEngine<7>, PhiloxEngine<10>>;
TYPED_TEST_SUITE(PhiloxEngineTest, PhiloxEngines);

TYPED_TEST(PhiloxEngineTest, ResultsAreTheWordsOfTheStream) {
  constexpr std::uint64_t last = ~std::uint64_t{0};
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2},
                                     (std::uint64_t{1} << 33) - 1, last - 1}) {
    TypeParam engine(RandomState{42, offset});
    for (std::uint64_t k = 0; k < 6; ++k) {
      EXPECT_EQ(engine(), word_of(engine, 42, offset + k)) << offset << " + " << k;
    }
  }
}

TYPED_TEST(PhiloxEngineTest, DiscardSkips) {
  for (std::uint64_t before = 0; before < 3; ++before) {
    for (std::uint64_t skipped = 0; skipped < 6; ++skipped) {
      TypeParam stepped(RandomState{3, 0}, 9);
      TypeParam jumped = stepped;
      for (std::uint64_t i = 0; i < before; ++i) EXPECT_EQ(stepped(), jumped());
      for (std::uint64_t i = 0; i < skipped; ++i) static_cast<void>(stepped());
      jumped.discard(skipped);
      EXPECT_EQ(stepped, jumped);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(stepped(), jumped()) << before << " " << skipped;
    }
  }
  TypeParam far(RandomState{3, 0});
  far.discard(std::uint64_t{1} << 60);
  EXPECT_EQ(far(), word_of(far, 3, std::uint64_t{1} << 60));
}

TYPED_TEST(PhiloxEngineTest, SeedsAndSubsequencesDiffer) {
  std::set<std::uint64_t> firsts;
  for (const std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32, 1ULL << 63}) {
    for (const std::uint64_t subsequence : {0ULL, 1ULL, 1ULL << 32, 1ULL << 63}) {
      firsts.insert(TypeParam(RandomState{seed, 0}, subsequence)());
    }
  }
  EXPECT_EQ(firsts.size(), 16U);
  EXPECT_EQ(TypeParam(SeedWords{{1, 2, 3, 4, 5}}),
            TypeParam(RandomState{0x2'0000'0001, 0}, 0x4'0000'0003));
}

// Algorithm 1.2 of the thesis, with 32-bit words.
TEST(Xorwow, GivesMarsagliasSequence) {
  XorwowEngine engine(XorwowEngine::marsaglia());
  for (const std::uint32_t expected : {246875399U, 3690007200U, 1264581005U, 3906711041U,
                                       1866187943U, 2481925219U, 2464530826U, 1604040631U}) {
    EXPECT_EQ(engine(), expected);
  }
  engine.discard(1000 - 9);
  EXPECT_EQ(engine(), 1090561119U);
  engine.discard(1'000'000 - 1001);
  EXPECT_EQ(engine(), 2733003347U);
}

TEST(Xorwow, NeverStartsFromZero) {
  XorwowEngine zero(SeedWords{});
  XorwowEngine marsaglia(XorwowEngine::marsaglia());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(zero(), marsaglia());
  // A single set bit in any word gives a distinct state.
  std::set<std::uint32_t> results{marsaglia()};
  for (std::size_t i = 0; i < 5; ++i) {
    SeedWords seed{};
    seed.word[i] = 1;
    XorwowEngine engine(seed);
    engine.discard(10);
    results.insert(engine());
  }
  EXPECT_EQ(results.size(), 6U);
}

TEST(Xorwow, SeedsDiffer) {
  std::set<std::uint32_t> firsts;
  for (int bit = 0; bit < 64; ++bit) firsts.insert(XorwowEngine(std::uint64_t{1} << bit)());
  for (std::uint64_t seed = 0; seed < 1000; ++seed) firsts.insert(XorwowEngine(seed)());
  EXPECT_GE(firsts.size(), 1064U - 11U);  // 0 to 999 include ten of the powers
  XorwowEngine hashed(5);
  const PhiloxBlock block = philox_block<10>(5, 0);
  XorwowEngine documented(SeedWords{{block.word[0], block.word[1], block.word[2], block.word[3],
                                     philox_block<10>(5, 1).word[0]}});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(hashed(), documented());
}

TEST(MersenneTwister, TenThousandthValueIsTheStandards) {
  MersenneTwister engine;
  engine.discard(9999);
  EXPECT_EQ(engine(), 4123659995U);
}

TEST(MersenneTwister, DependsOnAllBitsOfTheSeed) {
  EXPECT_EQ(mersenne_twister(7), mersenne_twister(7));
  EXPECT_EQ(mersenne_twister(0x1234'5678'9ABC'DEF0)(), 2521633668U);
  std::set<std::uint64_t> firsts;
  for (int bit = 0; bit < 64; ++bit) firsts.insert(mersenne_twister(std::uint64_t{1} << bit)());
  EXPECT_EQ(firsts.size(), 64U);
}

template <class Hash>
std::string hex(std::string_view message) {
  std::string text;
  for (const std::byte byte : digest<Hash>(std::as_bytes(std::span(message)))) {
    text += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4];
    text += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15U];
  }
  return text;
}

TEST(Md5, Rfc1321) {
  EXPECT_EQ(hex<Md5>(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(hex<Md5>("a"), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(hex<Md5>("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(hex<Md5>("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(hex<Md5>("abcdefghijklmnopqrstuvwxyz"), "c3fcd3d76192e4007dfb496cca67e13b");
  EXPECT_EQ(hex<Md5>("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
            "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(hex<Md5>("1234567890123456789012345678901234567890123456789012345678901234567890123456"
                     "7890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(Sha1, Rfc3174) {
  EXPECT_EQ(hex<Sha1>("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex<Sha1>("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(hex<Sha1>(std::string(1'000'000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  std::string digits;
  for (int i = 0; i < 80; ++i) digits += "01234567";
  EXPECT_EQ(hex<Sha1>(digits), "dea356a2cddd90c7a7ecedc5ebb563934f460452");
}

// Lengths around those at which padding adds a block; values from Python's hashlib.
TEST(Digest, MessagesThatFillABlock) {
  struct Case {
    std::size_t length;
    const char* md5;
    const char* sha1;
  };
  for (const Case& expected :
       {Case{0, "d41d8cd98f00b204e9800998ecf8427e", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
        Case{55, "ef1772b6dff9a122358552954ad0df65", "c1c8bbdc22796e28c0e15163d20899b65621d65a"},
        Case{56, "3b0c8ac703f828b04c6c197006d17218", "c2db330f6083854c99d4b5bfb6e8f29f201be699"},
        Case{63, "b06521f39153d618550606be297466d5", "03f09f5b158a7a8cdad920bddc29b81c18a551f5"},
        Case{64, "014842d480b571495a4a0363793f7367", "0098ba824b5c16427bd7a1122a5a442a25ec644d"},
        Case{65, "c743a45e0d2e6a95cb859adae0248435", "11655326c708d70319be2610e8a57d9a5b959d3b"},
        Case{119, "8a7bd0732ed6a28ce75f6dabc90e1613", "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56"},
        Case{120, "5f61c0ccad4cac44c75ff505e1f1e537",
             "f34c1488385346a55709ba056ddd08280dd4c6d6"}}) {
    EXPECT_EQ(hex<Md5>(std::string(expected.length, 'a')), expected.md5) << expected.length;
    EXPECT_EQ(hex<Sha1>(std::string(expected.length, 'a')), expected.sha1) << expected.length;
  }
}

// The seed is the digest of 24 bytes; the digests were computed with Python's hashlib.
TEST(Pkpt, SeedIsTheDigestOfTheDocumentedMessage) {
  constexpr std::uint64_t seed = 0x0123456789abcdef;
  constexpr std::uint64_t thread = (std::uint64_t{1} << 40) + 5;
  EXPECT_EQ(std::to_array(pkpt_seed<Md5>(seed, 7, thread).word),
            (std::array<std::uint32_t, 5>{0x8c3149a9, 0x789d9543, 0xdc040caf, 0x87e8d9e1, 0}));
  EXPECT_EQ(
      std::to_array(pkpt_seed<Sha1>(seed, 7, thread).word),
      (std::array<std::uint32_t, 5>{0xd90a6cc0, 0xfd9312cf, 0xe24ce7d2, 0x3952c45e, 0x9b23b6a7}));
  std::string message;
  for (const std::uint64_t part : {seed, std::uint64_t{7}, thread}) {
    for (int byte = 0; byte < 8; ++byte) message += static_cast<char>(part >> (8 * byte));
  }
  EXPECT_EQ(hex<Md5>(message), "a949318c43959d78af0c04dce1d9e887");
  EXPECT_EQ(hex<Sha1>(message), "d90a6cc0fd9312cfe24ce7d23952c45e9b23b6a7");
}

template <class Hash>
class PkptTest : public testing::Test {};
using Hashes = testing::Types<Md5, Sha1>;
TYPED_TEST_SUITE(PkptTest, Hashes);

TYPED_TEST(PkptTest, EveryBitOfTheInputChangesHalfTheSeed) {
  const SeedWords base = pkpt_seed<TypeParam>(1, 2, 3);
  for (int bit = 0; bit < 192; ++bit) {
    std::uint64_t input[3] = {1, 2, 3};
    input[bit / 64] ^= std::uint64_t{1} << (bit % 64);
    const SeedWords other = pkpt_seed<TypeParam>(input[0], input[1], input[2]);
    int changed = 0;
    for (int i = 0; i < 5; ++i) changed += std::popcount(base.word[i] ^ other.word[i]);
    const double bits = 32 * TypeParam::words;
    // Each of 384 changes of the 128 or 160 tosses of a fair coin stays within 7 standard
    // deviations: the normal tail is 2.6e-12.
    EXPECT_NEAR(changed, bits / 2, 7 * std::sqrt(bits) / 2) << "bit " << bit;
  }
}

/// p-value of the top byte of one word from each of 2^16 generators.
template <class Make>
double uniformity_over_threads(Make&& make) {
  constexpr std::uint64_t threads = 1 << 16;
  std::array<std::uint64_t, 256> counts{};
  for (std::uint64_t thread = 0; thread < threads; ++thread) {
    auto engine = make(thread);
    ++counts[word32(engine) >> 24];
  }
  return verification::chi_squared(counts, std::vector<double>(256, 1.0 / 256)).p_value;
}

TYPED_TEST(PkptTest, FirstWordsOverThreadsAreUniform) {
  const auto xorwow = [](std::uint64_t thread) {
    return pkpt_engine<XorwowEngine, TypeParam>(11, 0, thread);
  };
  const auto philox = [](std::uint64_t thread) {
    return pkpt_engine<PhiloxEngine<7>, TypeParam>(11, 0, thread);
  };
  EXPECT_GT(uniformity_over_threads(xorwow), level);
  EXPECT_GT(uniformity_over_threads(philox), level);
}

TEST(Uniformity, OverSeeds) {
  EXPECT_GT(uniformity_over_threads([](std::uint64_t seed) { return XorwowEngine(seed); }), level);
  EXPECT_GT(uniformity_over_threads([](std::uint64_t seed) {
              return PhiloxEngine<10>(RandomState{seed, 0});
            }),
            level);
  EXPECT_GT(uniformity_over_threads([](std::uint64_t subsequence) {
              return PhiloxEngine<10>(RandomState{0, 0}, subsequence);
            }),
            level);
  // Power of the test: it rejects seeds that are copied into the state unhashed.
  EXPECT_LT(uniformity_over_threads([](std::uint64_t seed) {
              return XorwowEngine(SeedWords{{static_cast<std::uint32_t>(seed), 1, 1, 1, 1}});
            }),
            level);
}

TEST(Generator, WordsOfFixedWidth) {
  ScriptedGenerator<std::uint32_t> narrow{1, 2, 3};
  EXPECT_EQ(word64(narrow), 0x2'0000'0001U);
  EXPECT_EQ(word32(narrow), 3U);
  ScriptedGenerator<std::uint64_t> wide{0x1'0000'0002, 0x3'0000'0004};
  EXPECT_EQ(word64(wide), 0x1'0000'0002U);
  EXPECT_EQ(word32(wide), 3U);
  EXPECT_EQ(wide.drawn(), 2U);
  MersenneTwister twister;
  MersenneTwister reference;
  const std::uint64_t low = reference();
  EXPECT_EQ(word64(twister), low | (std::uint64_t{reference()} << 32));
}

TEST(UniformReals, Extremes) {
  constexpr std::uint64_t ones64 = ~std::uint64_t{0};
  constexpr std::uint32_t ones32 = ~std::uint32_t{0};
  EXPECT_EQ(unit_double(0), 0.0);
  EXPECT_EQ(unit_double(2047), 0.0);
  EXPECT_EQ(unit_double(2048), 0x1p-53);
  EXPECT_EQ(unit_double(std::uint64_t{1} << 63), 0.5);
  EXPECT_EQ(unit_double(ones64), 1.0 - 0x1p-53);
  EXPECT_EQ(positive_unit_double(0), 0x1p-53);
  EXPECT_EQ(positive_unit_double(2048), 0x1p-52);
  EXPECT_EQ(positive_unit_double(ones64), 1.0);
  EXPECT_EQ(unit_float(0), 0.0F);
  EXPECT_EQ(unit_float(255), 0.0F);
  EXPECT_EQ(unit_float(256), 0x1p-24F);
  EXPECT_EQ(unit_float(ones32), 1.0F - 0x1p-24F);
  EXPECT_EQ(positive_unit_float(0), 0x1p-24F);
  EXPECT_EQ(positive_unit_float(ones32), 1.0F);
  ScriptedGenerator<std::uint64_t> generator{ones64, 0};
  EXPECT_EQ(uniform_double(generator), 1.0 - 0x1p-53);
  EXPECT_EQ(uniform_positive_double(generator), 0x1p-53);
}

// Each 24-bit float comes from exactly 2^8 words: the conversion is exact and monotone.
TEST(UniformReals, FloatsAreEquallyOften) {
  for (std::uint32_t i = 0; i < (1U << 24); ++i) {
    const auto expected = static_cast<float>(static_cast<double>(i) / 16777216.0);
    ASSERT_EQ(unit_float(i << 8), expected);
    ASSERT_EQ(unit_float((i << 8) | 255U), expected);
  }
}

struct Redraw {};

// All 8-bit words for all n: each result has the same number of accepted words, which is the
// maximum.
TEST(UniformIntegers, EightBitAnalogueHasNoBias) {
  for (unsigned n = 1; n < 256; ++n) {
    std::vector<unsigned> counts(n, 0);
    unsigned rejected = 0;
    for (unsigned word = 0; word < 256; ++word) {
      bool drawn = false;
      try {
        const auto next = [&] {
          if (drawn) throw Redraw{};
          drawn = true;
          return static_cast<std::uint8_t>(word);
        };
        const std::uint8_t result = detail::multiply_and_reject(static_cast<std::uint8_t>(n), next);
        ASSERT_LT(result, n);
        ++counts[result];
      } catch (const Redraw&) {
        ++rejected;
      }
    }
    EXPECT_EQ(rejected, 256 % n) << "n = " << n;
    EXPECT_EQ(*std::ranges::min_element(counts), 256 / n) << "n = " << n;
    EXPECT_EQ(*std::ranges::max_element(counts), 256 / n) << "n = " << n;
  }
}

TEST(UniformIntegers, Extremes) {
  constexpr std::uint64_t ones64 = ~std::uint64_t{0};
  constexpr std::uint32_t ones32 = ~std::uint32_t{0};
  using Words32 = ScriptedGenerator<std::uint32_t>;
  using Words64 = ScriptedGenerator<std::uint64_t>;
  Words64 any{ones64, 0, 12345, ones64};
  for (int i = 0; i < 2; ++i) EXPECT_EQ(uniform_below(any, std::uint64_t{1}), 0U);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(uniform_below(any, std::uint32_t{1}), 0U);
  EXPECT_EQ(any.drawn(), 4U);
  EXPECT_EQ(uniform_below(any, std::uint64_t{0}), 0U);

  Words32 highest{0, ones32};  // 2^32 mod (2^32 - 1) = 1: the word 0 is rejected
  EXPECT_EQ(uniform_below(highest, ones32), ones32 - 1);
  EXPECT_EQ(highest.drawn(), 2U);
  Words64 highest64{0, ones64};
  EXPECT_EQ(uniform_below(highest64, ones64), ones64 - 1);
  EXPECT_EQ(highest64.drawn(), 2U);

  // 2^64 mod (2^63 + 1) = 2^63 - 1: about half of the words are rejected.
  constexpr std::uint64_t half = (std::uint64_t{1} << 63) + 1;
  Words64 alternating{0, 1, 2, 3, ones64};
  EXPECT_EQ(uniform_below(alternating, half), 0U);
  EXPECT_EQ(alternating.drawn(), 2U);
  EXPECT_EQ(uniform_below(alternating, half), 1U);
  EXPECT_EQ(alternating.drawn(), 4U);
  EXPECT_EQ(uniform_below(alternating, half), half - 1);

  constexpr std::uint64_t power = std::uint64_t{1} << 63;  // powers of two never reject
  Words64 bits{0, 1, ones64};
  EXPECT_EQ(uniform_below(bits, power), 0U);
  EXPECT_EQ(uniform_below(bits, power), 0U);
  EXPECT_EQ(uniform_below(bits, power), power - 1);
}

template <class Draw>
double die_p_value(std::uint64_t faces, Draw&& draw) {
  constexpr std::uint64_t rolls = 200'000;
  std::vector<std::uint64_t> counts(faces, 0);
  for (std::uint64_t i = 0; i < rolls; ++i) ++counts.at(draw());
  const std::vector<double> fair(faces, 1.0 / static_cast<double>(faces));
  return verification::chi_squared(counts, fair).p_value;
}

template <class Engine>
void expect_fair_dice(Engine engine) {
  for (const std::uint32_t n : {2U, 6U, 10U, 100U}) {
    EXPECT_GT(die_p_value(n, [&] { return uniform_below(engine, n); }), level) << n;
    EXPECT_GT(die_p_value(n, [&] { return uniform_below(engine, std::uint64_t{n}); }), level) << n;
  }
}

TEST(UniformIntegers, FairDice) {
  expect_fair_dice(PhiloxEngine<10>(RandomState{1, 0}));
  expect_fair_dice(XorwowEngine(2));
  expect_fair_dice(mersenne_twister(3));
}

// A 4-bit modulo favours the first 6 of 10 faces.
TEST(UniformIntegers, TestOfFairnessCatchesTheModulo) {
  PhiloxEngine<10> engine(RandomState{1, 0});
  EXPECT_LT(die_p_value(10, [&] { return (engine() >> 60) % 10; }), level);
}

template <class Engine>
void run_other_libraries(Engine engine) {
  std::uniform_int_distribution<std::size_t> standard(0, 9);
  EXPECT_GT(die_p_value(10, [&] { return standard(engine); }), level);
  boost::random::uniform_int_distribution<std::size_t> boosts(0, 9);
  EXPECT_GT(die_p_value(10, [&] { return boosts(engine); }), level);
  boost::random::uniform_real_distribution<double> real(0, 10);
  EXPECT_GT(die_p_value(10, [&] { return static_cast<std::size_t>(real(engine)); }), level);
  std::discrete_distribution<std::size_t> discrete{1, 1, 1, 1};
  EXPECT_GT(die_p_value(4, [&] { return discrete(engine); }), level);
}

TEST(Generator, DistributionsOfOtherLibrariesRunOnIt) {
  run_other_libraries(PhiloxEngine<7>(RandomState{4, 0}));
  run_other_libraries(XorwowEngine(5));
}

TEST(QuasiRandom, SobolsFirstDimensionHasTheKnownPointsAndOneInEachInterval) {
  std::array<unsigned long long, 64> directions{};
  first_sobol_directions(directions);
  constexpr std::array<std::uint64_t, 8> eighths{0, 4, 6, 2, 3, 7, 5, 1};
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(sobol_word(directions, k), eighths[k] << 61);
  for (const std::uint64_t first : {0U, 256U, 768U}) {
    std::set<std::uint64_t> intervals;
    for (std::uint64_t k = first; k < first + 256; ++k) {
      intervals.insert(sobol_word(directions, k) >> 56);
    }
    EXPECT_EQ(intervals.size(), 256U);
  }
  // The same points as the radical inverse, in another order.
  for (std::uint64_t k = 0; k < 1000; ++k) {
    EXPECT_EQ(sobol_word(directions, k), radical_inverse(k ^ (k >> 1), 2));
  }
}

TEST(Normal, ExtremeWordsGiveFiniteDeviates) {
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  ScriptedGenerator<std::uint64_t> words{0, 0, ones, 0};
  EXPECT_NEAR(standard_normal(words), std::sqrt(2 * 53 * std::log(2.0)), 1e-12);
  EXPECT_EQ(standard_normal(words), 0.0);
}

TEST(Normal, TenthsOfTheDistributionAreEquallyLikely) {
  PhiloxEngine<10> engine(RandomState{6, 0});
  const auto face = [](double x) {
    return std::min<std::size_t>(9, static_cast<std::size_t>(5 * std::erfc(-x / std::sqrt(2.0))));
  };
  EXPECT_GT(die_p_value(10, [&] { return face(standard_normal(engine)); }), level);
  EXPECT_LT(die_p_value(10, [&] { return face(1.02 * standard_normal(engine)); }), level);
}

}  // namespace
}  // namespace wrsgpu::random
