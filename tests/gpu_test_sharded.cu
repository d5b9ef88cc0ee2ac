// Sampling from shards on a GPU, which simulated ranks share, compared with the host's.
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "error_message.hpp"
#include "gpu_simulated_ranks.cuh"
#include "gpu_test.hpp"
#include "sharded_weights.hpp"
#include "wrsgpu/gpu_sharded_sampler.cuh"
#include "wrsgpu/sharded_sampler.hpp"
#ifdef WRSGPU_TEST_NCCL
#include <nccl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

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

/// The `size` elements that draw(span) writes in memory of the host.
template <class Draw>
Samples drawn(const ShardedSampler& /*sampler*/, std::uint64_t size, const Draw& draw) {
  Samples samples(size);
  draw(std::span(samples));
  return samples;
}

/// The first `size` elements that draw(span) writes in device memory.
template <class Draw>
Samples drawn(const GpuShardedSampler& /*sampler*/, std::uint64_t size, const Draw& draw) {
  DeviceBuffer<std::uint64_t> out(size + 3);
  draw(out.span().first(size));
  Samples samples(size);
  if (size > 0) copy_to_host(out.data(), std::span(samples));
  return samples;
}

/// Sizes, masses and samples on a rank. Collective.
template <class Sampler>
std::vector<Samples> results_of(Sampler& sampler, unsigned ranks) {
  std::vector<Samples> all = {{sampler.size(), sampler.first_item(), sampler.shard_size()}};
  for (unsigned r = 0; r < ranks; ++r) all.front().push_back(sampler.shard_mass(r));
  for (const std::uint64_t samples : {0U, 1U, 7U, 50'001U}) {
    constexpr RandomState state{9, (std::uint64_t{1} << 50) + 3};
    using Out = std::span<std::uint64_t>;
    all.push_back(drawn(sampler, sampler.count_local(samples, state),
                        [&](Out out) { sampler.draw_local(out, samples, state); }));
    all.push_back(drawn(sampler, sampler.shard_size(),
                        [&](Out out) { sampler.histogram(out, samples, state); }));
    all.push_back(drawn(sampler, samples, [&](Out out) { sampler.draw_scattered(out, state); }));
    Samples of_shards(ranks);
    sampler.shard_histogram(of_shards, samples, state);
    all.push_back(of_shards);
  }
  return all;
}

template <class T>
void expect_twins(const ShardedWeights<T>& weights, const WeightedSamplerOptions& options = {}) {
  run_ranks(weights.ranks(), [&](HostCommunicator& communicator) {
    SimulatedGpuRank on_gpu(communicator);
    const std::vector<T>& shard = weights.shards[communicator.rank()];
    const DeviceBuffer<T> copy = on_device(shard);
    const ShardedSampler host(shard, communicator, options);
    const std::vector<Samples> expected = results_of(host, weights.ranks());
    GpuShardedSampler device(WeightsView::on_device(copy.span()), on_gpu, options);
    EXPECT_EQ(results_of(device, weights.ranks()), expected);
    device.rebuild(shard);  // in host memory
    EXPECT_EQ(results_of(device, weights.ranks()), expected);
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
/// What the process of one rank does: `id` is that of the ranks' communicator, in letters.
void test_rank_over_nccl(unsigned rank, const std::string& letters,
                         const ShardedWeights<float>& weights) {
  alarm(100);  // ends it even where the process that began it was ended
  int devices = 0;
  WRSGPU_CUDA_CHECK(cudaGetDeviceCount(&devices));
  WRSGPU_CUDA_CHECK(cudaSetDevice(static_cast<int>(rank) % devices));
  ncclUniqueId id;
  for (std::size_t i = 0; i < sizeof id; ++i) {
    id.internal[i] = static_cast<char>((letters[2 * i] - 'a') * 16 + (letters[2 * i + 1] - 'a'));
  }
  const unsigned ranks = weights.ranks();
  std::vector<Samples> expected;
  run_ranks(ranks, [&](HostCommunicator& communicator) {
    const ShardedSampler host(weights.shards[communicator.rank()], communicator);
    std::vector<Samples> results = results_of(host, ranks);
    if (communicator.rank() == rank) expected = std::move(results);
  });
  ncclComm_t link = nullptr;
  detail::require_nccl(ncclCommInitRank(&link, static_cast<int>(ranks), id, static_cast<int>(rank)),
                       "ncclCommInitRank");
  {
    NcclCommunicator communicator(link);
    const DeviceBuffer<float> shard = on_device(weights.shards[rank]);
    GpuShardedSampler device(WeightsView::on_device(shard.span()), communicator);
    EXPECT_EQ(results_of(device, ranks), expected);
    DeviceBuffer<std::uint64_t> out(10);
    EXPECT_TRUE(error_of([&] {
                  device.draw_scattered(out.span().first(5 + rank), {});
                }).starts_with("draw_scattered: rank 0 draws 5 samples"));
    const std::vector<float> bad = {rank == 1 ? -2.0F : 1.0F};
    EXPECT_EQ(error_of([&] { device.rebuild(bad); }),
              "rank 1: argument 'weights': weight 0 is negative (-2)");
    EXPECT_EQ(error_of([&] { device.rebuild(std::vector<float>(rank)); }),
              "argument 'weights': no rank has a positive weight");
    EXPECT_EQ(error_of([&] {
                if (rank != 1) return device.rebuild(weights.shards[rank]);
                device.fail_rebuild(std::make_exception_ptr(Error("no such file")));
              }),
              "rank 1: no such file");
    EXPECT_EQ(device.size(), 0U);
    device.rebuild(WeightsView::on_device(shard.span()));
    EXPECT_EQ(results_of(device, ranks), expected);
  }
  detail::require_nccl(ncclCommDestroy(link), "ncclCommDestroy");
}

// Two ranks where there are several GPUs; on one GPU three, which NCCL refuses within one host:
// their processes say that they are of different hosts, and exchange data through sockets.
TEST_F(GpuSharded, OverNcclIsTheHostsTwin) {
  int devices = 0;
  WRSGPU_CUDA_CHECK(cudaGetDeviceCount(&devices));
  std::vector<Index> sizes = {9'000'000, 3'000'001, 0};
  if (devices > 1) sizes.pop_back();
  if (const char* const rank = std::getenv("WRSGPU_TEST_RANK")) {
    test_rank_over_nccl(static_cast<unsigned>(std::stoi(rank)), std::getenv("WRSGPU_TEST_NCCL_ID"),
                        cut<float>("uniform", sizes));
    return;
  }
  if (devices == 1) {
    setenv("NCCL_NET", "Socket", 1);
    setenv("NCCL_SOCKET_IFNAME", "lo", 1);
  }
  ncclUniqueId id;
  detail::require_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  std::string letters;
  for (const char byte : id.internal) {
    letters += {static_cast<char>('a' + ((byte >> 4) & 15)), static_cast<char>('a' + (byte & 15))};
  }
  setenv("WRSGPU_TEST_NCCL_ID", letters.c_str(), 1);
  std::vector<pid_t> processes(sizes.size());
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    const std::string number = std::to_string(rank);
    setenv("WRSGPU_TEST_RANK", number.c_str(), 1);
    if (devices == 1) setenv("NCCL_HOSTID", number.c_str(), 1);
    std::string program = "gpu_test_sharded";
    std::string filter = "--gtest_filter=GpuSharded.OverNcclIsTheHostsTwin";
    const std::array<char*, 3> arguments = {program.data(), filter.data(), nullptr};
    ASSERT_EQ(posix_spawn(&processes[rank], "/proc/self/exe", nullptr, nullptr, arguments.data(),
                          environ),
              0);
  }
  while (!processes.empty()) {
    int status = -1;
    std::erase(processes, waitpid(-1, &status, 0));
    EXPECT_EQ(status, 0);
    if (status == 0) continue;
    for (const pid_t other : processes) kill(other, SIGKILL);  // it may wait for the one that ended
  }
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
