// Sampling from shards on a GPU, which simulated ranks share, compared with the host's.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "error_message.hpp"
#include "gpu_simulated_ranks.cuh"
#include "gpu_test.hpp"
#include "sharded_weights.hpp"
#include "wrsgpu/gpu_sharded_sampler.cuh"
#include "wrsgpu/sharded_sampler.hpp"
#ifdef WRSGPU_TEST_NCCL
#include <nccl.h>

#include "wrsgpu/nccl_communicator.cuh"
#endif

namespace wrsgpu {
namespace {

using GpuSharded = GpuTest;
using Samples = std::vector<std::uint64_t>;

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& host) {
  DeviceBuffer<T> device(host.size());
  if (!host.empty()) copy_to_device(std::span(host), device.data());
  return device;
}

/// The first `size` elements that draw(span) writes in device memory.
template <class Draw>
Samples drawn(std::uint64_t size, const Draw& draw) {
  DeviceBuffer<std::uint64_t> out(size + 3);
  draw(out.span().first(size));
  Samples samples(size);
  if (size > 0) copy_to_host(out.data(), std::span(samples));
  return samples;
}

/// Compares the samples of a rank on host and device.
void expect_twins(const ShardedSampler& host, GpuShardedSampler& device, unsigned ranks) {
  ASSERT_EQ(device.size(), host.size());
  ASSERT_EQ(device.first_item(), host.first_item());
  ASSERT_EQ(device.shard_size(), host.shard_size());
  for (unsigned r = 0; r < ranks; ++r) ASSERT_EQ(device.shard_mass(r), host.shard_mass(r));
  for (const std::uint64_t samples : {0U, 1U, 7U, 50'001U}) {
    constexpr RandomState state{9, (std::uint64_t{1} << 50) + 3};
    Samples expected(host.count_local(samples, state));
    host.draw_local(expected, samples, state);
    ASSERT_EQ(device.count_local(samples, state), expected.size());
    EXPECT_EQ(drawn(expected.size(),
                    [&](std::span<std::uint64_t> out) { device.draw_local(out, samples, state); }),
              expected);
    Samples counts(host.shard_size());
    host.histogram(counts, samples, state);
    EXPECT_EQ(drawn(counts.size(),
                    [&](std::span<std::uint64_t> out) { device.histogram(out, samples, state); }),
              counts);
    Samples scattered(samples);
    host.draw_scattered(scattered, state);
    EXPECT_EQ(
        drawn(samples, [&](std::span<std::uint64_t> out) { device.draw_scattered(out, state); }),
        scattered);
    Samples of_shards(ranks);
    Samples of_shards_there(ranks);
    host.shard_histogram(of_shards, samples, state);
    device.shard_histogram(of_shards_there, samples, state);
    EXPECT_EQ(of_shards_there, of_shards);
  }
}

template <class T>
void expect_twins(const ShardedWeights<T>& weights, const WeightedSamplerOptions& options = {}) {
  run_ranks(weights.ranks(), [&](HostCommunicator& communicator) {
    SimulatedGpuRank on_gpu(communicator);
    const std::vector<T>& shard = weights.shards[communicator.rank()];
    const DeviceBuffer<T> copy = on_device(shard);
    const ShardedSampler host(shard, communicator, options);
    GpuShardedSampler from_device(WeightsView::on_device(copy.span()), on_gpu, options);
    expect_twins(host, from_device, weights.ranks());
    from_device.rebuild(shard);  // in host memory
    expect_twins(host, from_device, weights.ranks());
  });
}

TEST_F(GpuSharded, IsTheHostsTwin) {
  for (const auto& weights : adversarial_shards<float>()) expect_twins(weights);
  for (const auto& weights : adversarial_shards<double>()) expect_twins(weights);
}

TEST_F(GpuSharded, OfManyItemsAndWithOtherOptionsIsTheHostsTwin) {
  expect_twins(cut<float>("uniform", {9'000'000, 3'000'001, 10}),
               {.generator = Generator::philox7});
  // In random order all the same.
  expect_twins(cut<double>("powerlaw_1_shuffled", {300'000, 5}), {.order = SampleOrder::any});
}

#ifdef WRSGPU_TEST_NCCL
// Of two GPUs where there are two: the masses of their shards are those of the host's integers.
TEST_F(GpuSharded, OverNcclIsTheHostsTwin) {
  int devices = 0;
  WRSGPU_CUDA_CHECK(cudaGetDeviceCount(&devices));
  const int ranks = devices > 1 ? 2 : 1;
  std::vector<ncclComm_t> links(static_cast<std::size_t>(ranks));
  const std::vector<int> numbers = {0, 1};
  detail::require_nccl(ncclCommInitAll(links.data(), ranks, numbers.data()), "ncclCommInitAll");
  const std::vector<Index> sizes = {9'000'000, 3'000'001};
  const ShardedWeights<float> weights =
      cut<float>("uniform", {sizes.begin(), sizes.begin() + ranks});
  run_ranks(weights.ranks(), [&](HostCommunicator& communicator) {
    const unsigned rank = communicator.rank();
    WRSGPU_CUDA_CHECK(cudaSetDevice(static_cast<int>(rank)));
    NcclCommunicator on_gpu(links[rank]);
    const DeviceBuffer<float> copy = on_device(weights.shards[rank]);
    const ShardedSampler host(weights.shards[rank], communicator);
    GpuShardedSampler from_device(WeightsView::on_device(copy.span()), on_gpu);
    expect_twins(host, from_device, weights.ranks());
    WRSGPU_CUDA_CHECK(cudaSetDevice(0));
  });
  for (ncclComm_t link : links) detail::require_nccl(ncclCommDestroy(link), "ncclCommDestroy");
}
#endif

/// The messages of the exceptions of three ranks, with the weights of the second.
template <class Build>
void expect_on_all_ranks(const std::string& expected, const Build& build) {
  std::vector<std::string> messages(3);
  run_ranks(3, [&](HostCommunicator& communicator) {
    SimulatedGpuRank on_gpu(communicator);
    messages[communicator.rank()] = error_of([&] { build(on_gpu); });
  });
  for (const std::string& message : messages) {
    EXPECT_EQ(message.substr(0, expected.size()), expected) << message;
  }
}

TEST_F(GpuSharded, FailuresAreThrownOnEveryRank) {
  const auto build = [](const std::vector<std::vector<double>>& shards) {
    return [shards](GpuCommunicator& communicator) {
      const DeviceBuffer<double> shard = on_device(shards[communicator.rank()]);
      const GpuShardedSampler sampler(WeightsView::on_device(shard.span()), communicator);
    };
  };
  expect_on_all_ranks("rank 1: argument 'weights': weight 1 is negative (-2)",
                      build({{1}, {2, -2}, {-3}}));
  expect_on_all_ranks("argument 'weights': no rank has a positive weight",
                      build({{0}, {}, {0, 0}}));
  expect_on_all_ranks("no error", build({{0}, {}, {0, 1}}));
  expect_on_all_ranks("draw_scattered: rank 0 draws 5 samples", [](GpuCommunicator& communicator) {
    GpuShardedSampler sampler(std::vector<double>{1, 2}, communicator);
    DeviceBuffer<std::uint64_t> out(10);
    sampler.draw_scattered(out.span().first(5 + communicator.rank()), {});
  });
  // Memory of the device that does not suffice for the table of one rank.
  DeviceBuffer<float> many(std::size_t{1} << 28);
  WRSGPU_CUDA_CHECK(cudaMemset(many.data(), 0x3F, many.bytes()));  // 0.747 each
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  WRSGPU_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &all_bytes));
  const DeviceBuffer<std::byte> held(free_bytes - (std::size_t{1} << 29));
  std::vector<std::string> messages(3);
  run_ranks(3, [&](HostCommunicator& communicator) {
    SimulatedGpuRank on_gpu(communicator);
    const std::span<float> shard = many.span().first(communicator.rank() == 1 ? many.size() : 1);
    try {
      const GpuShardedSampler sampler(WeightsView::on_device(shard), on_gpu);
    } catch (const OutOfMemory& error) {
      messages[communicator.rank()] = error.what();
    }
  });
  for (const std::string& message : messages)
    EXPECT_TRUE(message.starts_with("rank 1: ")) << message;
}

}  // namespace
}  // namespace wrsgpu
