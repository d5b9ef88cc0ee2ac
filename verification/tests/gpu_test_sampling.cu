#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu_test.hpp"
#include "wrsgpu/construction/alias_table_split_gpu.cuh"
#include "wrsgpu/cpu_reference/direct_sampler.hpp"
#include "wrsgpu/sampling/baseline_gpu_sampler.cuh"

namespace wrsgpu {
namespace {

using GpuSampling = GpuTest;

std::vector<Index> drawn(const DeviceTable& table, std::size_t count, RandomState state) {
  // A guard behind the buffer's end must survive.
  constexpr Index guard = 0xDEAD'BEEF;
  std::vector<Index> out(count + 3, guard);
  DeviceBuffer<Index> device(out.size());
  copy_to_device(std::span<const Index>(out), device.data());
  BaselineGpuSampler().sample(table, device.span().first(count), state, nullptr);
  copy_to_host(device.data(), std::span(out));
  for (std::size_t i = count; i < out.size(); ++i) EXPECT_EQ(out[i], guard);
  out.resize(count);
  return out;
}

TEST_F(GpuSampling, BaselineDrawsWhatTheCpuDraws) {
  for (const Layout layout : {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows}) {
    for (const Index n : {1U, 2U, 3U, 1000U, 65'537U}) {
      std::vector<float> weights(n);
      for (Index i = 0; i < n; ++i) weights[i] = 1.0F / static_cast<float>(1 + i);
      AliasTableSplitGpu table({Arithmetic::fixed_point, layout, 0}, {});
      table.build(weights);
      const HostTable on_host = table.to_host();
      for (const std::size_t count : {1U, 2U, 3U, 2047U, 2048U, 2049U, 100'001U}) {
        for (const std::uint64_t offset : {0U, 1U, 2U, 1'000'003U}) {
          SCOPED_TRACE(std::to_string(n) + " items, " + std::to_string(count) +
                       " samples, offset " + std::to_string(offset));
          std::vector<Index> expected(count);
          DirectSampler(1).sample(on_host, expected, {42, offset});
          ASSERT_EQ(drawn(table.table(), count, {42, offset}), expected);
        }
      }
    }
  }
}

TEST_F(GpuSampling, RefusesNothingToDrawAndNothingToDrawFrom) {
  AliasTableSplitGpu table({}, {});
  DeviceBuffer<Index> out(1);
  EXPECT_THROW(BaselineGpuSampler().sample(table.table(), out.span(), {}, nullptr), Error);
  table.build(std::vector<double>{1, 2});
  EXPECT_THROW(BaselineGpuSampler().sample(table.table(), {}, {}, nullptr), Error);
}

TEST_F(GpuSampling, RegistryFindsByNameAndListsWhenItDoesNot) {
  EXPECT_EQ(find_gpu_sampler("baseline").name, "baseline");
  try {
    static_cast<void>(find_gpu_sampler("nonsense"));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("baseline"), std::string::npos);
  }
}

}  // namespace
}  // namespace wrsgpu
