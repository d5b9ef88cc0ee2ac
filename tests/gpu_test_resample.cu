// Resampling on the GPU: the ancestors of the host, whose law `test_resample.cpp` tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "error_message.hpp"
#include "gpu_copies.cuh"
#include "gpu_graph.cuh"
#include "gpu_stream_cases.cuh"
#include "gpu_test.hpp"
#include "verification/brief.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/gpu_resample.cuh"

namespace wrsgpu {
namespace {

using GpuResample = GpuTest;
using Items = std::vector<Index>;
constexpr ResamplingScheme all_schemes[] = {
    ResamplingScheme::systematic, ResamplingScheme::stratified, ResamplingScheme::residual,
    ResamplingScheme::multinomial};

template <class T>
Items resampled_by_host(const std::vector<T>& weights, std::size_t count, ResamplingScheme scheme,
                        RandomState state) {
  Items ancestors(count);
  resample(weights, ancestors, scheme, state);
  return ancestors;
}

template <class T>
void expect_the_hosts(const std::vector<T>& weights, std::size_t count, const std::string& what) {
  const DeviceBuffer<T> device = device_copy(weights);
  DeviceBuffer<Index> ancestors(count);
  GpuResampler resampler(static_cast<Index>(weights.size()), static_cast<Index>(count));
  for (const ResamplingScheme scheme : all_schemes) {
    const RandomState state{weights.size(), count % 5};
    WRSGPU_CUDA_CHECK(cudaMemset(ancestors.data(), 0xEE, ancestors.bytes()));
    resampler.resample(device_view(device), ancestors.span(), scheme, state);
    resampler.finish();
    ASSERT_EQ(host_copy(ancestors), resampled_by_host(weights, count, scheme, state))
        << what << " " << static_cast<int>(scheme) << " " << count << " of " << weights.size();
  }
}

TEST_F(GpuResample, GivesTheAncestorsOfTheHost) {
  const auto sizes =
      verification::all_or_few<Items>({1, 2, 3, 2047, 2048, 2049, 100'003}, {3, 2049});
  for (const auto& family : verification::weight_families()) {
    for (const Index items : sizes) {
      const std::vector<double> weights = family.make(items);
      for (const std::size_t count : {std::size_t{1}, std::size_t{items}, 3 * std::size_t{items}}) {
        expect_the_hosts(weights, count, family.name);
      }
      if (!family.fits_float) continue;
      expect_the_hosts(std::vector<float>(weights.begin(), weights.end()), items, family.name);
    }
  }
}

// Tiles whose ancestors one block searches for, and those that all blocks share.
TEST_F(GpuResample, SharesHeavyTilesAmongBlocks) {
  for (const std::size_t count : {4097U, 8192U, 8193U, 65'537U, 3'000'000U}) {
    expect_the_hosts(std::vector<float>{1, 2, 3}, count, "few items");
    std::vector<double> weights(20'000, 1);
    for (const Index heavy : {5U, 5000U, 5001U, 19'999U}) weights[heavy] = 1e6 * (heavy % 7 + 1);
    expect_the_hosts(weights, count, "heavy items");
  }
}

// As many ancestors as items, fewer and more, and those of heavy tiles; nothing beside them is
// written.
TEST_F(GpuResample, WritesToAnyAddress) {
  constexpr std::size_t items = 5003;
  std::vector<float> weights(items);
  for (std::size_t i = 0; i < items; ++i) weights[i] = static_cast<float>(i % 1000);
  const DeviceBuffer<float> device = device_copy(weights);
  GpuResampler resampler(items, 30'000);
  for (const std::size_t count : {std::size_t{3}, std::size_t{701}, items, std::size_t{30'000}}) {
    for (const std::size_t shift : {1U, 2U, 3U}) {
      for (const ResamplingScheme scheme : all_schemes) {
        const RandomState state{shift, count};
        const Items untouched(shift + count + 1, 77);
        DeviceBuffer<Index> out = device_copy(untouched);
        resampler.resample(device_view(device), out.span().subspan(shift, count), scheme, state);
        resampler.finish();
        Items expected = untouched;
        const Items of_host = resampled_by_host(weights, count, scheme, state);
        std::copy(of_host.begin(), of_host.end(),
                  expected.begin() + static_cast<std::ptrdiff_t>(shift));
        ASSERT_EQ(host_copy(out), expected) << count << " " << static_cast<int>(scheme);
      }
    }
  }
}

TEST_F(GpuResample, RunsInAGraphWithTheStateInDeviceMemory) {
  std::vector<float> weights(50'000);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 1000);
  const DeviceBuffer<float> device = device_copy(weights);
  DeviceBuffer<RandomState> state(1);
  DeviceBuffer<Index> ancestors(70'000);
  GpuResampler resampler(50'000, 70'000);
  for (const ResamplingScheme scheme : all_schemes) {
    const Graph graph([&](cudaStream_t stream) {
      resampler.resample(device_view(device), ancestors.span(), scheme, state.data(), stream);
    });
    for (const RandomState now : {RandomState{1, 0}, RandomState{2, 8}}) {
      copy_to_device(std::span<const RandomState>(&now, 1), state.data());
      resampler.finish(graph.launch());
      EXPECT_EQ(host_copy(ancestors), resampled_by_host(weights, 70'000, scheme, now));
    }
  }
}

TEST_F(GpuResample, AdvancesTheStateInDeviceMemory) {
  std::vector<double> weights(5000);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i % 1000);
  const DeviceBuffer<double> device = device_copy(weights);
  DeviceBuffer<Index> ancestors(7001);
  DeviceBuffer<std::byte> storage(GpuResampler::storage_bytes(5000, 7001));  // of the caller
  EXPECT_EQ(error_of([] { GpuResampler(5000, 7001, std::span<std::byte>()); }),
            "argument 'storage' is empty; storage_bytes() are needed");
  EXPECT_NE(error_of([&] {
              GpuResampler(5000, 7001, storage.span().first(300))
                  .resample(device_view(device), ancestors.span(), ResamplingScheme::systematic,
                            RandomState{4, 9});
            }).find("300 bytes is too small"),
            std::string::npos);
  GpuResampler resampler(5000, 7001, storage.span());
  for (const ResamplingScheme scheme : all_schemes) {
    DeviceBuffer<RandomState> state = device_copy(std::vector<RandomState>{{4, 9}});
    const Graph graph([&](cudaStream_t stream) {
      resampler.resample_and_advance(device_view(device), ancestors.span(), scheme, state.data(),
                                     stream);
    });
    for (std::uint64_t replay = 0; replay < 3; ++replay) {
      resampler.finish(graph.launch());
      EXPECT_EQ(host_copy(ancestors),
                resampled_by_host(weights, 7001, scheme, {4, 9 + replay * 7001}));
    }
    EXPECT_EQ(host_copy(state).front().seed, 4U);
    EXPECT_EQ(host_copy(state).front().offset, 9 + 3 * 7001U);
  }
}

TEST_F(GpuResample, RunsOnTheStreamThatItIsGiven) {
  const std::vector<float> weights(5000, 2);
  const DeviceBuffer<float> device = device_copy(weights);
  GpuResampler resampler(8000, 800);
  for (const ResamplingScheme scheme : all_schemes) {
    EXPECT_EQ(drawn_on_another_stream(
                  700,
                  [&](std::span<Index> out, cudaStream_t stream) {
                    resampler.resample(device_view(device), out, scheme, {1, 0}, stream);
                  }),
              resampled_by_host(weights, 700, scheme, {1, 0}));
  }
}

TEST_F(GpuResample, ReportsBadArgumentsAndWritesNothing) {
  GpuResampler resampler(100'000, 100'000);
  const Items untouched(100'000, 77);
  const auto reported = [&](const std::vector<float>& weights, std::size_t count) {
    const DeviceBuffer<float> device = device_copy(weights);
    DeviceBuffer<Index> out = device_copy(untouched);
    std::string message;
    for (const ResamplingScheme scheme : all_schemes) {
      message = error_of([&] {
        resampler.resample(device_view(device), out.span().first(count), scheme, {1, 0});
        resampler.finish();
      });
      EXPECT_EQ(host_copy(out), untouched) << message;
    }
    return message;
  };
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> many(100'000, 1);
  many[77'777] = -3;
  EXPECT_EQ(reported(many, 100'000), "argument 'weights': weight 77777 is negative (-3)");
  EXPECT_EQ(reported({1, infinity}, 1), "argument 'weights': weight 1 is infinite (inf)");
  EXPECT_EQ(reported({0, 0, 0}, 1), "argument 'weights': all 3 weights are zero");
  EXPECT_EQ(reported({}, 1), "argument 'weights' is empty; at least one is needed");
  EXPECT_EQ(reported({1, 2}, 0),
            "argument 'ancestors' has 0 elements; it must have at least 1 and at most 2^32 - 2");
  EXPECT_NE(reported(std::vector<float>(100'001, 1), 1).find("memory is reserved"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { GpuResampler(0, 1); }),
            "argument 'max_items' is 0; it must be at least 1 and at most 2^32 - 2");
  EXPECT_EQ(error_of([&] { GpuResampler(1, 0); }),
            "argument 'max_ancestors' is 0; it must be at least 1 and at most 2^32 - 2");
  EXPECT_EQ(error_of([] { GpuResampler(3, 1).finish(); }),
            "finish: nothing was resampled; call resample() first");
  Items on_host(3);
  EXPECT_EQ(error_of([&] {
              resampler.resample(std::vector<float>{1, 2}, on_host, ResamplingScheme::systematic,
                                 RandomState{1, 0});
            }),
            "argument 'weights' is in cpu memory; cuda memory is needed");
}

}  // namespace
}  // namespace wrsgpu
