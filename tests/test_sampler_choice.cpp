// The rule of the automatic choice, applied to the record from which it was derived.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "sampling/sampler_choice.hpp"

namespace wrsgpu {
namespace {

/// The device of the record: an H200.
constexpr SamplingDevice device{132, 233'472, 60 << 20};

/// The variables of a rate besides the sampler: distribution, rows and samples.
using Point = std::tuple<std::string, Index, std::uint64_t>;
/// Samples per second by sampler.
using Rates = std::map<Point, std::map<std::string, double>>;

std::vector<std::string> parts_of(const std::string& name) {
  std::istringstream in(name);
  std::vector<std::string> parts;
  for (std::string part; std::getline(in, part, '/');) parts.push_back(part);
  return parts;
}

/// Considers only these samplers, or all if there are none.
Rates recorded(const char* record_file, const std::vector<std::string>& samplers = {}) {
  std::ifstream file(record_file);
  Rates rates;
  const nlohmann::json record = nlohmann::json::parse(file);
  for (const auto& row : record.at("benchmarks")) {
    // sample/<sampler>/<distribution>/<N>/<samples>
    const std::vector<std::string> parts = parts_of(row.at("name").get<std::string>());
    const std::string& sampler = parts.at(1);
    if (!samplers.empty() && std::count(samplers.begin(), samplers.end(), sampler) == 0) continue;
    const Point point{parts.at(2), static_cast<Index>(std::stoul(parts.at(3))),
                      std::stoull(parts.at(4))};
    rates[point][sampler] = row.at("items_per_second").get<double>();
  }
  return rates;
}

/// `choose` returns the name of a sampler for the numbers of rows and samples.
template <class Choose>
void expect_within_15_percent_of_the_best(const Rates& recorded, const Choose& choose) {
  for (const auto& [point, rates] : recorded) {
    const auto& [distribution, rows, samples] = point;
    const std::string choice(choose(rows, samples));
    ASSERT_TRUE(rates.contains(choice)) << choice;
    double best = 0;
    for (const auto& [sampler, rate] : rates) best = std::max(best, rate);
    EXPECT_LE(best, 1.15 * rates.at(choice))
        << distribution << ", " << rows << " rows, " << samples << " samples: " << choice;
  }
}

TEST(SamplerChoice, IsWithin15PercentOfTheBest) {
  const Rates rates = recorded(WRSGPU_HEATMAP);
  ASSERT_GE(rates.size(), 50U);
  expect_within_15_percent_of_the_best(rates, [](Index rows, std::uint64_t samples) {
    return choose_sampler(rows, rows * std::size_t{16}, samples, device);
  });
}

TEST(SamplerChoice, IsWithin15PercentOfTheBestWithSplitWords) {
  for (const std::string generator : {"", "_philox7"}) {
    Rates rates = recorded(WRSGPU_BEYOND_SAMPLING, {"direct" + generator, "sectioned" + generator});
    std::erase_if(rates, [](const auto& point) { return point.second.size() < 2; });  // no choice
    ASSERT_GE(rates.size(), 20U);
    expect_within_15_percent_of_the_best(rates, [&](Index rows, std::uint64_t samples) {
      return std::string(choose_split_word_sampler(rows, samples, device)) + generator;
    });
  }
}

TEST(SamplerChoice, IsWithin15PercentOfTheBestInRandomOrder) {
  for (const std::string generator : {"", "_philox7"}) {
    const Rates rates =
        recorded(WRSGPU_BEYOND_SAMPLING, {"direct" + generator, "direct_short" + generator});
    ASSERT_GE(rates.size(), 20U);
    expect_within_15_percent_of_the_best(rates, [&](Index rows, std::uint64_t samples) {
      const bool packs = are_worth_packing(rows, samples, device.l2_bytes);
      return (packs ? "direct_short" : "direct") + generator;
    });
  }
}

TEST(SamplerChoice, ScalesWithTheCacheInRandomOrder) {
  constexpr std::size_t l2_bytes = 60 << 20;
  EXPECT_TRUE(are_worth_packing(10'000'000, 10'000'000, l2_bytes));
  EXPECT_FALSE(are_worth_packing(10'000'000, 1'000'000, l2_bytes));
  EXPECT_TRUE(are_worth_packing(30'000'000, 15'000'000, l2_bytes));
  EXPECT_FALSE(are_worth_packing(30'000'000, 10'000'000, l2_bytes));
  EXPECT_FALSE(are_worth_packing(10'000'000, 10'000'000, 2 * l2_bytes));
  EXPECT_FALSE(are_worth_packing(32'000'000, 1'000'000'000, l2_bytes));
  EXPECT_TRUE(are_worth_packing(32'000'000, 1'000'000'000, 2 * l2_bytes));
  EXPECT_FALSE(are_worth_packing(5'000'000, 1'000'000'000, l2_bytes));
  EXPECT_TRUE(are_worth_packing(5'000'000, 1'000'000'000, l2_bytes / 2));
  EXPECT_FALSE(are_worth_packing(0xFFFF'FFFE, 1'000'000'000'000, l2_bytes));
}

TEST(SamplerChoice, ScalesWithTheDevice) {
  const auto choice = [](std::uint64_t samples, std::uint64_t multiprocessors) {
    return choose_sampler(1'000'000, 16'000'000, samples, {multiprocessors, 100'000, 1'000'000});
  };
  EXPECT_EQ(choice(5'000'000, 132), "baseline");
  EXPECT_EQ(choice(5'000'000, 46), "cached_limited");
  EXPECT_EQ(choice(200'000'000, 132), "cached_limited");
  EXPECT_EQ(choice(200'000'000, 46), "shared_memory");
  // If the table fits in the L2 cache, sections pay off only for more samples.
  EXPECT_EQ(choose_sampler(1'000'000, 16'000'000, 10'000'000, {132, 100'000, 1'000'000}),
            "cached_limited");
  EXPECT_EQ(choose_sampler(1'000'000, 16'000'000, 10'000'000, device), "baseline");
  EXPECT_EQ(choose_sampler(1000, 16'000, 1'000'000'000, device), "baseline");
}

TEST(SamplerChoice, ScalesWithTheDeviceWithSplitWords) {
  const auto choice = [](Index rows, std::uint64_t samples, std::uint64_t multiprocessors) {
    return choose_split_word_sampler(rows, samples, {multiprocessors, 233'472, 60 << 20});
  };
  EXPECT_EQ(choice(100'000, 3'500'000, 132), "direct");
  EXPECT_EQ(choice(100'000, 4'000'000, 132), "sectioned");
  EXPECT_EQ(choice(100'000, 3'500'000, 66), "sectioned");
  EXPECT_EQ(choice(100'000, 4'000'000, 264), "direct");
  // A table with a single section.
  EXPECT_EQ(choice(14'463, 900'000, 132), "direct");
  EXPECT_EQ(choice(14'463, 1'000'000, 132), "sectioned");
  EXPECT_EQ(choice(14'464, 1'000'000, 132), "direct");
  EXPECT_EQ(choice(1000, 900'000, 66), "sectioned");
  EXPECT_EQ(choice(1000, 1'000'000, 264), "direct");
  // Rows must be copied, on any device.
  EXPECT_EQ(choice(1'000'000'000, 80'000'000, 10), "direct");
  EXPECT_EQ(choice(1'000'000'000, 100'000'000, 10), "sectioned");
}

}  // namespace
}  // namespace wrsgpu
