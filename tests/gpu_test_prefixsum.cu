#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gpu_graph.cuh"
#include "gpu_test.hpp"
#include "prefixsum/registry.hpp"
#include "prefixsum_cases.hpp"
#include "verification/brief.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"

namespace wrsgpu::prefixsum {
namespace {

std::vector<std::uint64_t> lengths() {
  std::vector<std::uint64_t> all{0, 1, 2, 3, 5, 100};
  const auto powers = verification::all_or_few<std::vector<std::uint64_t>>(
      {32, 256, 512, 1024, 1U << 20U, 1U << 24U}, {32, 1024, 1U << 16U});
  for (const std::uint64_t power : powers) {
    for (const std::uint64_t n : {power - 1, power, power + 1}) all.push_back(n);
  }
  if (!verification::is_brief()) all.push_back(3'000'017);
  return all;
}

template <class T>
class DevicePrefixSum : public GpuTest {};
using ItemTypes = testing::Types<std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(DevicePrefixSum, ItemTypes);

/// Items in device memory between guards that must not be overwritten.
template <class T>
class Guarded {
 public:
  static constexpr std::size_t guard = 256;  // items, so that data() is aligned to 256 bytes
  explicit Guarded(std::size_t size) : size_(size), buffer_(size + 2 * guard) {
    WRSGPU_CUDA_CHECK(cudaMemset(buffer_.data(), 0x5A, buffer_.bytes()));
  }
  explicit Guarded(const std::vector<T>& items) : Guarded(items.size()) {
    if (!items.empty()) copy_to_device(std::span<const T>(items), data());
  }
  [[nodiscard]] T* data() { return buffer_.data() + guard; }

  /// The items, after checking the guards.
  [[nodiscard]] std::vector<T> items(const std::string& what) const {
    std::vector<T> all(size_ + 2 * guard);
    copy_to_host(buffer_.data(), std::span<T>(all));
    const std::vector<unsigned char> untouched(guard * sizeof(T), 0x5A);
    EXPECT_EQ(std::memcmp(all.data(), untouched.data(), untouched.size()), 0) << what;
    EXPECT_EQ(std::memcmp(all.data() + guard + size_, untouched.data(), untouched.size()), 0)
        << what;
    return {all.begin() + guard, all.end() - guard};
  }

 private:
  std::size_t size_;
  DeviceBuffer<T> buffer_;
};

template <class T>
std::size_t temporary_bytes(DeviceRun<T> run, std::uint64_t size, Kind kind) {
  std::size_t bytes = 0;
  run(nullptr, bytes, nullptr, nullptr, size, kind, nullptr);
  EXPECT_GE(bytes, 1U);
  return bytes;
}

TYPED_TEST(DevicePrefixSum, SumsInThePromisedMemory) {
  using T = TypeParam;
  for (const PrefixSumMethod& method : methods()) {
    const DeviceRun<T> run = method.on_device<T>();
    for (const std::uint64_t n : lengths()) {
      const std::vector<T> items = random_items<T>(n);
      Guarded<T> in(items);
      for (const Kind kind : kinds) {
        const std::string what = method.name + " N=" + std::to_string(n) +
                                 (kind == Kind::inclusive ? " inclusive" : " exclusive");
        std::size_t bytes = temporary_bytes(run, n, kind);
        Guarded<unsigned char> temporary(bytes);
        Guarded<T> out(n);
        run(temporary.data(), bytes, in.data(), out.data(), n, kind, nullptr);
        WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
        const std::vector<T> sums = out.items(what);
        static_cast<void>(temporary.items(what));
        EXPECT_EQ(in.items(what), items) << what << ": the input changed";
        ASSERT_NO_FATAL_FAILURE(expect_sums(items, sums, kind, what));
        const HostRun<T> host = method.on_host<T>();
        if (host != nullptr && n <= (1U << 20U) + 1) {
          std::vector<T> same(n);
          host(items.data(), same.data(), n, kind, Order::ascending);
          ASSERT_EQ(sums, same) << what << ": the host's steps give something else";
        }
        if (method.in_place) {
          Guarded<T> array(items);
          run(temporary.data(), bytes, array.data(), array.data(), n, kind, nullptr);
          WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
          ASSERT_NO_FATAL_FAILURE(expect_sums(items, array.items(what), kind, what + " in place"));
        }
      }
    }
  }
}

TYPED_TEST(DevicePrefixSum, CanBeCapturedInAGraph) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  using T = TypeParam;
  const std::vector<T> items = random_items<T>(100'000);
  DeviceBuffer<T> in(items.size());
  DeviceBuffer<T> out(items.size());
  copy_to_device(std::span<const T>(items), in.data());
  for (const PrefixSumMethod& method : methods()) {
    const DeviceRun<T> run = method.on_device<T>();
    std::size_t bytes = temporary_bytes(run, items.size(), Kind::inclusive);
    DeviceBuffer<unsigned char> temporary(bytes);
    const Graph graph([&](cudaStream_t stream) {
      run(temporary.data(), bytes, in.data(), out.data(), items.size(), Kind::inclusive, stream);
    });
    WRSGPU_CUDA_CHECK(cudaStreamSynchronize(graph.launch()));
    std::vector<T> sums(items.size());
    copy_to_host(out.data(), std::span<T>(sums));
    ASSERT_NO_FATAL_FAILURE(expect_sums(items, sums, Kind::inclusive, method.name));
  }
}

}  // namespace
}  // namespace wrsgpu::prefixsum
