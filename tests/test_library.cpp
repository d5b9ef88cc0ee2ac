// The public interface of the library on the host.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <filesystem>
#include <limits>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cpu_reference/direct_sampler.hpp"
#include "error_message.hpp"
#include "examples/rmat.hpp"
#include "host_sampler_results.hpp"
#include "registry/methods.hpp"
#include "verification/reconstruction.hpp"
#include "verification/sample_tests.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/masses/item_probabilities.hpp"
#include "wrsgpu/detail/masses/zero_mass_items.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/table/table_file.hpp"
#include "wrsgpu/interrupt.hpp"
#include "wrsgpu/weighted_sampler.hpp"
#include "wrsgpu/without_replacement.hpp"

namespace wrsgpu::verification {
namespace {

constexpr double level = suite_budget.level();

std::vector<double> power_law(Index items) {
  return find_weight_family("powerlaw_1_shuffled").make(items);
}

/// The table that a sampler builds, built separately.
std::unique_ptr<SamplingAlgorithm> built(const std::vector<double>& weights) {
  auto table = make_method("sectioned_sweep", {Arithmetic::fixed_point, Layout::compact_rows});
  table->build(weights);
  return table;
}

/// A file that is removed at the end of the test.
class TemporaryFile {
 public:
  TemporaryFile()
      : path_(std::filesystem::temp_directory_path() /
              ("wrsgpu_library_" + std::to_string(getpid()))) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

static_assert(!std::is_copy_constructible_v<WeightedSampler>);
static_assert(std::is_nothrow_move_constructible_v<WeightedSampler>);

template <class Result>
constexpr bool has_probability = requires(Result result) {
  result.probability;
};
static_assert(has_probability<ChoiceWithProbability> && !has_probability<Choice>);

TEST(WeightedSampler, DrawsFromAnExactTable) {
  const TemporaryFile file;
  for (const WeightFamily& family : weight_families()) {
    for (const Index items : {1U, 2U, 1000U, 5000U}) {
      const std::vector<double> weights = family.make(items);
      const WeightedSampler sampler(weights);
      EXPECT_EQ(sampler.size(), items);
      sampler.save(file.path());
      const TableFile saved = load_table(file.path());
      const TableReport report = verify_table(saved.table, saved.arithmetic, weights);
      EXPECT_TRUE(report.ok) << family.name << ": " << report.message;
      EXPECT_EQ(saved.table.layout(), Layout::compact_rows);
    }
  }
  const std::vector<double> weights = power_law(1000);
  EXPECT_EQ(failures(test_samples(drawn(WeightedSampler(weights), 1'000'000), weights), level), "");
}

TEST(WeightedSampler, DrawsWhatTheDirectSamplerDraws) {
  const std::vector<double> weights = power_law(1000);
  const auto table = built(weights);
  std::vector<Index> expected(100'000);
  DirectSampler(1).sample(dynamic_cast<const HostAliasTable&>(*table).table(), expected, {7, 3});
  for (const SampleOrder order : {SampleOrder::random, SampleOrder::any}) {
    for (const unsigned threads : {1U, 3U}) {
      const WeightedSampler sampler(weights, {.order = order, .threads = threads});
      EXPECT_EQ(drawn(sampler, expected.size()), expected);
      const RandomWords words(7);
      for (std::uint64_t k = 0; k < 1000; ++k) {
        ASSERT_EQ(sampler.view()(words[3 + k]).item, expected[k]);
      }
    }
  }
}

TEST(WeightedSampler, DrawsWithPhiloxOf7RoundsOnDemand) {
  const std::vector<double> weights = power_law(1000);
  const auto table = built(weights);
  std::vector<Index> expected(100'000);
  DirectSampler(1, 7).sample(dynamic_cast<const HostAliasTable&>(*table).table(), expected, {7, 3});
  EXPECT_EQ(failures(test_samples(expected, weights), level), "");
  for (const SampleOrder order : {SampleOrder::random, SampleOrder::any}) {
    for (const unsigned threads : {1U, 3U}) {
      const WeightedSampler sampler(
          weights, {.order = order, .generator = Generator::philox7, .threads = threads});
      EXPECT_EQ(drawn(sampler, expected.size()), expected);
      std::vector<std::uint64_t> counts(1000);
      sampler.histogram(counts, expected.size(), {7, 3});
      EXPECT_EQ(counts, count_samples(expected, 1000));
      const TemporaryFile file;
      sampler.save(file.path());
      EXPECT_EQ(drawn(WeightedSampler::load(file.path(), {.generator = Generator::philox7}), 1000),
                std::vector<Index>(expected.begin(), expected.begin() + 1000));
      const random::SplitWords<7> words(7);
      for (std::uint64_t k = 0; k < 1000; ++k) {
        EXPECT_EQ(sampler.view()(RandomWord(words.word(3 + k))).item, expected[k]);
      }
    }
  }
}

TEST(WeightedSampler, TakesFloats) {
  const std::vector<float> weights{1, 2, 3.5F, 0, 7};
  const std::vector<double> same(weights.begin(), weights.end());
  EXPECT_EQ(drawn(WeightedSampler(weights), 1000), drawn(WeightedSampler(same), 1000));
}

// More samples than one chunk.
TEST(WeightedSampler, HistogramCountsWhatDrawGives) {
  const WeightedSampler sampler(power_law(1000));
  for (const std::size_t samples : {1UL, 1000UL, (1UL << 20) + 77}) {
    std::vector<std::uint64_t> counts(1000, 12345);
    sampler.histogram(counts, samples, {7, 3});
    EXPECT_EQ(counts, count_samples(drawn(sampler, samples), 1000));
  }
}

TEST(WeightedSampler, RebuildsInPlace) {
  WeightedSampler sampler(power_law(5000), {.with_probabilities = true});
  const SamplerView before = sampler.view();
  for (const Index items : {5000U, 10U, 4000U, 20'000U, 1U, 3000U}) {
    std::vector<double> weights = power_law(items);
    weights[0] += 0.5;
    sampler.rebuild(weights);
    const WeightedSampler fresh(weights, {.with_probabilities = true});
    EXPECT_EQ(sampler.size(), items);
    EXPECT_EQ(drawn(sampler, 10'000), drawn(fresh, 10'000));
    EXPECT_EQ(probabilities_of(sampler), probabilities_of(fresh));
    if (items != 5000) continue;
    const random::SplitWords<> words(1);
    for (std::uint64_t k = 0; k < 1000; ++k) {  // same number of items: the view sees the new table
      const RandomWord word(words.word(k));
      EXPECT_EQ(before(word).item, fresh.view()(word).item);
    }
  }
}

TEST(WeightedSampler, RefusesInvalidWeightsAndKeepsItsTable) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double greatest = std::numeric_limits<double>::max();
  const double one = 1;
  const std::vector<double> good = power_law(100);
  const std::vector<std::pair<std::vector<double>, std::string>> bad{
      {{}, "argument 'weights' is empty; at least one is needed"},
      {{1, nan}, "argument 'weights': weight 1 is not a number (nan)"},
      {{1, 2, -3}, "argument 'weights': weight 2 is negative (-3)"},
      {{0, 0}, "argument 'weights': all 2 weights are zero"},
      {{greatest, greatest},
       "argument 'weights': the sum of all 2 overflows double precision (the largest is "
       "1.7976931348623157e+308)"}};
  for (const bool with_probabilities : {false, true}) {
    const WeightedSamplerOptions options{.with_probabilities = with_probabilities};
    WeightedSampler sampler(good, options);
    const std::vector<Index> before = drawn(sampler, 1000);
    for (const auto& refused : bad) {
      const std::vector<double>& weights = refused.first;
      const std::string& message = refused.second;
      EXPECT_EQ(error_of([&] { const WeightedSampler none(weights, options); }), message);
      EXPECT_EQ(error_of([&] { sampler.rebuild(weights); }), message);
    }
    EXPECT_EQ(error_of([&] {
                sampler.rebuild(WeightsView::on_device(std::span<const double>(&one, 1)));
              }),
              "argument 'weights' is in cuda memory; cpu memory is needed");
    EXPECT_NE(error_of([&] {
                sampler.rebuild(std::span<const double>(&one, std::size_t{1} << 40));
              }).find("at most 2^32 - 2"),
              std::string::npos);
    EXPECT_EQ(drawn(sampler, 1000), before);
    if (with_probabilities) {
      EXPECT_EQ(probabilities_of(sampler), probabilities_of(WeightedSampler(good, options)));
    }
  }
}

TEST(WeightedSampler, RefusesInvalidArguments) {
  const WeightedSampler sampler(std::vector<double>{1, 2, 3});
  std::vector<std::uint64_t> counts(2, 99);
  EXPECT_EQ(error_of([&] { sampler.histogram(counts, 10, {}); }),
            "histogram: argument 'counts' has 2 elements, the table has 3 items");
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{99, 99}));
  EXPECT_EQ(error_of([&] { static_cast<void>(sampler.view_with_probabilities()); }),
            "view_with_probabilities: the sampler stores no probabilities; construct the sampler "
            "with the option with_probabilities");
  EXPECT_THROW(sampler.save("/nowhere/table"), Error);
}

TEST(WeightedSampler, DrawsNothingWhenNothingIsAskedFor) {
  for (const Generator generator : {Generator::philox, Generator::philox7}) {
    const WeightedSampler sampler({1, 2, 3}, {.generator = generator});
    EXPECT_NO_THROW(sampler.draw(std::span<Index>(), {}));
    EXPECT_NO_THROW(sampler.draw(std::span<std::uint64_t>(), {}));
    std::vector<std::uint64_t> counts(3, 99);
    sampler.histogram(counts, 0, {});
    EXPECT_EQ(counts, (std::vector<std::uint64_t>{0, 0, 0}));
  }
}

TEST(WeightedSampler, DrawsTheSame64BitSamples) {
  const WeightedSampler sampler(std::vector<double>{1, 0, 3, 1e-9, 5}, {.threads = 2});
  for (const std::size_t samples : {1U, 255U, 4097U, 200'001U}) {
    std::vector<Index> narrow(samples);
    std::vector<std::uint64_t> wide(samples);
    sampler.draw(narrow, {.seed = 7, .offset = 3});
    sampler.draw(wide, {.seed = 7, .offset = 3});
    EXPECT_TRUE(std::equal(wide.begin(), wide.end(), narrow.begin(), narrow.end())) << samples;
  }
}

TEST(WeightedSampler, GivesProbabilitiesWithAndWithoutStoringThem) {
  const std::vector<double> weights{1, 0, 3, 1e-30, 4};
  for (const bool stored : {false, true}) {
    const WeightedSampler sampler(weights, {.with_probabilities = stored});
    std::vector<float> probabilities(5, -1);
    sampler.probabilities(probabilities);
    EXPECT_EQ(probabilities, (std::vector<float>{0.125F, 0, 0.375F, 0, 0.5F}));
    std::vector<float> four(4, -1);
    EXPECT_EQ(error_of([&] { sampler.probabilities(four); }),
              "probabilities: argument 'out' has 4 elements, the table has 5 items");
  }
}

TEST(WeightedSampler, CanBeInterrupted) {
  std::atomic<bool> stop = false;
  const InterruptScope scope(stop);
  const std::vector<double> weights(1'000'000, 1);
  WeightedSampler sampler(weights);
  stop = true;
  EXPECT_THROW(sampler.rebuild(weights), Interrupted);
  std::vector<Index> samples(100);
  {
    const std::atomic<bool> goes_on = false;
    const InterruptScope inner(goes_on);
    sampler.rebuild(weights);
    EXPECT_NO_THROW(sampler.draw(samples, {}));
  }
  EXPECT_THROW(sampler.draw(samples, {}), Interrupted);
  EXPECT_THROW(shuffle::sample_without_replacement(100, samples, 1), Interrupted);
}

/// Expects that only a rebuild is possible, and rebuilds.
void expect_no_table(WeightedSampler& sampler) {
  EXPECT_EQ(sampler.size(), 0U);
  const std::string reason = "the sampler has no table; call rebuild() first";
  std::vector<Index> out(3, 77);
  std::vector<std::uint64_t> counts(3, 77);
  EXPECT_EQ(error_of([&] { sampler.draw(out, {}); }), reason);
  EXPECT_EQ(error_of([&] { sampler.histogram(counts, 10, {}); }), reason);
  EXPECT_EQ(error_of([&] { static_cast<void>(sampler.view()); }), reason);
  EXPECT_EQ(error_of([&] { sampler.save("/nowhere/table"); }), reason);
  EXPECT_EQ(error_of([&] {
              sampler.rebuild({1, -1});
            }),
            "argument 'weights': weight 1 is negative (-1)");
  EXPECT_EQ(sampler.size(), 0U);
  EXPECT_EQ(out, std::vector<Index>(3, 77));
  EXPECT_EQ(counts, std::vector<std::uint64_t>(3, 77));
  sampler.rebuild(power_law(100));
  EXPECT_EQ(drawn(sampler, 1000), drawn(WeightedSampler(power_law(100)), 1000));
}

TEST(WeightedSampler, IsMadeWithoutATableForWeightsThatComeLater) {
  WeightedSampler sampler;
  expect_no_table(sampler);
  WeightedSampler with_options(WeightedSamplerOptions{.with_probabilities = true});
  expect_no_table(with_options);
  EXPECT_EQ(probabilities_of(with_options),
            probabilities_of(WeightedSampler(power_law(100), {.with_probabilities = true})));
}

TEST(WeightedSampler, HasNoTableWhenItHasBeenMovedFrom) {
  WeightedSampler from(power_law(50));
  const std::vector<Index> samples = drawn(from, 1000);
  WeightedSampler to(std::move(from));
  EXPECT_EQ(drawn(to, 1000), samples);
  // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
  expect_no_table(from);
  from = std::move(to);
  EXPECT_EQ(drawn(from, 1000), samples);
  expect_no_table(to);
  // NOLINTEND(bugprone-use-after-move)
}

template <class T>
std::vector<Index> drawn_as(const std::vector<T>& weights) {
  const WeightedSampler sampler(weights);
  WeightedSampler rebuilt;
  rebuilt.rebuild(weights);
  EXPECT_EQ(drawn(rebuilt, 1000), drawn(sampler, 1000));
  return drawn(sampler, 1000);
}

TEST(WeightedSampler, TakesWeightsOfAnyNumberType) {
  const std::vector<Index> expected = drawn_as(std::vector<double>{1, 2, 0, 7});
  EXPECT_EQ(drawn_as(std::vector<float>{1, 2, 0, 7}), expected);
  EXPECT_EQ(drawn_as(std::vector<long double>{1, 2, 0, 7}), expected);
  EXPECT_EQ(drawn_as(std::vector<int>{1, 2, 0, 7}), expected);
  EXPECT_EQ(drawn_as(std::vector<unsigned>{1, 2, 0, 7}), expected);
  EXPECT_EQ(drawn_as(std::vector<std::int8_t>{1, 2, 0, 7}), expected);
  EXPECT_EQ(drawn_as(std::vector<std::uint16_t>{1, 2, 0, 7}), expected);
  EXPECT_EQ(drawn_as(std::vector<std::int64_t>{1, 2, 0, 7}), expected);
  EXPECT_EQ(drawn_as(std::vector<std::uint64_t>{1, 2, 0, 7}), expected);
  const bool mask[] = {true, false, true};
  EXPECT_EQ(drawn(WeightedSampler(mask), 1000), drawn_as(std::vector<double>{1, 0, 1}));
}

TEST(WeightedSampler, TakesWeightsOfAnyContiguousRange) {
  const std::vector<Index> expected = drawn_as(std::vector<double>{1, 2, 0, 7});
  const std::array<int, 4> array{1, 2, 0, 7};
  const short plain[] = {1, 2, 0, 7};
  double doubles[] = {1, 2, 0, 7};
  const int one = 1;
  EXPECT_EQ(drawn(WeightedSampler(array), 1000), expected);
  EXPECT_EQ(drawn(WeightedSampler(plain), 1000), expected);
  EXPECT_EQ(drawn(WeightedSampler(doubles), 1000), expected);
  EXPECT_EQ(drawn(WeightedSampler(std::span(doubles)), 1000), expected);
  EXPECT_EQ(drawn(WeightedSampler(std::span(array)), 1000), expected);
  EXPECT_EQ(drawn(WeightedSampler(std::array<float, 4>{1, 2, 0, 7}), 1000), expected);
  EXPECT_EQ(drawn(WeightedSampler({1, 2, 0, 7}), 1000), expected);
  EXPECT_EQ(drawn(WeightedSampler({1.0, 2.0, 0.0, 7.0}), 1000), expected);
  EXPECT_EQ(drawn(WeightedSampler({1.0, 2, 0, 7.0F}), 1000), expected);
  EXPECT_EQ(drawn(WeightedSampler({one, one + 1, 0, 7}, {.threads = 1}), 1000), expected);
  EXPECT_EQ(error_of([] { const WeightedSampler none(std::vector<int>{}); }),
            "argument 'weights' is empty; at least one is needed");
  EXPECT_EQ(error_of([] {
              const WeightedSampler none({1, 2, -3});
            }),
            "argument 'weights': weight 2 is negative (-3)");
  const int first = 1;
  EXPECT_NE(error_of([&] {
              const WeightedSampler none(std::span<const int>(&first, std::size_t{1} << 40));
            }).find("at most 2^32 - 2"),
            std::string::npos);
}

// Rejected at compile time: strings, ranges that are not contiguous, and copies of an object that
// may view a range.
static_assert(std::is_constructible_v<WeightedSampler, std::vector<int>>);
static_assert(!std::is_constructible_v<WeightedSampler, std::string>);
static_assert(!std::is_constructible_v<WeightedSampler, const char (&)[4]>);
static_assert(!std::is_constructible_v<WeightedSampler, std::vector<bool>>);
static_assert(!std::is_constructible_v<WeightedSampler, std::list<double>>);
static_assert(!std::is_constructible_v<WeightedSampler, int>);
static_assert(!std::is_copy_constructible_v<AnyWeights> &&
              !std::is_move_constructible_v<AnyWeights>);
static_assert(!std::is_constructible_v<WeightsView, std::vector<int>>);
static_assert(!std::is_constructible_v<WeightsView, std::initializer_list<int>>);

TEST(WeightedSampler, RefusesIntegersThatADoubleDoesNotHold) {
  constexpr std::uint64_t odd = (std::uint64_t{1} << 53) + 1;
  constexpr std::uint64_t greatest = ~std::uint64_t{0};
  const auto refusal = [](std::size_t index, const std::string& weight) {
    return "argument 'weights': weight " + std::to_string(index) + " is " + weight +
           ", which is not exactly representable as a double; convert the weights to double to "
           "round them";
  };
  EXPECT_EQ(error_of([&] {
              const WeightedSampler none(std::vector{odd - 1, odd, odd});
            }),
            refusal(1, "9007199254740993"));
  EXPECT_EQ(error_of([&] {
              const WeightedSampler none({std::uint64_t{2}, greatest});
            }),
            refusal(1, "18446744073709551615"));
  EXPECT_EQ(error_of([] { const WeightedSampler none({std::numeric_limits<long>::max()}); }),
            refusal(0, "9223372036854775807"));
  // Some large integers are exact.
  constexpr std::uint64_t large = std::uint64_t{1} << 63;
  constexpr std::uint64_t long_one = ((std::uint64_t{1} << 53) - 1) << 11;
  EXPECT_EQ(drawn_as(std::vector{large, odd - 1, long_one}),
            drawn_as(std::vector<double>{0x1p63, 0x1p53, 0x1.fffffffffffffp63}));
  EXPECT_EQ(error_of([] {
              const WeightedSampler none({1L, std::numeric_limits<long>::min()});
            }),
            "argument 'weights': weight 1 is negative (-9.2233720368547758e+18)");
}

/// Whether the rows yield each item, as their own item or as an alias.
std::vector<bool> items_of_rows(const HostTable& table) {
  std::vector<bool> found(table.size());
  table.visit([&](auto rows) {
    for (Index i = 0; i < rows.size(); ++i) {
      const auto row = rows.load(i);
      if (rows.own(row) > 0) found[i] = true;
      if (rows.own(row) < rows.bucket()) found[rows.alias(row)] = true;
    }
  });
  return found;
}

TEST(WeightedSampler, CountsItemsWhoseMassIsZero) {
  EXPECT_EQ(count_zero_mass_items({1e-12, 1.0}), 1U);
  EXPECT_EQ(count_zero_mass_items({1e-12, 0.0, 1.0, 1e-300}), 2U);
  EXPECT_EQ(count_zero_mass_items({1, 2, 0, 7}), 0U);
  // 0.43 units of 2^-32 of the mean, a light item that no quick check may miss, and 0.86 units.
  EXPECT_EQ(count_zero_mass_items({5e-11, 1.0}), 1U);
  EXPECT_EQ(count_zero_mass_items({1e-10, 1.0}), 0U);
  EXPECT_EQ(error_of([] {
              static_cast<void>(count_zero_mass_items({1, -1}));
            }),
            "argument 'weights': weight 1 is negative (-1)");
  for (const WeightFamily& family : weight_families()) {
    std::vector<double> weights = family.make(5000);
    for (std::size_t i = 0; i < weights.size(); i += 7) weights[i] *= 0x1p-40;
    const std::vector<float> found =
        probabilities_of(WeightedSampler(weights, {.with_probabilities = true}));
    const auto table = built(weights);
    const HostTable& rows = dynamic_cast<const HostAliasTable&>(*table).table();
    const TableReport report = verify_table(rows, table->arithmetic(), weights);
    EXPECT_TRUE(report.ok) << report.message;
    const std::vector<bool> is_drawn = items_of_rows(rows);
    std::vector<Index> never;
    for (Index i = 0; i < weights.size(); ++i) {
      EXPECT_EQ(found[i] > 0, is_drawn[i]) << family.name << ", item " << i;
      if (weights[i] > 0 && !is_drawn[i]) never.push_back(i);
    }
    std::vector<Index> first = never;
    first.resize(std::min(never.size(), ZeroMassItems::max_listed));
    for (const unsigned threads : {1U, 3U}) {
      EXPECT_EQ(count_zero_mass_items(weights, threads), never.size()) << family.name;
      const ZeroMassItems zero = find_zero_mass_items(weights, threads);
      EXPECT_EQ(zero.count, never.size()) << family.name;
      EXPECT_EQ(zero.first, first) << family.name;
    }
  }
}

TEST(WeightedSampler, LoadsWhatWasSaved) {
  const TemporaryFile file;
  for (const WeightFamily& family : weight_families()) {
    const WeightedSampler sampler(family.make(3000), {.with_probabilities = true});
    sampler.save(file.path());
    WeightedSampler loaded = WeightedSampler::load(file.path(), {.with_probabilities = true});
    EXPECT_EQ(drawn(loaded, 10'000), drawn(sampler, 10'000)) << family.name;
    EXPECT_EQ(probabilities_of(loaded), probabilities_of(sampler)) << family.name;
    loaded.rebuild(power_law(500));
    EXPECT_EQ(drawn(loaded, 10'000), drawn(WeightedSampler(power_law(500)), 10'000));
  }
}

TEST(WeightedSampler, LoadsFixedPointTablesOfAnyLayout) {
  const TemporaryFile file;
  std::vector<double> weights = power_law(3000);
  std::fill(weights.begin() + 1000, weights.begin() + 1500, 1.0);
  for (const auto& table_weights : {weights, std::vector<double>(64, 2.0)}) {  // 64 full rows
    for (const Layout layout :
         {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows}) {
      const auto built = make_method("sweep", {Arithmetic::fixed_point, layout, 1});
      built->build(table_weights);
      std::vector<Index> expected(10'000);
      built->sample(expected, {7, 3});
      save_table(dynamic_cast<const AliasTable&>(*built).to_host(), Arithmetic::fixed_point,
                 file.path());
      EXPECT_EQ(drawn(WeightedSampler::load(file.path()), expected.size()), expected);
    }
  }
  // An alias that is never used, since the row is full.
  HostTable full(Layout::wide_rows, 2, static_cast<double>(fixed_bucket));
  for (const Index i : {0U, 1U}) full.wide_rows().store(i, fixed_bucket, 0);
  save_table(full, Arithmetic::fixed_point, file.path());
  const std::vector<Index> samples = drawn(WeightedSampler::load(file.path()), 10'000);
  EXPECT_GT(std::count(samples.begin(), samples.end(), 1U), 4000);
  const auto floating = make_method("sweep", {});
  floating->build(weights);
  save_table(dynamic_cast<const AliasTable&>(*floating).to_host(), Arithmetic::floating,
             file.path());
  EXPECT_EQ(error_of([&] { static_cast<void>(WeightedSampler::load(file.path())); }),
            "table file '" + file.path().string() +
                "': holds a table of floating-point arithmetic; fixed_point is needed");
  EXPECT_EQ(error_of([] { static_cast<void>(WeightedSampler::load("/nowhere/table")); }),
            "table file '/nowhere/table': could not be opened: No such file or directory");
}

TEST(SamplerView, GivesTheItemsOfDraw) {
  for (const Index items : {1U, 3U, 1000U}) {
    const WeightedSampler sampler(power_law(items), {.with_probabilities = true});
    const std::vector<Index> samples = drawn(sampler, 10'000, {7, 3});
    const SamplerViewWithProbabilities view = sampler.view_with_probabilities();
    EXPECT_EQ(view.size(), items);
    EXPECT_EQ(sampler.view().size(), items);
    for (std::uint64_t k = 0; k < samples.size(); ++k) {
      const RandomWord word(random::SplitWords<>(7).word(3 + k));
      const Choice plain = sampler.view()(word);
      const ChoiceWithProbability choice = view(word);
      ASSERT_EQ(plain.item, samples[k]);
      ASSERT_EQ(choice.item, samples[k]);
      ASSERT_EQ(choice.remapped, plain.remapped);
      ASSERT_EQ(choice.probability, view.probability(choice.item));
    }
  }
}

TEST(SamplerView, KnowsTheProbabilities) {
  for (const WeightFamily& family : weight_families()) {
    for (const Index items : {1U, 3U, 2048U, 5000U}) {
      const WeightedSampler sampler(family.make(items), {.with_probabilities = true});
      const auto table = make_method("sweep", {Arithmetic::fixed_point, Layout::wide_rows, 1});
      table->build(family.make(items));
      const std::vector<double> expected = table->probabilities();
      const std::vector<float> found = probabilities_of(sampler);
      for (Index i = 0; i < items; ++i) {
        ASSERT_FLOAT_EQ(found[i], static_cast<float>(expected[i])) << family.name << ", " << i;
        ASSERT_EQ(found[i] == 0, expected[i] == 0) << family.name << ", " << i;
      }
    }
  }
}

std::vector<rmat::Edge> edges_of(const rmat::Quadrants& quadrants, int scale) {
  const WeightedSampler sampler(rmat::path_weights(quadrants));
  std::vector<rmat::Edge> edges(300'000);
  for (std::size_t k = 0; k < edges.size(); ++k) {
    edges[k] = rmat::make_edge(sampler.view(), 5, k, scale);
  }
  return edges;
}

TEST(RmatExample, HasTheRightDegreesAndNoticesWrongOnes) {
  const rmat::Quadrants right;
  for (const int scale : {1, 7, 8, 9, 16, 21, 32}) {
    EXPECT_TRUE(rmat::degrees_match(edges_of(right, scale), scale, right)) << scale;
  }
  const rmat::Quadrants uneven{.a = 0.45, .b = 0.1, .c = 0.25, .d = 0.2};
  EXPECT_TRUE(rmat::degrees_match(edges_of(uneven, 20), 20, uneven));
  const rmat::Quadrants other{.a = 0.57, .b = 0.185, .c = 0.195, .d = 0.05};
  EXPECT_FALSE(rmat::degrees_match(edges_of(other, 20), 20, right));
  // The same path on both halves of the levels: each bit is correct, but the bits are dependent.
  std::vector<rmat::Edge> repeated = edges_of(right, 8);
  for (rmat::Edge& edge : repeated) edge = {edge.source << 8 | edge.source, edge.target};
  EXPECT_FALSE(rmat::degrees_match(repeated, 16, right));
  // Both ends are correct by themselves, but independent of each other.
  std::vector<rmat::Edge> independent = edges_of(right, 20);
  for (std::size_t k = 0; k < independent.size(); ++k) {
    independent[k].target = independent[independent.size() - 1 - k].target;
  }
  EXPECT_FALSE(rmat::degrees_match(independent, 20, right));
}

// No edge reuses a part of the path of the previous one.
TEST(RmatExample, NeighboursAreIndependent) {
  constexpr int scale = 24;
  const rmat::Quadrants q;
  const std::vector<rmat::Edge> edges = edges_of(q, scale);
  // The probability that two paths of eight levels are equal.
  const double equal = std::pow(q.a * q.a + q.b * q.b + q.c * q.c + q.d * q.d, rmat::path_levels);
  const double expected = equal * static_cast<double>(edges.size() - 1);
  for (int one = 0; one < scale; one += rmat::path_levels) {
    for (int other = 0; other < scale; other += rmat::path_levels) {
      double seen = 0;
      for (std::size_t k = 1; k < edges.size(); ++k) {
        const std::uint32_t differences =
            ((edges[k - 1].source >> one) ^ (edges[k].source >> other)) |
            ((edges[k - 1].target >> one) ^ (edges[k].target >> other));
        seen += (differences & rmat::path_mask) == 0 ? 1 : 0;
      }
      // Six standard deviations: nine tests cause a false alarm once in 50 million.
      EXPECT_NEAR(seen, expected, 6 * std::sqrt(expected)) << one << ", " << other;
    }
  }
}

TEST(ZeroMassItems, AreThoseWhoseMassIsRoundedToNothing) {
  const auto zero = [](const std::vector<double>& weights) {
    return find_zero_mass_items(weights);
  };
  EXPECT_EQ(zero({1e-12, 1}).count, 1U);
  EXPECT_EQ(zero({1e-12, 1}).first, std::vector<Index>{0});
  EXPECT_EQ(zero({1, 0, 3}).count, 0U);  // items of weight 0 do not count
  EXPECT_EQ(zero({1e-6, 1}).count, 0U);
  // Items of weight 10^-300 at the ends of tiles: the units that a tile lacks after rounding are
  // assigned to its first light items, of which there are more than units.
  std::vector<double> many(10'000, 1);
  for (std::size_t i = 3; i < many.size(); i += 4) many[i] = 5;
  for (const std::size_t i : {2045U, 2046U, 4094U, 9998U}) many[i] = 1e-300;
  EXPECT_EQ(zero(many).count, 4U);
  EXPECT_EQ(zero(many).first, (std::vector<Index>{2045, 2046, 4094, 9998}));
  for (const std::size_t i : {6141U, 6142U}) many[i] = 1e-300;
  EXPECT_EQ(describe(zero(many)),
            "6 items are too light for this table and are never drawn: items 2045, 2046, 4094, "
            "6141, 6142, ...");
  EXPECT_EQ(describe(zero({1, 2})), "");
}

}  // namespace
}  // namespace wrsgpu::verification
