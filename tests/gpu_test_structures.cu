// The structures on the GPU that are no alias tables, and quasi-random words for the monotone ones:
// properties beyond those that the suites test for all methods.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "construction/alias_table_merge_gpu.cuh"
#include "cpu_reference/brown.hpp"
#include "cpu_reference/cutpoint.hpp"
#include "cpu_reference/radix_forest.hpp"
#include "cpu_reference/rejection.hpp"
#include "cpu_reference/scan_binary.hpp"
#include "gpu_construction_cases.cuh"
#include "gpu_stream_cases.cuh"
#include "gpu_test.hpp"
#include "sampling/generators/quasi_random.cuh"
#include "sampling/gpu_brown.cuh"
#include "sampling/gpu_cutpoint.cuh"
#include "sampling/gpu_find_items.cuh"
#include "sampling/gpu_radix_forest.cuh"
#include "sampling/gpu_rejection.cuh"
#include "sampling/gpu_scan.cuh"
#include "verification/brief.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/sample_tests.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/random/philox.hpp"

namespace wrsgpu {
namespace {

using verification::all_or_few;
using verification::suite_budget;
using Sizes = std::vector<unsigned>;

const TableOptions fixed{Arithmetic::fixed_point, Layout::wide_rows, 0};
const TableOptions floating{Arithmetic::floating, Layout::wide_rows, 0};

std::vector<Index> drawn(const SamplingAlgorithm& from, std::size_t count, RandomState state) {
  std::vector<Index> out(count, 0xFFFF'FFFFU);
  from.sample(out, state);
  return out;
}

/// The shape of a family in integers, so that host and device find the same sum.
std::vector<double> integers_like(const verification::WeightFamily& family, Index n) {
  std::vector<double> weights = family.make(n);
  const double largest = *std::max_element(weights.begin(), weights.end());
  for (double& weight : weights) weight = std::nearbyint(weight / largest * 65'535);
  return weights;
}

/// The samples of the GPU method equal those of the CPU method, for any weights.
template <class MakeGpu, class MakeCpu>
void expect_the_same_samples(const MakeGpu& make_gpu, const MakeCpu& make_cpu) {
  for (const verification::WeightFamily& family : verification::weight_families()) {
    for (const Index n : all_or_few<Sizes>({1, 2, 3, 255, 257, 5000}, {2, 257})) {
      const std::vector<double> weights = integers_like(family, n);
      const auto gpu = make_gpu();
      const auto cpu = make_cpu();
      gpu->build(weights);
      cpu->build(weights);
      for (const std::size_t count : all_or_few<Sizes>({1, 31, 10'001}, {31, 257})) {
        ASSERT_EQ(drawn(*gpu, count, {11, ~std::uint64_t{0} - 5000}),
                  drawn(*cpu, count, {11, ~std::uint64_t{0} - 5000}))
            << family.name << ", " << n << " items, " << count << " samples";
      }
    }
  }
}

std::vector<double> integer_weights(Index n) {
  std::vector<double> weights(n);
  for (Index i = 0; i < n; ++i) weights[i] = static_cast<double>(random::philox_word(5, i) % 100);
  return weights;
}

using GpuStructures = GpuTest;

TEST_F(GpuStructures, ScanDrawsTheSamplesOfTheCpu) {
  expect_the_same_samples([] { return std::make_unique<GpuScan>(fixed); },
                          [] { return std::make_unique<ScanBinary>(fixed); });
}

TEST_F(GpuStructures, CutpointDrawsTheSamplesOfTheCpu) {
  expect_the_same_samples([] { return std::make_unique<GpuCutpoint>(fixed); },
                          [] { return std::make_unique<Cutpoint>(fixed); });
}

TEST_F(GpuStructures, BrownDrawsTheSamplesOfTheCpu) {
  expect_the_same_samples([] { return std::make_unique<GpuBrown>(fixed); },
                          [] { return std::make_unique<Brown>(fixed); });
}

TEST_F(GpuStructures, RadixForestDrawsTheSamplesOfTheCpu) {
  expect_the_same_samples([] { return std::make_unique<GpuRadixForest>(fixed); },
                          [] { return std::make_unique<RadixForest>(fixed); });
}

class GpuRejections : public GpuTest,
                      public testing::WithParamInterface<std::tuple<CellSearch, Arithmetic>> {};

TEST_P(GpuRejections, DrawTheSamplesOfTheCpu) {
  const auto [search, arithmetic] = GetParam();
  const TableOptions options{arithmetic, Layout::wide_rows, 0};
  const GpuRejectionOptions by_search{search};
  expect_the_same_samples([&] { return std::make_unique<GpuRejection>(options, by_search); },
                          [&] { return std::make_unique<Rejection>(options); });
}

std::string name_of(CellSearch search) {
  switch (search) {
    case CellSearch::array: return "array";
    case CellSearch::binary: return "binary";
    case CellSearch::partial_p_ary: break;
  }
  return "partial_p_ary";
}

INSTANTIATE_TEST_SUITE_P(, GpuRejections,
                         testing::Combine(testing::Values(CellSearch::array, CellSearch::binary,
                                                          CellSearch::partial_p_ary),
                                          testing::Values(Arithmetic::fixed_point,
                                                          Arithmetic::floating)),
                         [](const auto& instance) {
                           return name_of(std::get<0>(instance.param)) + "_" +
                                  std::string(to_string(std::get<1>(instance.param)));
                         });

TEST_F(GpuStructures, AreBuiltAsOnTheCpu) {
  for (const Index n : {2U, 3U, 1000U, 100'003U}) {
    const std::vector<double> weights = integer_weights(n);
    ScanBinary scan(fixed);
    GpuScan gpu_scan(fixed);
    GpuCutpoint gpu_cutpoint(fixed);
    scan.build(weights);
    gpu_scan.build(weights);
    gpu_cutpoint.build(weights);
    EXPECT_EQ(gpu_scan.probabilities(), scan.probabilities());
    EXPECT_EQ(gpu_cutpoint.probabilities(), scan.probabilities());
    GpuRadixForest forest(fixed);
    GpuBrown brown(fixed);
    forest.build(weights);
    brown.build(weights);
    EXPECT_EQ(forest.probabilities(), scan.probabilities());
    EXPECT_EQ(brown.probabilities(), scan.probabilities());
    for (const TableOptions& options : {fixed, floating}) {
      Rejection rejection(options);
      rejection.build(weights);
      for (const CellSearch search :
           {CellSearch::array, CellSearch::binary, CellSearch::partial_p_ary}) {
        GpuRejection gpu(options, {search});
        gpu.build(weights);
        const std::vector<double> p = gpu.probabilities();
        const std::vector<double> expected = rejection.probabilities();
        for (Index i = 0; i < n; ++i) ASSERT_NEAR(p[i], expected[i], 1e-12 * expected[i]);
      }
    }
  }
}

// Giving up is biased as documented: the samples have the stated probabilities, and a test against
// the weights fails.
TEST_F(GpuStructures, GivingUpIsBiasedAsStated) {
  if (verification::is_brief()) GTEST_SKIP() << "takes ten million samples a time";
  const std::vector<double> weights = integer_weights(1000);
  const std::vector<double> p = verification::expected_probabilities(weights);
  for (const CellSearch search :
       {CellSearch::array, CellSearch::binary, CellSearch::partial_p_ary}) {
    for (const std::uint32_t attempts : {1U, 2U, 3U}) {
      GpuRejection rejection(fixed, {search, attempts});
      rejection.build(weights);
      const std::vector<double> stated = rejection.probabilities();
      double distance = 0;
      double total = 0;
      for (std::size_t i = 0; i < p.size(); ++i) {
        distance += std::abs(stated[i] - p[i]) / 2;
        total += stated[i];
      }
      EXPECT_NEAR(total, 1, 1e-12);
      EXPECT_GT(distance, 0.001);
      EXPECT_LT(distance, std::pow(0.5, attempts));
      const verification::Counts counts =
          verification::count_samples(drawn(rejection, 10'000'000, {7, attempts}), 1000);
      const double level = suite_budget.level();
      EXPECT_TRUE(verification::chi_squared(counts, stated, 20).passes(level));
      EXPECT_TRUE(verification::worst_item(counts, stated).passes(level));
      EXPECT_FALSE(verification::chi_squared(counts, p, 20).passes(level)) << attempts;
    }
  }
}

std::vector<std::unique_ptr<GpuSamplingAlgorithm>> every_structure() {
  std::vector<std::unique_ptr<GpuSamplingAlgorithm>> all;
  all.push_back(std::make_unique<GpuScan>(fixed));
  all.push_back(std::make_unique<GpuCutpoint>(fixed));
  all.push_back(std::make_unique<GpuBrown>(fixed));
  all.push_back(std::make_unique<GpuRadixForest>(fixed));
  for (const CellSearch search :
       {CellSearch::array, CellSearch::binary, CellSearch::partial_p_ary}) {
    all.push_back(std::make_unique<GpuRejection>(fixed, GpuRejectionOptions{search}));
  }
  return all;
}

// Also correct immediately after the build, on the default stream.
TEST_F(GpuStructures, DrawOnTheCallersStream) {
  constexpr std::size_t count = 10'001;
  const DeviceBuffer<double> weights = on_device(integer_weights(100'003));
  for (const auto& structure : every_structure()) {
    structure->build(WeightsView::on_device(weights.span()));
    const std::vector<Index> samples =
        drawn_on_another_stream(count, [&](std::span<Index> out, cudaStream_t stream) {
          structure->draw(ToSamples{out.data()}, out.size(), {5, 3}, stream);
        });
    EXPECT_EQ(samples, drawn(*structure, count, {5, 3}));
  }
}

TEST_F(GpuStructures, InvalidWeightsLeaveThemUnchanged) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& structure : every_structure()) {
    structure->build(integer_weights(5000));
    const std::vector<double> before = structure->probabilities();
    const std::vector<Index> samples = drawn(*structure, 1000, {5, 3});
    for (const std::size_t size : {std::size_t{5000}, std::size_t{9000}, std::size_t{3}}) {
      std::vector<double> invalid = integer_weights(static_cast<Index>(size));
      invalid[2] = nan;
      EXPECT_EQ(error_of([&] { structure->build(invalid); }),
                "argument 'weights': weight 2 is not a number (nan)");
      EXPECT_EQ(structure->probabilities(), before);
      EXPECT_EQ(drawn(*structure, 1000, {5, 3}), samples);
    }
  }
}

TEST_F(GpuStructures, RefuseWhatMakesNoSense) {
  EXPECT_EQ(error_of([] { GpuScan scan(floating); }),
            "monotone methods on the GPU compute in fixed_point arithmetic only");
  EXPECT_EQ(error_of([] { GpuBrown brown(floating); }),
            "Brown's method computes in fixed_point arithmetic only");
  GpuScan scan(fixed);
  DeviceBuffer<Index> out(3);
  DeviceBuffer<std::uint64_t> words(2);
  const auto find = [&](std::size_t count) {
    return error_of(
        [&] { scan.find(std::as_const(words).span().first(count), out.span(), nullptr); });
  };
  EXPECT_EQ(find(2), "find: nothing has been built yet; call build() first");
  EXPECT_EQ(error_of([&] { scan.draw(ToSamples{out.data()}, 3, {}, nullptr); }),
            "sample: nothing has been built yet; call build() first");
  scan.build(std::vector<double>{1, 2});
  EXPECT_EQ(find(2), "find: argument 'words' has 2 elements, argument 'out' 3");
  EXPECT_EQ(find(0), "find: argument 'words' is empty");
  EXPECT_NO_THROW(scan.draw(ToSamples{out.data()}, 0, {}, nullptr));
}

TEST_F(GpuStructures, ItemsOfWordsAreThoseOfTheRows) {
  const std::vector<double> weights = integer_weights(1000);
  std::vector<std::uint64_t> words(10'001);
  for (std::size_t k = 0; k < words.size(); ++k) words[k] = random::philox_word(3, k);
  const DeviceBuffer<std::uint64_t> device_words = on_device(words);
  for (const Layout layout : {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows}) {
    AliasTableMergeGpu table({Arithmetic::fixed_point, layout, 0});
    table.build(weights);
    DeviceBuffer<Index> items(words.size());
    find_items(table.table(), device_words.span(), items.span(), nullptr);
    std::vector<Index> found(words.size());
    copy_to_host(std::as_const(items).data(), std::span(found));
    table.to_host().visit([&](auto rows) {
      for (std::size_t k = 0; k < words.size(); ++k) {
        const RowChoice choice = choose_row(words[k], rows.size());
        ASSERT_EQ(found[k], rows.pick(choice.row, choice.fraction)) << k;
      }
    });
    EXPECT_EQ(error_of([&] {
                find_items(table.table(), device_words.span(), items.span().first(3), nullptr);
              }),
              "find: argument 'words' has 10001 elements, argument 'out' 3");
  }
}

using QuasiRandom = GpuTest;

std::vector<std::uint64_t> to_host(const DeviceBuffer<std::uint64_t>& words) {
  std::vector<std::uint64_t> host(words.size());
  copy_to_host(words.data(), std::span(host));
  return host;
}

DeviceBuffer<std::uint64_t> halton(std::uint32_t base, std::uint64_t first, std::size_t count) {
  DeviceBuffer<std::uint64_t> words(count);
  random::halton_words(base, first, words.span(), nullptr);
  return words;
}

DeviceBuffer<std::uint64_t> sobol(std::uint64_t first, std::size_t count) {
  std::array<unsigned long long, 64> directions{};
  random::first_sobol_directions(directions);
  DeviceBuffer<unsigned long long> device(64);
  copy_to_device(std::span<const unsigned long long>(directions), device.data());
  DeviceBuffer<std::uint64_t> words(count);
  random::sobol_words(std::span<const unsigned long long, 64>(device.data(), 64), first,
                      words.span(), nullptr);
  WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
  return words;
}

TEST_F(QuasiRandom, KnownPoints) {
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  EXPECT_EQ(to_host(halton(2, 0, 5)),
            (std::vector<std::uint64_t>{0, half, half / 2, half + half / 2, half / 4}));
  // 1/3, 2/3, 1/9, 4/9, 7/9, rounded down.
  const std::vector<std::uint64_t> thirds = to_host(halton(3, 1, 5));
  EXPECT_EQ(thirds, (std::vector<std::uint64_t>{0x5555'5555'5555'5555U, 0xAAAA'AAAA'AAAA'AAAAU,
                                                0x1C71'C71C'71C7'1C71U, 0x71C7'1C71'C71C'71C7U,
                                                0xC71C'71C7'1C71'C71CU}));
  EXPECT_EQ(to_host(sobol(0, 2)), (std::vector<std::uint64_t>{0, half}));
  // A later start gives the same sequence, and so does the host.
  const std::vector<std::uint64_t> all = to_host(sobol(0, 1000));
  std::array<unsigned long long, 64> directions{};
  random::first_sobol_directions(directions);
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k], random::sobol_word(directions, k));
  const std::vector<std::uint64_t> late = to_host(sobol(900, 100));
  EXPECT_TRUE(std::equal(late.begin(), late.end(), all.begin() + 900));
  EXPECT_NE(error_of([] { halton(1, 0, 1); }), "no error");
  EXPECT_NE(error_of([] { halton(3, ~std::uint64_t{0} / 3, 2); }), "no error");
}

// The motivation for monotone methods (thesis 2.7): with 2^k points of a sequence in base 2, the
// count of every item is within two samples of its share. Random words miss this by far, and so
// does an alias table with quasi-random words.
TEST_F(QuasiRandom, MonotoneMethodsKeepTheLowDiscrepancy) {
  const std::vector<double> weights = power_law(1000);
  const std::vector<double> p = verification::expected_probabilities(weights);
  constexpr std::size_t count = 1 << 20;
  GpuScan scan(fixed);
  GpuCutpoint cutpoint(fixed);
  GpuRadixForest forest(fixed);
  scan.build(weights);
  cutpoint.build(weights);
  forest.build(weights);
  const auto worst_miss = [&](const GpuMonotoneMethod& method,
                              const DeviceBuffer<std::uint64_t>& words) {
    DeviceBuffer<Index> out(count);
    method.find(words.span(), out.span(), nullptr);
    std::vector<Index> samples(count);
    copy_to_host(std::as_const(out).data(), std::span(samples));
    const verification::Counts counts = verification::count_samples(samples, 1000);
    double worst = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      worst = std::max(worst, std::abs(static_cast<double>(counts[i]) - p[i] * count));
    }
    return worst;
  };
  for (const GpuMonotoneMethod* method :
       std::initializer_list<const GpuMonotoneMethod*>{&scan, &cutpoint, &forest}) {
    EXPECT_LE(worst_miss(*method, halton(2, 0, count)), 2);
    EXPECT_LE(worst_miss(*method, sobol(0, count)), 2);
    // In base 3 the discrepancy is at most 1 + 2 log_3(2^20) for each end of the interval.
    EXPECT_LE(worst_miss(*method, halton(3, 0, count)), 2 * (1 + 2 * 12.7));
    std::vector<std::uint64_t> random_words(count);
    for (std::size_t i = 0; i < count; ++i) random_words[i] = random::philox_word(1, i);
    EXPECT_GT(worst_miss(*method, on_device(random_words)), 60);
  }
}

}  // namespace
}  // namespace wrsgpu
