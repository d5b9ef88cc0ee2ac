// Sampling from shards, on simulated ranks. The statistical tests have the false-alarm rate of
// `suite_budget`, over the choice of seeds (which are fixed).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "count_law.hpp"
#include "error_message.hpp"
#include "refused_allocations.hpp"
#include "sharded_weights.hpp"
#include "verification/exact_sum.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/independence.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/sharding/shards.hpp"
#include "wrsgpu/sharded_sampler.hpp"
#include "wrsgpu/simulated_ranks.hpp"

namespace wrsgpu {
namespace {

using verification::Counts;
using verification::suite_budget;
using verification::detail::DoubleDouble;
using Samples = std::vector<std::uint64_t>;

constexpr double level = suite_budget.level();

/// use(sampler, rank) on each rank.
template <class T, class Use>
void on_ranks(const ShardedWeights<T>& weights, const Use& use,
              const WeightedSamplerOptions& options = {.threads = 1}) {
  run_ranks(weights.ranks(), [&](HostCommunicator& communicator) {
    const unsigned rank = communicator.rank();
    const ShardedSampler sampler(weights.shards[rank], communicator, options);
    use(sampler, rank);
  });
}

Samples local_samples(const ShardedSampler& sampler, std::uint64_t samples, RandomState state) {
  Samples out(sampler.count_local(samples, state) + 1, 77);
  EXPECT_EQ(sampler.draw_local(out, samples, state), out.size() - 1);
  EXPECT_EQ(out.back(), 77U);
  out.pop_back();
  return out;
}

/// The messages of the exceptions that work(communicator) throws on each rank.
template <class Work>
std::vector<std::string> messages_of_ranks(unsigned ranks, const Work& work) {
  std::vector<std::string> messages(ranks);
  run_ranks(ranks, [&](HostCommunicator& communicator) {
    messages[communicator.rank()] = error_of([&] { work(communicator); });
  });
  return messages;
}

// The definition of shards.hpp, literally.
struct Part {
  WideInteger sum;
  int shift;
};

Part normalised_part(Part part) {
  if (part.sum == 0) return part;
  while (part.sum >> 62 != 0) {
    part.sum >>= 1;
    --part.shift;
  }
  return part;
}

/// The prefix sums of the parts in the coarsest unit, which is that of the last element.
std::vector<Part> prefix_sums(const std::vector<Part>& parts) {
  int shift = std::numeric_limits<int>::max();
  for (const Part& part : parts) {
    if (part.sum > 0) shift = std::min(shift, part.shift);
  }
  std::vector<Part> sums;
  WideInteger sum = 0;
  for (const Part& part : parts) {
    if (part.sum > 0 && part.shift - shift < 64) sum += part.sum >> (part.shift - shift);
    sums.push_back({sum, shift});
  }
  return sums;
}

template <class T>
Part weight_of_shard(const std::vector<T>& shard) {
  std::vector<Part> tiles;
  for (std::size_t begin = 0; begin < shard.size(); begin += 2048) {
    const auto from = shard.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto to =
        shard.begin() + static_cast<std::ptrdiff_t>(std::min(begin + 2048, shard.size()));
    const auto largest = static_cast<double>(*std::max_element(from, to));
    Part tile{0, 0};
    if (largest > 0) {
      tile.shift = 61 - std::ilogb(largest);
      for (auto w = from; w < to; ++w) {
        tile.sum += static_cast<std::uint64_t>(std::ldexp(static_cast<double>(*w), tile.shift));
      }
    }
    tiles.push_back(normalised_part(tile));
  }
  if (tiles.empty()) return {0, 0};
  return normalised_part(prefix_sums(tiles).back());
}

template <class T>
Samples masses_of_shards(const ShardedWeights<T>& weights) {
  std::vector<Part> shards;
  for (const auto& shard : weights.shards) shards.push_back(weight_of_shard(shard));
  const std::vector<Part> sums = prefix_sums(shards);
  const int digits = sums.back().shift - normalised_part(sums.back()).shift;
  Samples masses;
  std::uint64_t before = 0;
  for (const Part& sum : sums) {
    masses.push_back(static_cast<std::uint64_t>(sum.sum >> digits) - before);
    before += masses.back();
  }
  return masses;
}

DoubleDouble sum_of(const std::vector<double>& weights) {
  DoubleDouble sum;
  for (const double w : weights) sum = sum + DoubleDouble{w, 0};
  return sum;
}

template <class T>
class ShardMasses : public testing::Test {};
using WeightTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(ShardMasses, WeightTypes);

TYPED_TEST(ShardMasses, AreThoseOfTheDefinitionAndWithinTheBound) {
  for (const auto& weights : adversarial_shards<TypeParam>()) {
    const Samples expected = masses_of_shards(weights);
    std::vector<Samples> found(weights.ranks());
    on_ranks(weights, [&](const ShardedSampler& sampler, unsigned rank) {
      std::uint64_t first = 0;
      for (unsigned r = 0; r < rank; ++r) first += weights.shards[r].size();
      EXPECT_EQ(sampler.first_item(), first);
      EXPECT_EQ(sampler.shard_size(), weights.shards[rank].size());
      EXPECT_EQ(sampler.size(), weights.all().size());
      for (unsigned r = 0; r < weights.ranks(); ++r) found[rank].push_back(sampler.shard_mass(r));
    });
    for (const Samples& masses : found) EXPECT_EQ(masses, expected);
    const std::uint64_t total = std::reduce(expected.begin(), expected.end());
    EXPECT_EQ(total >> 61, 1U);
    const DoubleDouble all = sum_of(weights.all());
    for (unsigned r = 0; r < weights.ranks(); ++r) {
      const auto& shard = weights.shards[r];
      const DoubleDouble share = sum_of({shard.begin(), shard.end()}) / all;
      const DoubleDouble mass = {static_cast<double>(expected[r] >> 32) * 0x1p32,
                                 static_cast<double>(expected[r] & 0xFFFF'FFFFU)};
      const DoubleDouble whole = {static_cast<double>(total >> 32) * 0x1p32,
                                  static_cast<double>(total & 0xFFFF'FFFFU)};
      const double error = std::abs((mass / whole - share).value());
      EXPECT_LT(error, 0x1p-60 + 0x1p-38 * share.value());
      EXPECT_TRUE(share.value() > 0 || expected[r] == 0);
    }
  }
}

TEST(Shards, TogetherHaveTheDistributionOfAllWeights) {
  constexpr std::uint64_t samples = 300'000;
  for (const auto& weights : adversarial_shards<double>()) {
    const std::vector<double> p = verification::expected_probabilities(weights.all());
    const auto items = static_cast<Index>(p.size());
    Counts local(items);
    std::vector<Counts> histograms(weights.ranks());
    std::vector<Samples> scattered(weights.ranks(), Samples(samples));
    std::vector<Samples> kept(weights.ranks());
    on_ranks(weights, [&](const ShardedSampler& sampler, unsigned rank) {
      kept[rank] = local_samples(sampler, samples, {5, 1000});
      histograms[rank].resize(sampler.shard_size());
      sampler.histogram(histograms[rank], samples, {5, 1000});
      sampler.draw_scattered(scattered[rank], {6, 0});
    });
    for (unsigned rank = 0, first = 0; rank < weights.ranks(); ++rank) {
      Counts own(weights.shards[rank].size());
      for (const std::uint64_t item : kept[rank]) ++own.at(item - first);
      EXPECT_EQ(own, histograms[rank]);
      std::ranges::copy(own, local.begin() + first);
      first += static_cast<unsigned>(own.size());
    }
    EXPECT_EQ(std::reduce(local.begin(), local.end()), samples);
    EXPECT_TRUE(verification::chi_squared(local, p, 20).passes(level));
    EXPECT_TRUE(verification::worst_item(local, p).passes(level));
    for (const Samples& own : scattered) {
      const std::vector<Index> narrow(own.begin(), own.end());
      const Counts counts = verification::count_samples(narrow, items);
      EXPECT_TRUE(verification::chi_squared(counts, p, 20).passes(level));
      EXPECT_TRUE(verification::worst_item(counts, p).passes(level));
      EXPECT_TRUE(verification::pair_independence(narrow, p).passes(level));
    }
    if (weights.ranks() == 1) continue;
    // The samples of other ranks, and those of other states, are others.
    EXPECT_TRUE(items < 16 || scattered[0] != scattered[1]);
  }
}

TEST(Shards, FaultsOfADrawAreFound) {
  const auto weights = cut<double>("uniform", {100, 5000, 16, 3, 700});
  const std::vector<double> p = verification::expected_probabilities(weights.all());
  constexpr std::uint64_t samples = 300'000;
  std::vector<Samples> kept(weights.ranks());
  on_ranks(weights, [&](const ShardedSampler& sampler, unsigned rank) {
    kept[rank] = local_samples(sampler, samples, {5, 0});
  });
  std::vector<Index> all;
  for (const Samples& own : kept) all.insert(all.end(), own.begin(), own.end());
  const auto fits = [&](const std::vector<Index>& drawn) {
    return verification::chi_squared(
               verification::count_samples(drawn, static_cast<Index>(p.size())), p, 20)
        .passes(level);
  };
  const std::vector<Index> sizes = {100, 5000, 16, 3, 700};
  const auto by_shard = [&](const auto& items) {
    std::vector<typename std::decay_t<decltype(items)>::value_type> sums;
    auto from = items.begin();
    for (const Index size : sizes) {
      sums.push_back(std::reduce(from, from + size));
      from += size;
    }
    return sums;
  };
  const auto shards_fit = [&](const std::vector<Index>& drawn) {
    const Counts counts = verification::count_samples(drawn, static_cast<Index>(p.size()));
    return verification::chi_squared(by_shard(counts), by_shard(p), 20).passes(level);
  };
  EXPECT_TRUE(fits(all));
  EXPECT_TRUE(shards_fit(all));
  // Without the order of a scattered draw: samples by rank.
  EXPECT_FALSE(verification::pair_independence(all, p).passes(level));
  // A shard that is drawn from too often by one in twenty.
  std::vector<Index> biased = all;
  biased.insert(biased.end(), kept[4].begin(), kept[4].begin() + 2000);
  EXPECT_FALSE(shards_fit(biased));
  // One item too far.
  std::vector<Index> shifted = all;
  for (std::size_t i = kept[0].size(); i < shifted.size(); ++i) {
    shifted[i] = std::min<Index>(shifted[i] + 1, static_cast<Index>(p.size()) - 1);
  }
  EXPECT_FALSE(fits(shifted));
}

TEST(ShardCounts, AreMultinomial) {
  // Both halves of the tree divide their samples again.
  const ShardedWeights<double> weights{{{1, 2}, {1}, {4, 0.5, 0.5}, {}, {1}}};
  const CountLaw law = multinomial_law({0.3, 0.1, 0.5, 0, 0.1}, 4);
  on_ranks(weights, [&](const ShardedSampler& sampler, unsigned rank) {
    if (rank != 2) return;
    const auto counts_of = [&](RandomState state) {
      Counts counts(5);
      sampler.shard_histogram(counts, 4, state);
      return counts;
    };
    constexpr std::uint64_t states = 100'000;
    EXPECT_GE(count_law_p(law, states, [&](std::uint64_t k) { return counts_of({k, 0}); }), level);
    EXPECT_GE(count_law_p(law, states,
                          [&](std::uint64_t k) {
                            return counts_of({9, 4 * k});
                          }),
              level);
    // Planted: the most likely counts come a little more often.
    EXPECT_LT(count_law_p(law, states,
                          [&](std::uint64_t k) {
                            return k % 50 == 0 ? Counts{1, 0, 3, 0, 0} : counts_of({k, 0});
                          }),
              level);
  });
}

TEST(ShardCounts, OfDestinationsAreIndependent) {
  const ShardedWeights<double> weights{{{1}, {3}}};
  // The samples of shard 0 at each of two destinations.
  CountLaw law;
  for (const std::uint64_t a : {0U, 1U, 2U}) {
    for (const std::uint64_t b : {0U, 1U, 2U}) {
      const auto p = [](std::uint64_t k) { return k == 0 ? 0.5625 : k == 1 ? 0.375 : 0.0625; };
      law[{a, b}] = p(a) * p(b);
    }
  }
  on_ranks(weights, [&](const ShardedSampler& sampler, unsigned rank) {
    if (rank > 0) return;
    const auto row = [&](std::uint64_t seed) {
      Counts both;
      for (const unsigned to : {0U, 1U}) {
        Counts column(2);
        sampler.shard_histogram(column, 2, detail::Shards::destination(to, 2, {seed, 3}));
        both.push_back(column[0]);
      }
      return both;
    };
    EXPECT_GE(count_law_p(law, 100'000, row), level);
    EXPECT_LT(count_law_p(law, 100'000,
                          [&](std::uint64_t seed) {
                            const Counts both = row(seed);
                            return seed % 20 == 0 ? Counts{both[0], both[0]} : both;
                          }),
              level);
  });
}

/// Shards of these weights, as reports of so many ranks.
detail::Shards shards_of(const std::vector<std::uint64_t>& masses) {
  using Reports = detail::Reports<detail::ShardReport>;
  std::vector<Reports::Entry> entries;
  entries.reserve(masses.size());
  for (const std::uint64_t mass : masses) {
    entries.push_back({{1, {mass, 0}}, detail::Failure::none});
  }
  detail::Shards shards;
  shards.reset(static_cast<unsigned>(masses.size()));
  shards.assign(Reports(std::as_bytes(std::span(entries))));
  return shards;
}

TEST(ShardCounts, RowsAndColumnsAreOfOneMatrix) {
  for (const unsigned ranks : {1U, 2U, 3U, 7U, 64U, 1000U, 4096U}) {
    std::vector<std::uint64_t> masses(ranks);
    for (unsigned r = 0; r < ranks; ++r) masses[r] = (r * 7919ULL % 1000) << 40;
    masses[ranks / 2] = std::uint64_t{1} << 61;
    const detail::Shards shards = shards_of(masses);
    for (const std::uint64_t samples : {0ULL, 1ULL, 100ULL, 1ULL << 40}) {
      if (ranks > 64 && samples > 100) continue;
      constexpr RandomState state{3, (std::uint64_t{1} << 63) + 5};
      const unsigned step = std::max(1U, ranks / 5);
      std::vector<Counts> rows;
      for (unsigned rank = 0; rank < ranks; rank += step) {
        shards.count_row(rank, samples, state, rows.emplace_back(ranks));
      }
      for (unsigned to = 0; to < ranks; to += step) {
        Counts column(ranks);
        const RandomState destination = detail::Shards::destination(to, samples, state);
        shards.count(samples, destination, column);
        EXPECT_EQ(std::reduce(column.begin(), column.end()), samples);
        for (unsigned row = 0; row < rows.size(); ++row) {
          ASSERT_EQ(rows[row][to], column[std::size_t{row} * step])
              << ranks << " " << row << " " << to;
        }
        for (unsigned r = 0; r < ranks; ++r) {
          ASSERT_TRUE(masses[r] > 0 || column[r] == 0);
        }
      }
    }
  }
}

TEST(ShardDraws, DependOnTheStateAndTheShardsAlone) {
  const auto weights = cut<float>("powerlaw_1_shuffled", {3000, 1, 200'000, 0, 70'000});
  constexpr RandomState state{11, (std::uint64_t{1} << 40) + 7};
  constexpr std::uint64_t samples = 200'001;
  std::vector<Samples> local(5);
  std::vector<Samples> scattered(5, Samples(40'000));
  for (const unsigned threads : {1U, 3U}) {
    const WeightedSamplerOptions options{.generator = Generator::philox7, .threads = threads};
    on_ranks(
        weights,
        [&](const ShardedSampler& sampler, unsigned rank) {
          const Samples drawn = local_samples(sampler, samples, state);
          Samples received(40'000);
          sampler.draw_scattered(received, state);
          if (threads == 1) {
            local[rank] = drawn;
            scattered[rank] = received;
          }
          EXPECT_EQ(drawn, local[rank]);
          EXPECT_EQ(received, scattered[rank]);
          // Those of the shard's own sampler, in a stream of the rank.
          if (drawn.empty()) return;
          const WeightedSampler own(weights.shards[rank], options);
          Samples expected(drawn.size());
          own.draw(expected, detail::state_of_rank(rank, state));
          for (std::uint64_t& item : expected) item += sampler.first_item();
          EXPECT_EQ(drawn, expected);
        },
        options);
  }
  // As many samples of each shard as the columns of the counts say, which a local draw shows.
  std::vector<std::uint64_t> first = {0, 3000, 3001, 203'001, 203'001, 273'001};
  on_ranks(weights, [&](const ShardedSampler& sampler, unsigned rank) {
    Counts column(5);
    sampler.shard_histogram(column, 40'000,
                            {state.seed, state.offset + std::uint64_t{rank} * 40'000});
    // What all get of this shard are consecutive samples of its stream, each of them once.
    Samples given;
    for (const Samples& received : scattered) {
      std::ranges::copy_if(received, std::back_inserter(given), [&](std::uint64_t item) {
        return item >= first[rank] && item < first[rank + 1];
      });
    }
    if (!given.empty()) {
      const WeightedSampler own(weights.shards[rank], {.generator = Generator::philox7});
      Samples expected(given.size());
      own.draw(expected, detail::state_of_rank(rank, state));
      for (std::uint64_t& item : expected) item += first[rank];
      std::ranges::sort(given);
      std::ranges::sort(expected);
      EXPECT_EQ(given, expected);
    }
    for (unsigned from = 0; from < 5; ++from) {
      EXPECT_EQ(std::ranges::count_if(scattered[rank],
                                      [&](std::uint64_t item) {
                                        return item >= first[from] && item < first[from + 1];
                                      }),
                column[from]);
    }
  });
}

TEST(ShardDraws, OfRanksAreIndependent) {
  const auto shard = verification::find_weight_family("uniform").make(64);
  std::vector<Samples> local(2);
  on_ranks(ShardedWeights<double>{{shard, shard}},
           [&](const ShardedSampler& sampler, unsigned rank) {
             local[rank] = local_samples(sampler, 400'000, {3, 0});
           });
  const std::vector<double> p = verification::expected_probabilities(shard);
  // Pairs of two ranks' samples of the same number.
  const auto paired = [&](const Samples& first, const Samples& second) {
    std::vector<Index> pairs;
    for (std::size_t k = 0; k < std::min(first.size(), second.size()); ++k) {
      pairs.push_back(static_cast<Index>(first[k] % 64));
      pairs.push_back(static_cast<Index>(second[k] % 64));
    }
    return pairs;
  };
  EXPECT_TRUE(verification::pair_independence(paired(local[0], local[1]), p).passes(level));
  EXPECT_FALSE(verification::pair_independence(paired(local[0], local[0]), p).passes(level));
  // Scattered draws have orders of their own: without, one rank would have what the other has not.
  on_ranks(ShardedWeights<double>{{{1}, {1}}}, [&](const ShardedSampler& sampler, unsigned rank) {
    local[rank].resize(20'000);
    sampler.draw_scattered(local[rank], {3, 0});
  });
  const std::vector<double> halves = {0.5, 0.5};
  EXPECT_TRUE(verification::pair_independence(paired(local[0], local[1]), halves).passes(level));
  EXPECT_FALSE(verification::pair_independence(paired(local[0], local[0]), halves).passes(level));
}

/// Rank 3 of four, the others of which say that they have as many items as a shard can have.
class BehindLargeShards final : public HostCommunicator {
 public:
  BehindLargeShards() : HostCommunicator(3, 4) {}
  void all_to_all(std::span<const std::uint64_t> /*send*/,
                  std::span<const std::uint64_t> /*send_counts*/,
                  std::span<std::uint64_t> /*receive*/,
                  std::span<const std::uint64_t> /*receive_counts*/) override {}

 private:
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    detail::Reports<detail::ShardReport>::Entry entry;
    ASSERT_EQ(mine.size(), sizeof entry);
    std::memcpy(&entry, mine.data(), sizeof entry);
    for (unsigned other = 0; other < 4; ++other) {
      entry.report.items = other == rank() ? 1000 : max_items;
      std::memcpy(all.data() + other * sizeof entry, &entry, sizeof entry);
    }
  }
};

TEST(ShardDraws, HaveNumbersOf64Bits) {
  BehindLargeShards communicator;
  const std::vector<double> weights(1000, 1);
  const ShardedSampler sampler(weights, communicator);
  constexpr std::uint64_t first = 3 * std::uint64_t{max_items};
  EXPECT_EQ(sampler.first_item(), first);
  EXPECT_EQ(sampler.size(), first + 1000);
  const Samples samples = local_samples(sampler, 4000, {1, 0});
  EXPECT_NEAR(static_cast<double>(samples.size()), 1000, 6 * 27.4);  // 6 standard deviations
  for (const std::uint64_t sample : samples) {
    EXPECT_GE(sample, first);
    EXPECT_LT(sample, first + 1000);
  }
  Counts counts(1000, 7);
  sampler.histogram(counts, 0, {1, 0});
  EXPECT_EQ(counts, Counts(1000, 0));
}

TEST(ShardDraws, OfNothingAndOfTooLittleRoom) {
  const ShardedWeights<double> weights{{{1, 2}, {}, {0}}};
  on_ranks(weights, [&](const ShardedSampler& sampler, unsigned rank) {
    EXPECT_EQ(sampler.draw_local({}, 0, {1, 0}), 0U);
    sampler.draw_scattered({}, {1, 0});
    const std::uint64_t count = rank == 0 ? 5 : 0;
    EXPECT_EQ(sampler.count_local(5, {1, 0}), count);
    Samples out(4, 77);
    const std::string message = error_of([&] { sampler.draw_local(out, 5, {1, 0}); });
    EXPECT_EQ(message, rank > 0 ? "no error"
                                : "draw_local: argument 'out' has 4 elements, but 5 samples are of "
                                  "this rank's shard");
    EXPECT_EQ(out, Samples(4, 77));
    Counts counts(sampler.shard_size() + 1);
    EXPECT_NE(error_of([&] { sampler.histogram(counts, 5, {}); }), "no error");
    Counts shards(2);
    EXPECT_NE(error_of([&] { sampler.shard_histogram(shards, 5, {}); }), "no error");
  });
}

TEST(ShardFailures, AreThrownOnEveryRank) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const double most = std::numeric_limits<double>::max();
  const auto check = [](const ShardedWeights<double>& weights, const std::string& expected) {
    const auto messages = messages_of_ranks(weights.ranks(), [&](HostCommunicator& communicator) {
      const ShardedSampler sampler(weights.shards[communicator.rank()], communicator);
    });
    for (const std::string& message : messages) EXPECT_EQ(message, expected);
  };
  check({{{1}, {2, nan}, {3}}}, "rank 1: argument 'weights': weight 1 is not a number (nan)");
  check({{{1}, {2}, {3, infinity}}}, "rank 2: argument 'weights': weight 1 is infinite (inf)");
  check({{{1, -1}, {2}, {-3}}}, "rank 0: argument 'weights': weight 1 is negative (-1)");
  check({{{1}, {most, most}}},
        "rank 1: argument 'weights': the sum of all 2 overflows double precision (the largest is "
        "1.7976931348623157e+308)");
  check({{{0}, {}, {0, 0}}}, "argument 'weights': no rank has a positive weight");
  check({{{}}}, "argument 'weights': no rank has a positive weight");
  check({{{most}, {0, 0}, {}, {most, 0}}}, "no error");
  // In memory of the wrong kind.
  const std::vector<float> weights = {1, 2};
  const auto messages = messages_of_ranks(2, [&](HostCommunicator& communicator) {
    const WeightsView view = communicator.rank() == 0
                                 ? WeightsView(weights)
                                 : WeightsView::on_device(std::span<const float>(weights));
    const ShardedSampler sampler(view, communicator);
  });
  for (const std::string& message : messages) {
    EXPECT_EQ(message, "rank 1: argument 'weights' is in cuda memory; cpu memory is needed");
  }
}

TEST(ShardFailures, OfDifferentDrawsAreThrownOnEveryRank) {
  const ShardedWeights<double> weights{{{1}, {2}, {3}}};
  const auto messages = messages_of_ranks(3, [&](HostCommunicator& communicator) {
    const ShardedSampler sampler(weights.shards[communicator.rank()], communicator);
    Samples out(communicator.rank() == 2 ? 11 : 10);
    sampler.draw_scattered(out, {1, 4});
  });
  for (const std::string& message : messages) {
    EXPECT_EQ(message,
              "draw_scattered: rank 0 draws 10 samples of seed 1, offset 4, but rank 2 draws 11 "
              "samples of seed 1, offset 4; all ranks must draw the same");
  }
  for (const RandomState other : {RandomState{2, 4}, RandomState{1, 5}}) {
    const auto of_states = messages_of_ranks(3, [&](HostCommunicator& communicator) {
      const ShardedSampler sampler(weights.shards[communicator.rank()], communicator);
      Samples out(10);
      sampler.draw_scattered(out, communicator.rank() == 1 ? other : RandomState{1, 4});
    });
    for (const std::string& message : of_states) {
      EXPECT_NE(message.find("but rank 1 draws 10 samples of seed " + std::to_string(other.seed) +
                             ", offset " + std::to_string(other.offset)),
                std::string::npos)
          << message;
    }
  }
}

TEST(ShardFailures, BeforeACallAreThrownOnEveryRank) {
  for (const bool while_drawing : {false, true}) {
    const auto messages = messages_of_ranks(3, [&](HostCommunicator& communicator) {
      const auto fails = [&] {
        if (communicator.rank() == 1) {
          fail_on_all_ranks(communicator, std::make_exception_ptr(Error("no such file")));
        }
      };
      if (!while_drawing) fails();
      const ShardedSampler sampler(std::vector<double>{1}, communicator);
      Samples out(10);
      fails();
      sampler.draw_scattered(out, {});
    });
    for (const std::string& message : messages) EXPECT_EQ(message, "rank 1: no such file");
  }
}

/// work(communicator, arm) on three ranks, where the allocations of rank 1 fail, one after the
/// other, from its call of arm() on. All ranks must throw `OutOfMemory`, or none.
template <class Work>
void refuse_each_of_rank_1(const Work& work) {
  only_marked_threads = true;
  for (long before = 0;; ++before) {
    ASSERT_LT(before, 200);
    std::atomic<int> thrown = 0;
    was_refused = false;
    run_ranks(3, [&](HostCommunicator& communicator) {
      is_marked = communicator.rank() == 1;
      try {
        work(communicator, [&] {
          if (is_marked) allocations_left = before;
        });
      } catch (const OutOfMemory& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("rank 1: ")) << error.what();
        ++thrown;
      }
      if (is_marked) allocations_left = -1;
    });
    ASSERT_EQ(thrown, was_refused ? 3 : 0) << before;
    if (was_refused) continue;
    EXPECT_GT(before, 2);
    return;
  }
}

TEST(ShardFailures, OfMemoryAreThrownOnEveryRank) {
  const auto weights = cut<float>("uniform", {1000, 5000, 3});
  refuse_each_of_rank_1([&](HostCommunicator& communicator, const auto& arm) {
    arm();
    const ShardedSampler sampler(weights.shards[communicator.rank()], communicator, {.threads = 1});
  });
  refuse_each_of_rank_1([&](HostCommunicator& communicator, const auto& arm) {
    const ShardedSampler sampler(weights.shards[communicator.rank()], communicator, {.threads = 1});
    Samples out(100);
    arm();
    sampler.draw_scattered(out, {1, 0});
  });
}

TEST(ShardFailures, OfARebuildLeaveNoTable) {
  const auto old = cut<double>("uniform", {1000, 5000, 3});
  const ShardedWeights<double> next{{{1, 2}, {0, 0, 0}, {3}}};
  run_ranks(3, [&](HostCommunicator& communicator) {
    const unsigned rank = communicator.rank();
    const auto drawn = [](const ShardedSampler& sampler) {
      Samples samples(100);
      sampler.draw_scattered(samples, {7, 0});
      Counts counts(sampler.shard_size());
      sampler.histogram(counts, 100, {8, 0});
      samples.insert(samples.end(), counts.begin(), counts.end());
      return samples;
    };
    ShardedSampler sampler(old.shards[rank], communicator);
    sampler.rebuild(next.shards[rank]);
    EXPECT_EQ(drawn(sampler), drawn(ShardedSampler(next.shards[rank], communicator)));
    const auto check_failure = [&](const std::string& thrown, const std::string& expected) {
      EXPECT_EQ(thrown, expected);
      EXPECT_EQ(sampler.size(), 0U);
      const std::string message =
          "the sampler has no tables: its last rebuild failed; build them again";
      EXPECT_EQ(error_of([&] { sampler.draw_local({}, 1, {}); }), message);
      EXPECT_EQ(error_of([&] { drawn(sampler); }), "rank 0: " + message);
      sampler.rebuild(old.shards[rank]);
      EXPECT_EQ(drawn(sampler), drawn(ShardedSampler(old.shards[rank], communicator)));
    };
    const std::vector<double> bad = {rank == 1 ? -1.0 : 1.0};
    check_failure(error_of([&] { sampler.rebuild(bad); }),
                  "rank 1: argument 'weights': weight 0 is negative (-1)");
    // On a rank that has no weights to rebuild from.
    check_failure(error_of([&] {
                    if (rank != 1) return sampler.rebuild(next.shards[rank]);
                    sampler.fail_rebuild(std::make_exception_ptr(Error("no such file")));
                  }),
                  "rank 1: no such file");
  });
}

TEST(SimulatedRanks, DoNotWaitForOneThatEnded) {
  const auto messages = messages_of_ranks(3, [&](HostCommunicator& communicator) {
    if (communicator.rank() == 1) throw Error("ended");
    const ShardedSampler sampler(std::vector<double>{1}, communicator);
  });
  EXPECT_EQ(messages[1], "ended");
  for (const unsigned rank : {0U, 2U}) {
    EXPECT_EQ(messages[rank], "another rank ended before it came to this exchange");
  }
  // Nor where the other one tries again.
  run_ranks(2, [](HostCommunicator& communicator) {
    if (communicator.rank() == 1) return;
    Samples numbers(2);
    for (int attempt = 0; attempt < 3; ++attempt) {
      EXPECT_EQ(error_of([&] {
                  communicator.all_to_all(numbers, Counts{1, 1}, numbers, Counts{1, 1});
                }),
                "another rank ended before it came to this exchange");
    }
  });
  EXPECT_EQ(error_of([] { run_ranks(0, [](HostCommunicator& /*unused*/) {}); }),
            "argument 'ranks' is 0; at least one is needed");
}

TEST(SimulatedRanks, FindNumbersThatDiffer) {
  const auto messages = messages_of_ranks(2, [&](HostCommunicator& communicator) {
    Samples send(2);
    Samples receive(2);
    const bool is_first = communicator.rank() == 0;
    communicator.all_to_all(send, Counts{1, 1}, receive, is_first ? Counts{1, 1} : Counts{2, 0});
  });
  EXPECT_EQ(messages[0], "no error");
  EXPECT_EQ(messages[1], "all_to_all: a rank sends another number than is received");
  const auto gathered = messages_of_ranks(2, [&](HostCommunicator& communicator) {
    const std::vector<std::byte> bytes(communicator.rank() == 0 ? 257 : 1);
    static_cast<void>(communicator.all_gather(bytes));
  });
  EXPECT_EQ(gathered[0], "all_gather: 257 bytes of a rank; 1 to 256 are supported");
}

}  // namespace
}  // namespace wrsgpu
