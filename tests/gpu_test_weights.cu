// Weights generated on the device equal those of the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gpu_test.hpp"
#include "verification/brief.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/generate_weights.cuh"
#include "wrsgpu/generate_weights.hpp"

namespace wrsgpu::weights {
namespace {

using GpuWeights = GpuTest;

template <class T>
std::vector<T> on_device(const std::string& name, std::uint64_t n, std::uint64_t seed) {
  const DeviceBuffer<T> buffer = generate_on_device<T>(name, n, seed);
  std::vector<T> weights(n);
  copy_to_host(buffer.data(), std::span<T>(weights));
  return weights;
}

template <class T>
void expect_host_weights(const std::string& name, std::uint64_t n, double difference) {
  const std::vector<T> device = on_device<T>(name, n, 7);
  const HostBuffer<T> host = generate<T>(name, n, 7);
  // A difference in double can change the rounding to float by one unit in the last place.
  if (difference > 0) difference = std::max<double>(difference, std::numeric_limits<T>::epsilon());
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto h = static_cast<double>(host[i]);
    const auto d = static_cast<double>(device[i]);
    // Denormals have little relative precision.
    const double allowed =
        std::max(difference * h,
                 difference > 0 ? static_cast<double>(std::numeric_limits<T>::denorm_min()) : 0.0);
    ASSERT_LE(std::abs(h - d), allowed) << name << " n=" << n << " i=" << i << " host " << h;
  }
}

TEST_F(GpuWeights, AreTheHosts) {
  for (const DistributionInfo& info : distributions()) {
    for (const std::string& name : info.examples) {
      const bool exact = name.starts_with("powerlaw_0.5") || name.starts_with("powerlaw_1_") ||
                         name == "powerlaw_1" || name.starts_with("powerlaw_2");
      const double difference = exact ? 0 : info.device_difference;
      for (const std::uint64_t n : verification::all_or_few<std::vector<std::uint64_t>>(
               {1, 2, 3, 255, 256, 257, 1000, 65'537, 1'000'003}, {1, 257, 65'537})) {
        expect_host_weights<double>(name, n, difference);
        expect_host_weights<float>(name, n, difference);
      }
    }
  }
}

TEST_F(GpuWeights, ManyOfThem) {
  const std::uint64_t n = verification::is_brief() ? 3'000'001 : 50'000'001;
  expect_host_weights<float>("uniform", n, 0);
  expect_host_weights<float>("powerlaw_1_shuffled", n, 0);
}

TEST_F(GpuWeights, GoToTheGivenMemoryAndNoFurther) {
  DeviceBuffer<float> buffer(1001);
  const std::vector<float> mark(1001, -1);
  copy_to_device(std::span<const float>(mark), buffer.data());
  cudaStream_t stream = nullptr;
  WRSGPU_CUDA_CHECK(cudaStreamCreate(&stream));
  for (const std::string name : {"ramp", "words"}) {
    generate_on_device<float>(name, 1000, 1, buffer.span().first(1000), stream);
    WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));
    std::vector<float> out(1001);
    copy_to_host(buffer.data(), std::span<float>(out));
    EXPECT_EQ(out[0], name == "ramp" ? 1 : 63'919);
    EXPECT_GT(out[999], 0);
    EXPECT_EQ(out[1000], -1);
  }
  WRSGPU_CUDA_CHECK(cudaStreamDestroy(stream));
}

TEST_F(GpuWeights, BadArgumentsAreRefused) {
  DeviceBuffer<float> buffer(4);
  const auto attempt = [&](const char* name, std::uint64_t n) {
    generate_on_device<float>(name, n, 1, buffer.span(), nullptr);
  };
  EXPECT_THROW(attempt("ramp", 0), Error);
  EXPECT_THROW(attempt("ramp", 3), Error);
  EXPECT_THROW(attempt("ramp", 5), Error);
  EXPECT_THROW(attempt("unknown", 4), Error);
  EXPECT_THROW(static_cast<void>(generate_on_device<double>("ramp", 0, 1)), Error);
}

}  // namespace
}  // namespace wrsgpu::weights
