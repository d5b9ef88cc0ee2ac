// The split methods on the GPU, and the search that one of them uses.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "construction/alias_table_split_gpu.cuh"
#include "construction/split/methods.cuh"
#include "construction/split/partial_p_ary_search.cuh"
#include "construction/split/restore_order.cuh"
#include "gpu_construction_cases.cuh"
#include "gpu_test.hpp"
#include "registry/verify.hpp"
#include "verification/reconstruction.hpp"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/random/philox.hpp"

namespace wrsgpu {
namespace {

using GpuSplit = GpuTest;

// Splits that are out of order, as rarely caused by rounding, are planted here.
TEST_F(GpuSplit, PutsSplitsInOrder) {
  const Index n = 6000;
  const split::Sections sections{n, 2};  // more splits than threads: several rounds of the block
  std::vector<std::uint64_t> prefix(n);
  for (Index i = 0; i < n; ++i) prefix[i] = (i + 1) * fixed_bucket;
  const DeviceBuffer<std::uint64_t> sums = on_device(prefix);
  std::vector<Index> counts{n / 2, n / 2};
  DeviceBuffer<Index> device_counts = on_device(counts);
  std::vector<split::State<std::uint64_t>> found(sections.count() + 1);
  for (Index k = 0; k <= sections.count(); ++k) {
    const Index rows = sections.start(k);
    const Index heavy = rows / 2;
    // Alternately too many light and too many heavy items; also at 128 and 256, where a round of
    // the block ends.
    const bool spoil = (k % 97 == 5 || k % 128 == 127) && k > 8 && k + 8 < sections.count();
    const Index off = spoil ? 6 : 0;
    found[k] = k / 97 % 2 == 0 ? split::State<std::uint64_t>{rows - heavy + off, heavy - off, 0}
                               : split::State<std::uint64_t>{rows - heavy - off, heavy + off, 0};
  }
  DeviceBuffer<split::State<std::uint64_t>> splits = on_device(found);
  const DeviceBuffer<int> flag = on_device(std::vector<int>{1});
  const split::SplitTask<std::uint64_t> task{sums.data(),  nullptr, device_counts.data(),
                                             nullptr,      n,       sections.section_items,
                                             splits.data()};
  const split::PrefixSums<std::uint64_t, split::DeviceSums<std::uint64_t>> host_sums{
      {prefix.data(), 0}, {prefix.data() + n / 2, prefix[n / 2 - 1]}, n / 2, n / 2, fixed_bucket};
  split::restore_order<128><<<1, 128>>>(task, flag.data());
  check_launch("restore_order");
  copy_to_host(splits.data(), std::span(found));
  for (Index k = 0; k < sections.count(); ++k) {
    ASSERT_EQ(found[k].items(), sections.start(k)) << "split " << k;
    ASSERT_TRUE(split::in_order(found[k], found[k + 1])) << "split " << k;
    const auto expected = split::state_with(host_sums, found[k].heavy, sections.start(k));
    ASSERT_EQ(found[k].spill, expected.spill) << "split " << k;
  }
  EXPECT_EQ(found.back().light, n / 2);
}

// Compares the states themselves, at the requested rows: tables do not reveal where sections end.
TEST_F(GpuSplit, EverySplitMethodFindsTheHostsStates) {
  for (const Index n :
       verification::all_or_few<std::vector<Index>>({1, 2, 33, 1000, 50'000}, {2, 33, 1000})) {
    for (const auto& weights : {uniform_weights(n, 12), power_law(n), std::vector<double>(n, 1)}) {
      const HostBuffer<std::uint64_t> masses = quantise(weights, 1);
      std::vector<std::uint64_t> sums;
      std::vector<Index> counts;
      for (const bool heavy : {false, true}) {
        for (Index i = 0; i < n; ++i) {
          if ((masses[i] > fixed_bucket) != heavy) continue;
          sums.push_back((sums.empty() ? 0 : sums.back()) + masses[i]);
        }
        counts.push_back(static_cast<Index>(sums.size()) - (heavy ? counts[0] : 0));
      }
      const DeviceBuffer<std::uint64_t> device_sums = on_device(sums);
      const DeviceBuffer<Index> device_counts = on_device(counts);
      for (const Index section_items : {1U, 7U, 32U, 100'000U}) {
        split::SplitTask<std::uint64_t> task{
            device_sums.data(), nullptr, device_counts.data(), nullptr, n, section_items, nullptr};
        DeviceBuffer<split::State<std::uint64_t>> splits(task.max_splits());
        task.splits = splits.data();
        const split::Sections sections{n, section_items};
        std::uint64_t light_mass = counts[0] == 0 ? 0 : sums[counts[0] - 1];
        const split::PrefixSums<std::uint64_t, split::DeviceSums<std::uint64_t>> host_sums{
            {sums.data(), 0},
            {sums.data() + counts[0], light_mass},
            counts[0],
            counts[1],
            fixed_bucket};
        for (const split::SplitMethod& method : split::methods()) {
          if (section_items == 1 && n > 1000 && method.max_sections < n) continue;  // too many
          SCOPED_TRACE(method.name + ", " + std::to_string(n) + " items, sections of " +
                       std::to_string(section_items));
          // States that a method does not write must not remain from the previous method.
          WRSGPU_CUDA_CHECK(cudaMemset(splits.data(), 0xEE, splits.bytes()));
          run_with_own_storage([&](DeviceArena& arena) { method.launch(task, arena, nullptr); });
          std::vector<split::State<std::uint64_t>> found(splits.size());
          copy_to_host(splits.data(), std::span(found));
          for (Index k = 0; k <= sections.count(); ++k) {
            const auto expected = split::binary_search(host_sums, sections.start(k));
            ASSERT_EQ(found[k].light, expected.light) << "split " << k;
            ASSERT_EQ(found[k].heavy, expected.heavy) << "split " << k;
            ASSERT_EQ(found[k].spill, expected.spill) << "split " << k;
          }
        }
      }
    }
  }
}

// More items than the tile sums that `scan_tile_sums` processes in one round.
TEST_F(GpuSplit, PrefixSumsOfMillionsOfItemsAreRight) {
  const Index n = 5'000'000;
  const std::vector<double> host = uniform_weights(n, 22);
  for (const Arithmetic arithmetic : {Arithmetic::floating, Arithmetic::fixed_point}) {
    for (const SplitGpuOptions& method :
         {SplitGpuOptions{.prefix_sums = PrefixSums::one_by_one},
          SplitGpuOptions{.prefix_sums = PrefixSums::two_streams},
          SplitGpuOptions{.psa_plus = true, .greedy_min_items = 5000}}) {
      AliasTableSplitGpu table({arithmetic, Layout::wide_rows, 0}, method);
      table.build(host);
      const auto report = verification::verify(table, host);
      EXPECT_TRUE(report.ok) << report.message;
    }
  }
}

template <int p, unsigned reduction>
__global__ void lower_bounds(const std::uint32_t* list, Index size, const std::uint32_t* queries,
                             Index count, Index* found) {
  const Index first = blockIdx.x * p;
  const Index here = count - first < p ? count - first : p;
  const Index result = split::block_partial_p_ary_search<p, reduction>(
      size, here,
      [&](Index position, unsigned query) { return list[position] < queries[first + query]; });
  if (threadIdx.x < here) found[first + threadIdx.x] = result;
}

// The search by itself, against std::lower_bound, for queries close together and far apart, with
// any threshold between its phases.
TEST_F(GpuSplit, PartialPArySearchFindsLowerBounds) {
  constexpr int p = 64;
  for (const Index n : {1U, 2U, 63U, 64U, 65U, 1000U, 100'003U}) {
    std::vector<std::uint32_t> list(n);
    for (Index i = 0; i < n; ++i) list[i] = 7 * (i / 3);  // with duplicates
    for (const std::uint32_t gap : {0U, 1U, 5U, 7 * n / 640 + 1, 7 * n}) {
      for (const Index count : {1U, 63U, 64U, 65U, 700U}) {
        SCOPED_TRACE(std::to_string(n) + " items, " + std::to_string(count) + " queries, gap " +
                     std::to_string(gap));
        std::vector<std::uint32_t> queries(count);
        for (Index q = 0; q < count; ++q) queries[q] = q * gap;
        const DeviceBuffer<std::uint32_t> device_list = on_device(list);
        const DeviceBuffer<std::uint32_t> device_queries = on_device(queries);
        DeviceBuffer<Index> device_found(count);
        for (const auto kernel :
             {lower_bounds<p, 2>, lower_bounds<p, p / 8>, lower_bounds<p, p / 2>}) {
          kernel<<<blocks_for(count, p), p>>>(device_list.data(), n, device_queries.data(), count,
                                              device_found.data());
          check_launch("lower_bounds");
          std::vector<Index> found(count);
          copy_to_host(device_found.data(), std::span(found));
          for (Index q = 0; q < count; ++q) {
            ASSERT_EQ(found[q],
                      std::lower_bound(list.begin(), list.end(), queries[q]) - list.begin())
                << "query " << q;
          }
        }
      }
    }
  }
}

template <int p>
__global__ void search_noise(Index size, Index* found) {
  const Index result =
      split::block_partial_p_ary_search<p>(size, p, [](Index position, unsigned query) {
        return (random::philox_word(query, position) & 1) != 0;
      });
  found[blockIdx.x * p + threadIdx.x] = result;
}

// Rounded sums need not be monotone; then no result is correct, but it must be valid and
// deterministic.
TEST_F(GpuSplit, PartialPArySearchIsReproducibleWhereNothingAscends) {
  constexpr int p = 128;
  constexpr Index runs = 50;
  const Index size = 10'000'000;
  DeviceBuffer<Index> device_found(runs * p);
  search_noise<p><<<runs, p>>>(size, device_found.data());
  check_launch("search_noise");
  std::vector<Index> found(runs * p);
  copy_to_host(device_found.data(), std::span(found));
  for (Index i = 0; i < found.size(); ++i) {
    ASSERT_LE(found[i], size);
    ASSERT_EQ(found[i], found[i % p]) << "query " << i % p << ", run " << i / p;
  }
}

}  // namespace
}  // namespace wrsgpu
