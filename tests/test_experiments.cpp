#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>

#include "error_message.hpp"
#include "experiments/common/annealing.hpp"
#include "experiments/common/axes.hpp"
#include "experiments/common/cpu_floors.hpp"
#include "experiments/common/peak_memory.hpp"
#include "experiments/common/points.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"

namespace wrsgpu::experiments {
namespace {

Experiment sample_experiment() {
  return {.name = "sample",
          .summary = "an experiment",
          .defaults = {.sizes = {10, 20},
                       .distributions = {"uniform"},
                       .methods = {},
                       .samples = {},
                       .threads = {1},
                       .rows = {32, 64}},
          .series = {{"sweep", "sweep", {}}, {"sweep_fixed", "sweep", {}}, {"vose", "vose", {}}}};
}

CommandLine parse(const std::vector<const char*>& options) {
  std::vector<const char*> arguments(options.size() + 1, "sample");
  std::copy(options.begin(), options.end(), arguments.begin() + 1);
  return parse_command_line(sample_experiment(), static_cast<int>(arguments.size()),
                            arguments.data());
}

TEST(ParseCount, ReadsPlainDecimalAndBinaryPowers) {
  EXPECT_EQ(parse_count("1", "--sizes"), 1U);
  EXPECT_EQ(parse_count("1e6", "--sizes"), 1'000'000U);
  EXPECT_EQ(parse_count("3e0", "--sizes"), 3U);
  EXPECT_EQ(parse_count("1.6e7", "--sizes"), 16'000'000U);
  EXPECT_EQ(parse_count("10.50e1", "--sizes"), 105U);
  EXPECT_EQ(parse_count("2^28", "--sizes"), 1U << 28U);
  EXPECT_EQ(parse_count("18446744073709551615", "--sizes"), ~std::uint64_t{0});
}

TEST(ParseCount, RefusesEverythingElse) {
  for (const char* text : {"", "0", "-1", "1.5", "1e", "e6", "x", "1e6x", "2^64", "1e20", "1e-1",
                           "18446744073709551616", "1 ", "1.65e1", "1.5^2", "1.2.3e4"}) {
    EXPECT_EQ(error_of([&] { static_cast<void>(parse_count(text, "--sizes")); }),
              "--sizes: '" + std::string(text) + "' is no count (write 1600000, 1.6e6 or 2^20)");
  }
}

TEST(CommandLine, DefaultsListsAndTheRest) {
  EXPECT_EQ(parse({}).axes.sizes, (std::vector<std::uint64_t>{10, 20}));
  const CommandLine line =
      parse({"--sizes=1e3,2^4", "--distributions", "ramp,sine", "--benchmark_filter=a", "--help"});
  EXPECT_EQ(line.axes.sizes, (std::vector<std::uint64_t>{1000, 16}));
  EXPECT_EQ(line.axes.distributions, (std::vector<std::string>{"ramp", "sine"}));
  EXPECT_EQ(line.rest, std::vector<std::string>{"--benchmark_filter=a"});
  EXPECT_TRUE(line.help);
  EXPECT_EQ(line.axes.rows, (std::vector<std::uint64_t>{32, 64}));
  EXPECT_EQ(parse({"--rows=7143,1e4"}).axes.rows, (std::vector<std::uint64_t>{7143, 10'000}));
}

TEST(CommandLine, RefusesUnknownValues) {
  EXPECT_NE(error_of([] { parse({"--distributions=nonsense"}); }).find("'nonsense'"),
            std::string::npos);
  EXPECT_NE(error_of([] { parse({"--sizes=4294967295"}); }), "no error");
  EXPECT_NE(error_of([] { parse({"--threads=1025"}); }), "no error");
  EXPECT_NE(error_of([] { parse({"--sizes"}); }), "no error");
  EXPECT_NE(error_of([] { parse({"--rows=2^32"}); }), "no error");
  // An axis that the experiment does not have is left among the unknown options, which are
  // rejected.
  EXPECT_EQ(parse({"--samples=5"}).rest, std::vector<std::string>{"--samples=5"});
}

TEST(CommandLine, FlushesTheL2OfExperimentsOnTheGpuOnly) {
  const auto parsed = [](const Experiment& experiment) {
    const std::array<const char*, 2> arguments{"sample", "--cold-l2"};
    return parse_command_line(experiment, 2, arguments.data());
  };
  Experiment experiment = sample_experiment();
  EXPECT_EQ(parsed(experiment).rest, std::vector<std::string>{"--cold-l2"});
  EXPECT_EQ(axes_help(experiment).find("--cold-l2"), std::string::npos);
  experiment.needs_gpu = true;
  EXPECT_TRUE(parsed(experiment).cold_l2);
  EXPECT_TRUE(parsed(experiment).rest.empty());
  EXPECT_NE(axes_help(experiment).find("--cold-l2"), std::string::npos);
  experiment.runs_without_pause = true;
  EXPECT_FALSE(parsed(experiment).cold_l2);
}

TEST(SelectSeries, ByNameOrFamily) {
  const auto names = [](const std::vector<std::string>& methods) {
    std::string joined;
    for (const Series& series : select_series(sample_experiment(), methods)) {
      joined += series.name + " ";
    }
    return joined;
  };
  EXPECT_EQ(names({}), "sweep sweep_fixed vose ");
  EXPECT_EQ(names({"sweep"}), "sweep sweep_fixed ");
  EXPECT_EQ(names({"vose", "sweep_fixed"}), "sweep_fixed vose ");
  EXPECT_EQ(error_of([&] {
              names({"vose", "swep"});
            }),
            "--methods: unknown 'swep' (known: sweep, sweep_fixed, vose)");
}

TEST(Axes, OneForEachTable) {
  const Axes axes{.sizes = {10, 20}, .distributions = {"uniform", "ramp"}, .samples = {1, 2}};
  const std::vector<Axes> tables = one_for_each_table(axes);
  ASSERT_EQ(tables.size(), 4U);
  for (std::size_t k = 0; k < tables.size(); ++k) {
    EXPECT_EQ(tables[k].distributions, std::vector<std::string>{axes.distributions[k / 2]});
    EXPECT_EQ(tables[k].sizes, std::vector<std::uint64_t>{axes.sizes[k % 2]});
    EXPECT_EQ(tables[k].samples, axes.samples);
  }
}

TEST(Axes, OfASeriesAreItsOwnUnlessOthersAreAskedFor) {
  const Experiment experiment = sample_experiment();
  const Series series{"few", "few", {}, {.sizes = {20}, .rows = {64}}};
  const Axes own = axes_of(series, experiment, experiment.defaults);
  EXPECT_EQ(own.sizes, std::vector<std::uint64_t>{20});
  EXPECT_EQ(own.rows, std::vector<std::uint64_t>{64});
  EXPECT_EQ(own.distributions, experiment.defaults.distributions);
  const Axes asked = axes_of(series, experiment, parse({"--sizes=10"}).axes);
  EXPECT_EQ(asked.sizes, std::vector<std::uint64_t>{10});
  EXPECT_EQ(asked.rows, std::vector<std::uint64_t>{64});
  const Series plain{"all", "all", {}};
  EXPECT_EQ(axes_of(plain, experiment, experiment.defaults), experiment.defaults);
}

TEST(Axes, HelpSaysWhetherSomeMethodsHaveFewerValues) {
  const std::string note = "Some methods have fewer values by default";
  Experiment experiment = sample_experiment();
  EXPECT_EQ(axes_help(experiment).find(note), std::string::npos);
  EXPECT_NE(axes_help(experiment).find("--rows           default 32,64"), std::string::npos);
  experiment.series.front().defaults.sizes = {10};
  EXPECT_NE(axes_help(experiment).find(note), std::string::npos);
}

/// Time that is least at (7, 3).
double bowl(const Annealing::Point& point) {
  const double x = point[0] - 7;
  const double y = point[1] - 3;
  return 1 + x * x + y * y;
}

/// All points that a search tries, in order.
std::vector<Annealing::Point> tried_by(Annealing& annealing) {
  std::vector<Annealing::Point> tried;
  while (!annealing.is_finished()) {
    tried.push_back(annealing.current());
    annealing.report(bowl(tried.back()));
  }
  return tried;
}

TEST(Annealing, TriesAllowedPointsOnceAndEndsWithTheBest) {
  const auto is_allowed = [](const Annealing::Point& point) { return point[0] != point[1]; };
  Annealing annealing({16, 8}, {0, 7}, 60, is_allowed);
  const std::vector<Annealing::Point> tried = tried_by(annealing);
  ASSERT_EQ(tried.size(), 60U);
  EXPECT_EQ(tried.front(), (Annealing::Point{0, 7}));
  const std::set<Annealing::Point> distinct(tried.begin(), tried.end());
  EXPECT_EQ(distinct.size(), tried.size());
  for (const Annealing::Point& point : tried) {
    EXPECT_TRUE(is_allowed(point));
    EXPECT_GE(std::min(point[0], point[1]), 0);
    EXPECT_LT(point[0], 16);
    EXPECT_LT(point[1], 8);
    EXPECT_LE(bowl(annealing.best()), bowl(point));
  }
  EXPECT_LE(bowl(annealing.best()), 3);  // next to the minimum
  Annealing again({16, 8}, {0, 7}, 60, is_allowed);
  EXPECT_EQ(tried_by(again), tried);
}

TEST(Annealing, EndsWhenAllPointsHaveBeenTried) {
  Annealing annealing({9, 4}, {0, 0}, 1000, [](const Annealing::Point&) { return true; });
  EXPECT_EQ(tried_by(annealing).size(), 36U);
  EXPECT_EQ(annealing.best(), (Annealing::Point{7, 3}));
}

TEST(CopyFloor, CopiesEveryRowOnAnyNumberOfThreads) {
  for (const std::size_t n : {1U, 2U, 3U, 1000U}) {
    for (const unsigned threads : {1U, 2U, 5U}) {
      HostBuffer<double> weights(n);
      HostBuffer<WideRow> rows(n);
      for (std::size_t i = 0; i < n; ++i) weights[i] = 0.5 + static_cast<double>(i);
      std::memset(rows.data(), 0xFF, rows.bytes());
      copy_floor(weights.span(), rows.span(), threads);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(rows[i].weight, weights[i]);
        EXPECT_EQ(rows[i].alias, i);
      }
    }
  }
}

TEST(GatherFloor, ReadsRowsFromAllOverTheTable) {
  constexpr std::size_t n = 1000;
  HostBuffer<WideRow> rows(n);
  // Row i redirects all its samples to item i + n, which shows that each row was read.
  for (std::size_t i = 0; i < n; ++i) rows[i] = {-1.0, static_cast<Index>(i + n), 0};
  for (const std::size_t samples : {1U, 255U, 256U, 257U, 100'000U}) {
    for (const unsigned threads : {1U, 2U, 3U}) {
      HostBuffer<Index> out(samples);
      std::fill_n(out.data(), samples, Index{0});
      gather_floor(rows.span(), out.span(), threads);
      std::vector<int> counts(10);
      for (const Index sample : out.span()) {
        ASSERT_GE(sample, n);
        ++counts.at((sample - n) / 100);
      }
      // The standard deviation is 95 of 10,000.
      if (samples == 100'000) {
        for (const int count : counts) EXPECT_NEAR(count, 10'000, 600);
      }
    }
  }
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(PeakMemory, SeesWhatIsTouchedBesideTheResult) {
  constexpr std::size_t mib = std::size_t{1} << 20U;
  const auto touch = [](HostBuffer<char>& buffer) {
    std::memset(buffer.data(), 1, buffer.bytes());
  };
  const auto extra = peak_extra_bytes([&] {
    HostBuffer<char> made(64 * mib);
    touch(made);
    {
      HostBuffer<char> scratch(32 * mib);
      touch(scratch);
    }
    HostBuffer<char> later(16 * mib);  // allocated after the peak
    touch(later);
    return made.bytes();
  });
  if (!extra) GTEST_SKIP() << "the system does not tell the peak of resident memory";
  EXPECT_NEAR(static_cast<double>(*extra), 32.0 * mib, 0.5 * mib);
}

TEST(PeakMemory, ReportsNothingWhenTheWorkFails) {
  EXPECT_EQ(peak_extra_bytes([]() -> std::size_t { throw Error("no"); }), std::nullopt);
}
#endif

TEST(Points, AreTheFirstOfTheirSequence) {
  for (const std::string_view name : point_names) {
    const HostBuffer<std::uint64_t> few = points(name, 100);
    const HostBuffer<std::uint64_t> many = points(name, 5000);
    EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin())) << name;
  }
  EXPECT_EQ(points("sobol", 2)[1], std::uint64_t{1} << 63);
  EXPECT_NE(points("random", 2)[1], std::uint64_t{1} << 63);
}

TEST(Points, DeviationIsInSamples) {
  const std::vector<std::uint64_t> counts{3, 0, 1};
  const Deviation found = deviation(counts, std::vector<double>{0.5, 0.25, 0.25});
  EXPECT_DOUBLE_EQ(found.largest, 1);
  EXPECT_DOUBLE_EQ(found.largest_cumulative, 1);
  EXPECT_DOUBLE_EQ(found.root_mean_square, std::sqrt(2.0 / 3));
}

TEST(Points, FaultsAreThoseOfSamplesOrOfLostDiscrepancy) {
  const std::vector<double> probabilities{0.5, 0.5};
  const auto fault = [&](const std::vector<Index>& items, std::string_view point_name,
                         bool is_monotone) {
    return evenness(items, probabilities, point_name, is_monotone).fault;
  };
  std::vector<Index> even(64);
  for (std::size_t k = 0; k < even.size(); ++k) even[k] = static_cast<Index>(k % 2);
  std::vector<Index> uneven = even;
  uneven[1] = uneven[3] = 0;  // two samples too many, of 64
  const std::vector<Index> wrong(64, 1);
  EXPECT_EQ(fault(even, "sobol", true), "");
  const std::string lost = fault(uneven, "sobol", true);
  EXPECT_NE(lost.find("2.0"), std::string::npos) << lost;
  EXPECT_EQ(fault(uneven, "sobol", false), "");
  EXPECT_EQ(fault(uneven, "random", true), "");
  EXPECT_NE(fault(wrong, "random", false), "");
}

}  // namespace
}  // namespace wrsgpu::experiments
