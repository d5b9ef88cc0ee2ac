// Counts of samples that are not drawn on the GPU: those of the host, whose law
// `test_multinomial_counts.cpp` tests.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "error_message.hpp"
#include "gpu_copies.cuh"
#include "gpu_graph.cuh"
#include "gpu_test.hpp"
#include "verification/brief.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/gpu_multinomial_counts.cuh"

namespace wrsgpu {
namespace {

using GpuMultinomialCounts = GpuTest;
using Counts = std::vector<std::uint64_t>;

template <class T>
Counts counted_by_host(const std::vector<T>& weights, std::uint64_t samples, RandomState state) {
  Counts counts(weights.size());
  multinomial_counts(weights, counts, samples, state);
  return counts;
}

template <class T>
void expect_the_hosts(const std::vector<T>& weights, const std::string& what,
                      const Counts& numbers = {0, 100, 1'000'000, ~std::uint64_t{0} >> 3}) {
  const DeviceBuffer<T> device = device_copy(weights);
  DeviceBuffer<std::uint64_t> counts(weights.size());
  GpuMultinomialCounter counter(static_cast<Index>(weights.size()));
  for (const std::uint64_t samples : numbers) {
    const RandomState state{weights.size(), samples};
    counter.count(device_view(device), counts.span(), samples, state);
    counter.finish();
    ASSERT_EQ(host_copy(counts), counted_by_host(weights, samples, state))
        << what << " " << samples << " of " << weights.size();
  }
}

TEST_F(GpuMultinomialCounts, AreThoseOfTheHost) {
  const auto sizes =
      verification::all_or_few<std::vector<Index>>({1, 2, 2048, 2049, 30'000}, {2049});
  for (const auto& family : verification::weight_families()) {
    for (const Index items : sizes) {
      const std::vector<double> weights = family.make(items);
      expect_the_hosts(weights, family.name);
      if (!family.fits_float) continue;
      expect_the_hosts(std::vector<float>(weights.begin(), weights.end()), family.name);
    }
  }
}

// More tiles than one block divides samples among: first among groups of tiles.
TEST_F(GpuMultinomialCounts, OfSeveralGroupsOfTiles) {
  if (verification::is_brief()) GTEST_SKIP() << "millions of items";
  for (const Index items : {(1U << 22) + 1, (1U << 23) + 2049}) {
    std::vector<float> weights(items);
    for (Index i = 0; i < items; ++i) weights[i] = static_cast<float>(i % 1000);
    expect_the_hosts(weights, "groups", {10'000'000'000});
  }
}

TEST_F(GpuMultinomialCounts, RunInAGraphWithTheStateInDeviceMemory) {
  const std::vector<float> weights(5000, 3);
  const DeviceBuffer<float> device = device_copy(weights);
  DeviceBuffer<RandomState> state(1);
  DeviceBuffer<std::uint64_t> counts(5000);
  GpuMultinomialCounter counter(6000);
  const Graph graph([&](cudaStream_t stream) {
    counter.count(device_view(device), counts.span(), 123'456, state.data(), stream);
  });
  for (const RandomState now : {RandomState{1, 0}, RandomState{2, 8}}) {
    copy_to_device(std::span<const RandomState>(&now, 1), state.data());
    counter.finish(graph.launch());
    EXPECT_EQ(host_copy(counts), counted_by_host(weights, 123'456, now));
  }
}

TEST_F(GpuMultinomialCounts, AdvanceTheStateInDeviceMemory) {
  std::vector<float> weights(5000);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 1000);
  const DeviceBuffer<float> device = device_copy(weights);
  DeviceBuffer<std::uint64_t> counts(5000);
  DeviceBuffer<RandomState> state = device_copy(std::vector<RandomState>{{4, 9}});
  DeviceBuffer<std::byte> storage(GpuMultinomialCounter::storage_bytes(5000));  // of the caller
  GpuMultinomialCounter counter(5000, storage.span());
  const Graph graph([&](cudaStream_t stream) {
    counter.count_and_advance(device_view(device), counts.span(), 123'456, state.data(), stream);
  });
  for (std::uint64_t replay = 0; replay < 3; ++replay) {
    counter.finish(graph.launch());
    EXPECT_EQ(host_copy(counts), counted_by_host(weights, 123'456, {4, 9 + replay}));
  }
  EXPECT_EQ(host_copy(state).front().offset, 12U);
  EXPECT_EQ(error_of([] { GpuMultinomialCounter(5000, std::span<std::byte>()); }),
            "argument 'storage' is empty; storage_bytes() are needed");
}

TEST_F(GpuMultinomialCounts, ReportBadArgumentsAndWriteNothing) {
  GpuMultinomialCounter counter(3000);
  const Counts untouched(3001, 77);
  const auto reported = [&](const std::vector<float>& weights, std::size_t size) {
    const DeviceBuffer<float> device = device_copy(weights);
    DeviceBuffer<std::uint64_t> counts = device_copy(untouched);
    std::string message = error_of([&] {
      counter.count(device_view(device), counts.span().first(size), 10, RandomState{1, 0});
      counter.finish();
    });
    EXPECT_EQ(host_copy(counts), untouched) << message;
    return message;
  };
  std::vector<float> many(3000, 1);
  many[2500] = -3;
  EXPECT_EQ(reported(many, 3000), "argument 'weights': weight 2500 is negative (-3)");
  EXPECT_EQ(reported({0, 0}, 2), "argument 'weights': all 2 weights are zero");
  EXPECT_EQ(reported({}, 0), "argument 'weights' is empty; at least one is needed");
  EXPECT_EQ(reported({1, 2}, 1), "argument 'counts' has 1 elements; there are 2 weights");
  EXPECT_NE(reported(std::vector<float>(3001, 1), 3001).find("memory is reserved"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { GpuMultinomialCounter(0); }),
            "argument 'max_items' is 0; it must be at least 1 and at most 2^32 - 2");
  EXPECT_EQ(error_of([] { GpuMultinomialCounter(3).finish(); }),
            "finish: nothing was counted; call count() first");
}

}  // namespace
}  // namespace wrsgpu
