// The partitions into light and heavy items on the GPU, with and without greedy packing.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "construction/alias_table_split_gpu.cuh"
#include "construction/device_masses.cuh"
#include "construction/pack/reorder.cuh"
#include "construction/partition/custom_partition.cuh"
#include "gpu_construction_cases.cuh"
#include "gpu_test.hpp"
#include "registry/verify.hpp"
#include "verification/reconstruction.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"

namespace wrsgpu {
namespace {

using GpuPartition = GpuTest;

template <class T>
std::vector<T> first_of(const T* device, std::size_t count) {
  std::vector<T> host(count);
  copy_to_host(device, std::span(host));
  return host;
}

/// Runs a partition of items with these masses, and expects the light items followed by the heavy
/// ones, each in index order and with its mass if the elements have one.
template <class Element, class Source, class Mass>
void expect_partition(const partition::PartitionMethod& method, Source source,
                      const std::vector<Mass>& masses, Mass bucket) {
  const auto n = static_cast<Index>(masses.size());
  DeviceBuffer<Element> light(n);
  DeviceBuffer<Element> heavy(n);
  DeviceBuffer<Index> counts(2);
  const partition::PartitionTask<Source, Element> task{
      source, n, {light.data(), heavy.data(), counts.data()}};
  run_with_own_storage([&](DeviceArena& arena) { method.launch(task, arena, nullptr); });
  const std::vector<Index> found_counts = first_of(counts.data(), 2);
  for (const bool is_heavy : {false, true}) {
    std::vector<Index> expected;
    for (Index i = 0; i < n; ++i) {
      if ((masses[i] > bucket) == is_heavy) expected.push_back(i);
    }
    ASSERT_EQ(found_counts[is_heavy ? 1 : 0], expected.size());
    const auto found = first_of((is_heavy ? heavy : light).data(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      ASSERT_EQ(pack::item_of(found[k]), expected[k]) << "place " << k;
      if constexpr (!std::is_same_v<Element, Index>) {
        ASSERT_EQ(found[k].mass, masses[expected[k]]) << "place " << k;
      }
    }
  }
}

template <class T>
void expect_partition_of_weights(const partition::PartitionMethod& method,
                                 const std::vector<T>& host) {
  const auto n = static_cast<Index>(host.size());
  const WeightSummary summary = summarise(std::span<const T>(host), 1);
  const DeviceBuffer<T> weights = on_device(host);
  const DeviceBuffer<DeviceWeightSummary> device_summary =
      on_device(std::vector<DeviceWeightSummary>{{summary, summary.bucket(), n, true}});
  std::vector<double> masses(n);
  for (Index i = 0; i < n; ++i) masses[i] = static_cast<double>(host[i]) * summary.scale;
  const FloatingSource<T> source{weights.data(), device_summary.data()};
  expect_partition<Index>(method, source, masses, summary.bucket());
  expect_partition<pack::ItemMass<double>>(method, source, masses, summary.bucket());

  const HostBuffer<std::uint64_t> quantised = quantise(std::span<const T>(host), 1);
  const std::vector<std::uint64_t> integers(quantised.data(), quantised.data() + n);
  const DeviceBuffer<std::uint64_t> device_integers = on_device(integers);
  const IntegerSource integer_source{device_integers.data()};
  expect_partition<Index>(method, integer_source, integers, fixed_bucket);
  expect_partition<pack::ItemMass<std::uint64_t>>(method, integer_source, integers, fixed_bucket);
}

TEST_F(GpuPartition, EveryMethodKeepsTheOrderOfTheItems) {
  for (const partition::PartitionMethod& method : partition::methods()) {
    for (const Index n : construction_sizes) {
      for (const auto& host : {uniform_weights(n, 11), power_law(n), std::vector<double>(n, 0.1)}) {
        SCOPED_TRACE(method.name + ", " + std::to_string(n) + " items");
        expect_partition_of_weights(method, host);
        expect_partition_of_weights(method, std::vector<float>(host.begin(), host.end()));
        if (HasFailure()) return;
      }
    }
  }
}

/// A list of `count` successive numbers, starting with `first`, reordered by the definition
/// (pack/reorder.hpp).
std::vector<Index> reordered(Index first, Index count, pack::Order order, Index sections,
                             std::uint64_t seed) {
  std::vector<Index> list(count);
  const shuffle::Permutation permutation(std::max<Index>(count, 1), seed);
  for (Index place = 0; place < count; ++place) {
    Index target = place;
    if (order == pack::Order::round_robin) target = pack::dealt_place(place, count, sections);
    if (order == pack::Order::random) target = permutation(place);
    list[target] = first + place;
  }
  return list;
}

// Any order gives a correct table, so no other test checks the order.
TEST_F(GpuPartition, ListsAreReorderedAsDefined) {
  constexpr Index section_items = 16;
  for (const auto& [lights, heavies] :
       {std::pair{0U, 1U}, {3U, 0U}, {1000U, 37U}, {5003U, 4096U}}) {
    const Index n = lights + heavies;
    DeviceBuffer<Index> light = on_device(reordered(0, n, pack::Order::by_index, 1, 0));
    DeviceBuffer<Index> heavy = on_device(reordered(n, n, pack::Order::by_index, 1, 0));
    DeviceBuffer<Index> counts = on_device(std::vector<Index>{lights, heavies});
    const partition::Items<Index> items{light.data(), heavy.data(), counts.data()};
    for (const pack::Order order :
         {pack::Order::by_index, pack::Order::round_robin, pack::Order::random}) {
      DeviceArena sizes;
      static_cast<void>(pack::reorder(items, n, order, section_items, sizes, nullptr));
      DeviceBuffer<std::byte> storage(sizes.used() + 1);
      DeviceArena arena(storage.span());
      const auto found = pack::reorder(items, n, order, section_items, arena, nullptr);
      const Index sections = split::Sections{n, section_items}.count();
      EXPECT_EQ(first_of(found.light, lights), reordered(0, lights, order, sections, 0));
      EXPECT_EQ(first_of(found.heavy, heavies), reordered(n, heavies, order, sections, 1));
    }
  }
}

TEST_F(GpuPartition, PsaPlusPacksMostOfUniformWeightsGreedily) {
  AliasTableSplitGpu table({Arithmetic::fixed_point, Layout::wide_rows, 0}, {.psa_plus = true});
  table.build(uniform_weights(1'000'000, 13));
  const double fraction = table.greedy_fraction();
  EXPECT_GT(fraction, 0.85);
  const DeviceBuffer<double> device = on_device(uniform_weights(1'000'000, 13));
  table.construct(WeightsView::on_device(device.span()), nullptr);
  WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_EQ(table.greedy_fraction(), fraction);  // without finish(), as in a benchmark
  EXPECT_LT(table.greedy_fraction(), 1);
  table.build(std::vector<double>(100'000, 1.0));  // no heavy items: nothing to pack greedily
  EXPECT_EQ(table.greedy_fraction(), 0);
}

// From the smallest threshold to one that no tile reaches.
TEST_F(GpuPartition, PsaPlusIsRightWhateverItsThreshold) {
  for (const Arithmetic arithmetic : {Arithmetic::floating, Arithmetic::fixed_point}) {
    for (const Index min_items : {0U, 1U, 5U, 512U, 5000U}) {
      AliasTableSplitGpu table({arithmetic, Layout::wide_rows, 0},
                               {.psa_plus = true, .greedy_min_items = min_items});
      for (const Index n : construction_sizes) {
        for (const auto& weights : {uniform_weights(n, 16), power_law(n)}) {
          SCOPED_TRACE(std::string(to_string(arithmetic)) + ", at least " +
                       std::to_string(min_items) + " items, " + std::to_string(n) + " items");
          table.build(weights);
          const auto report = verification::verify(table, weights);
          ASSERT_TRUE(report.ok) << report.message;
          if (min_items == 5000) ASSERT_EQ(table.greedy_fraction(), 0);
        }
      }
    }
  }
}

TEST_F(GpuPartition, PsaPlusPacksTilesGreedilyFromTheThresholdOn) {
  constexpr Index tile_items = 4096;
  constexpr Index few = 128;
  for (const bool few_are_heavy : {true, false}) {
    std::vector<double> weights(tile_items, few_are_heavy ? 1 : 10);
    for (Index i = 0; i < tile_items; i += tile_items / few) weights[i] = few_are_heavy ? 10 : 1;
    for (const Index min_items : {few, few + 1}) {
      AliasTableSplitGpu table({}, {.psa_plus = true, .greedy_min_items = min_items});
      table.build(weights);
      EXPECT_EQ(table.greedy_fraction() > 0, min_items == few) << few_are_heavy << min_items;
    }
  }
}

// The smallest and the largest value that the tuner tries, and one with few items per packer.
TEST_F(GpuPartition, PsaPlusIsRightWhateverItsTiles) {
  using partition::greedy_partition_of;
  using partition::PartitionTileShape;
  for (const auto tiles : {greedy_partition_of<PartitionTileShape<256, 8, 32>>,
                           greedy_partition_of<PartitionTileShape<512, 8, 128>>,
                           greedy_partition_of<PartitionTileShape<64, 2, 64>>}) {
    for (const Arithmetic arithmetic : {Arithmetic::floating, Arithmetic::fixed_point}) {
      AliasTableSplitGpu table({arithmetic, Layout::wide_rows, 0},
                               {.psa_plus = true, .greedy_min_items = 1}, {.greedy = tiles});
      for (const Index n : {1U, 127U, 128U, 129U, 2047U, 2049U, 100'003U}) {
        for (const auto& weights : {uniform_weights(n, 17), power_law(n)}) {
          SCOPED_TRACE(std::string(to_string(arithmetic)) + ", " + std::to_string(n) + " items");
          table.build(weights);
          const auto report = verification::verify(table, weights);
          ASSERT_TRUE(report.ok) << report.message;
        }
      }
    }
  }
}

}  // namespace
}  // namespace wrsgpu
