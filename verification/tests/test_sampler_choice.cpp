// The rule of the automatic choice, applied to the record that it comes from.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "wrsgpu/sampling/sampler_choice.hpp"

namespace wrsgpu {
namespace {

/// The device of the record: an H200.
constexpr SamplingDevice device{132, 233'472, 60 << 20};
constexpr std::size_t row_bytes = 16;

/// Samples a second by sampler, for each number of rows and of samples.
using Heatmap = std::map<std::pair<Index, std::uint64_t>, std::map<std::string, double>>;

std::vector<std::string> parts_of(const std::string& name) {
  std::istringstream in(name);
  std::vector<std::string> parts;
  for (std::string part; std::getline(in, part, '/');) parts.push_back(part);
  return parts;
}

Heatmap recorded() {
  std::ifstream file(WRSGPU_HEATMAP);
  Heatmap heatmap;
  const nlohmann::json record = nlohmann::json::parse(file);
  for (const auto& row : record.at("benchmarks")) {
    if (row.value("aggregate_name", "") != "median") continue;
    // sample/<sampler>/<distribution>/<N>/<samples>
    const std::vector<std::string> parts = parts_of(row.at("name").get<std::string>());
    heatmap[{static_cast<Index>(std::stoul(parts.at(3))), std::stoull(parts.at(4))}][parts.at(1)] =
        row.at("items_per_second").get<double>();
  }
  return heatmap;
}

TEST(SamplerChoice, IsWithin15PercentOfTheBest) {
  const Heatmap heatmap = recorded();
  ASSERT_GE(heatmap.size(), 50U);
  for (const auto& [point, rates] : heatmap) {
    const auto& [rows, samples] = point;
    const std::string choice(choose_sampler(rows, rows * row_bytes, samples, device));
    ASSERT_TRUE(rates.contains(choice)) << choice;
    double best = 0;
    for (const auto& [sampler, rate] : rates) best = std::max(best, rate);
    EXPECT_LE(best, 1.15 * rates.at(choice))
        << rows << " rows, " << samples << " samples: " << choice;
  }
}

TEST(SamplerChoice, ScalesWithTheDevice) {
  const auto choice = [](std::uint64_t samples, std::uint64_t multiprocessors) {
    return choose_sampler(1'000'000, 16'000'000, samples, {multiprocessors, 100'000, 1'000'000});
  };
  EXPECT_EQ(choice(5'000'000, 132), "baseline");
  EXPECT_EQ(choice(5'000'000, 46), "cached_limited");
  EXPECT_EQ(choice(200'000'000, 132), "cached_limited");
  EXPECT_EQ(choice(200'000'000, 46), "shared_memory");
  // Where the table fits in the shared cache, sections pay later.
  EXPECT_EQ(choose_sampler(1'000'000, 16'000'000, 10'000'000, {132, 100'000, 1'000'000}),
            "cached_limited");
  EXPECT_EQ(choose_sampler(1'000'000, 16'000'000, 10'000'000, device), "baseline");
  EXPECT_EQ(choose_sampler(1000, 16'000, 1'000'000'000, device), "baseline");
}

}  // namespace
}  // namespace wrsgpu
