// Code shared by kernels and their launches.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "error_message.hpp"
#include "gpu_construction_cases.cuh"
#include "gpu_copies.cuh"
#include "gpu_graph.cuh"
#include "gpu_test.hpp"
#include "wrsgpu/detail/core/block_scan.cuh"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/core/memory_pool.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/core/warp_search.cuh"
#include "wrsgpu/detail/core/widen_items.cuh"
#include "wrsgpu/types.hpp"

namespace wrsgpu {
namespace {

using GpuCore = GpuTest;

// The next two tests need no GPU.
TEST(DeviceArena, AlignsPiecesAndWastesLittleOnSmallOnes) {
  const auto take = [](DeviceArena& arena) {
    return std::array{reinterpret_cast<std::uintptr_t>(arena.take<char>(3)),
                      reinterpret_cast<std::uintptr_t>(arena.take<double>(4)),
                      reinterpret_cast<std::uintptr_t>(arena.take<Index>(64)),
                      reinterpret_cast<std::uintptr_t>(arena.take<char>(1))};
  };
  DeviceArena counts;
  take(counts);
  EXPECT_EQ(counts.used(), 576U);
  alignas(256) std::array<std::byte, 576> memory{};
  DeviceArena arena{std::span(memory)};
  const auto block = reinterpret_cast<std::uintptr_t>(memory.data());
  EXPECT_EQ(take(arena),
            (std::array<std::uintptr_t, 4>{block, block + 64, block + 256, block + 512}));
  EXPECT_EQ(arena.used(), 576U);
}

TEST(DeviceArena, HandsOutNothingBehindItsBlock) {
  alignas(256) std::array<std::byte, 320> memory{};
  DeviceArena arena{std::span(memory)};
  static_cast<void>(arena.take<std::byte>(256));
  static_cast<void>(arena.take<std::byte>(64));
  EXPECT_EQ(error_of([&] { static_cast<void>(arena.take<std::byte>(1)); }),
            "temporary storage of 320 bytes is too small; reserve it with the device that it is "
            "used on");
}

// Otherwise the error would be attributed to the next launch.
TEST_F(GpuCore, FailedCallsOfADestructorAreForgotten) {
  cudaStream_t stream = nullptr;
  WRSGPU_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    const PoolBuffer<Index> buffer(1000, stream);
    WRSGPU_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    // Both fail: a capture must not synchronise, and is invalid afterwards.
    EXPECT_NE(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_NE(cudaFreeAsync(buffer.data(), stream), cudaSuccess);
    static_cast<void>(cudaGetLastError());
  }
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  cudaGraph_t graph = nullptr;
  EXPECT_NE(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  static_cast<void>(cudaGetLastError());
  WRSGPU_CUDA_CHECK(cudaStreamDestroy(stream));
}

TEST_F(GpuCore, ItemsAreWidened) {
  for (const std::size_t size : {0U, 1U, 255U, 1023U, 1024U, 1025U, 100'003U}) {
    std::vector<Index> items(size);
    std::vector<std::uint64_t> expected(size + 1, 77);
    for (std::size_t k = 0; k < size; ++k) {
      items[k] = k % 5 == 0 ? no_item : ~static_cast<Index>(k);
      expected[k] = k % 5 == 0 ? ~std::uint64_t{0} : items[k];
    }
    const DeviceBuffer<Index> narrow = on_device(items);
    DeviceBuffer<std::uint64_t> wide = on_device(std::vector<std::uint64_t>(size + 1, 77));
    widen_items(narrow.span(), wide.span().first(size), nullptr);
    EXPECT_EQ(host_copy(wide), expected);
  }
}

struct Number {
  std::uint64_t value = 0;

  [[nodiscard]] __device__ friend Number operator+(const Number& a, const Number& b) {
    return {a.value + b.value};
  }
  template <class Shuffle>
  [[nodiscard]] __device__ Number shuffled(const Shuffle& shuffle) const {
    return {shuffle(value)};
  }
};

/// The results of each thread for the numbers of the block and of its warp.
struct Found {
  std::uint64_t before, all, warp_sum, warp_inclusive_sum, warp_maximum, warp_minimum;
};

constexpr unsigned max_threads = 512;

__global__ void find(const std::uint64_t* numbers, Found* found) {
  using Scan = BlockScan<Number, max_threads>;
  __shared__ Scan::Storage storage;
  const std::uint64_t own = numbers[threadIdx.x];
  const BlockSum<Number> sum = Scan::exclusive(storage, {own});
  found[threadIdx.x] = {sum.before.value,        sum.all.value, warp_sum(own),
                        warp_inclusive_sum(own), warp_max(own), warp_min(own)};
}

TEST_F(GpuCore, BlocksAndWarpsSumUp) {
  for (const unsigned threads : {32U, 96U, max_threads}) {
    std::vector<std::uint64_t> numbers(threads);
    // Both halves of the 64 bits differ, and successive numbers share one of them.
    for (unsigned i = 0; i < threads; ++i) numbers[i] = (i * 37 % 11 * 1ULL << 33) + i * 29 % 64;
    const DeviceBuffer<std::uint64_t> in = on_device(numbers);
    DeviceBuffer<Found> out(threads);
    find<<<1, threads>>>(in.data(), out.data());
    check_launch("find");
    std::vector<Found> found(threads);
    copy_to_host(std::as_const(out).data(), std::span(found));
    std::uint64_t before = 0;
    for (unsigned i = 0; i < threads; ++i) {
      const auto warp = numbers.begin() + i / 32 * 32;
      EXPECT_EQ(found[i].before, before) << i;
      EXPECT_EQ(found[i].all, std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}));
      EXPECT_EQ(found[i].warp_sum, std::accumulate(warp, warp + 32, std::uint64_t{0})) << i;
      EXPECT_EQ(found[i].warp_inclusive_sum,
                std::accumulate(warp, numbers.begin() + i + 1, std::uint64_t{0}))
          << i;
      EXPECT_EQ(found[i].warp_maximum, *std::max_element(warp, warp + 32)) << i;
      EXPECT_EQ(found[i].warp_minimum, *std::min_element(warp, warp + 32)) << i;
      before += numbers[i];
    }
  }
}

// The first draw of a process that allocates from the pool may be captured.
/// Block b searches among 7 (b / 40) numbers for the border after 7 (b % 40) of them.
__global__ void search(Index begin, unsigned* wrong) {
  const Index end = begin + blockIdx.x / 40 * 7;
  const Index border = min(begin + blockIdx.x % 40 * 7, end);
  const Index found = warp_partition_point(begin, end, [&](Index i) { return i < border; });
  if (found != border) atomicAdd(wrong, 1);
}

TEST_F(GpuCore, WarpsSearch) {
  DeviceBuffer<unsigned> wrong(1);
  WRSGPU_CUDA_CHECK(cudaMemset(wrong.data(), 0, wrong.bytes()));
  for (const Index begin : {0U, 5U, 4'000'000'000U}) {
    search<<<40 * 40, 32>>>(begin, wrong.data());
    check_launch("search");
  }
  std::vector<unsigned> count{1};
  copy_to_host(wrong.data(), std::span(count));
  EXPECT_EQ(count[0], 0U);
}

TEST_F(GpuCore, APoolIsMadeWhileAStreamIsCaptured) {
  int device = 0;
  WRSGPU_CUDA_CHECK(cudaGetDevice(&device));
  DeviceBuffer<Index> out(1);
  cudaMemPool_t pool = nullptr;
  const Graph graph([&](cudaStream_t stream) {
    pool = detail::new_memory_pool(device);
    WRSGPU_CUDA_CHECK(cudaMemsetAsync(out.data(), 0, sizeof(Index), stream));
  });
  EXPECT_NE(pool, nullptr);
  WRSGPU_CUDA_CHECK(cudaMemPoolDestroy(pool));
}

}  // namespace
}  // namespace wrsgpu
