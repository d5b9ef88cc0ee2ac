// Changes of single weights on the GPU, and with a rebuild and draws in one graph.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "error_message.hpp"
#include "gpu_copies.cuh"
#include "gpu_graph.cuh"
#include "gpu_test.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/gpu_choose.cuh"
#include "wrsgpu/gpu_update_weights.cuh"
#include "wrsgpu/gpu_weighted_sampler.cuh"
#include "wrsgpu/weighted_sampler.hpp"

namespace wrsgpu {
namespace {

using GpuUpdateWeights = GpuTest;
using Indices = std::vector<Index>;

/// `count` updates of which many are of the same items.
Indices some_indices(Index items, std::size_t count, std::uint64_t seed) {
  Indices indices(count);
  for (std::size_t j = 0; j < count; ++j) {
    const std::uint64_t word = random::philox_word(seed, j);
    indices[j] = static_cast<Index>(word % (j % 2 == 0 ? items : items / 100 + 1));
  }
  return indices;
}
template <class T>
std::vector<T> some_values(std::size_t count, std::uint64_t seed) {
  std::vector<T> values(count);
  for (std::size_t j = 0; j < count; ++j) {
    values[j] = static_cast<T>(random::philox_word(~seed, j) >> 42);
  }
  return values;
}

template <class T>
void expect_the_hosts_weights() {
  GpuWeightUpdater updater(50'000);
  for (const Index items : {1U, 300U, 50'000U}) {
    std::vector<T> weights(items, 3);
    DeviceBuffer<T> device = device_copy(weights);
    for (const std::size_t count : {0U, 1U, 1000U, 1024U, 1025U, 100'000U}) {
      const Indices indices = some_indices(items, count, count);
      const std::vector<T> values = some_values<T>(count, count);
      const DeviceBuffer<Index> device_indices = device_copy(indices);
      const DeviceBuffer<T> device_values = device_copy(values);
      updater.update(device.span(), device_indices.span(), device_values.span());
      updater.finish();
      update_weights(weights, indices, values);
      ASSERT_EQ(host_copy(device), weights) << count << " of " << items;
    }
  }
}

TEST_F(GpuUpdateWeights, GivesTheWeightsOfTheHost) {
  expect_the_hosts_weights<float>();
  expect_the_hosts_weights<double>();
}

TEST_F(GpuUpdateWeights, RebuildAndDrawInOneGraph) {
  constexpr Index items = 20'000;
  std::vector<float> weights(items, 1);
  DeviceBuffer<float> device = device_copy(weights);
  DeviceBuffer<Index> indices(500);
  DeviceBuffer<float> values(500);
  DeviceBuffer<Index> samples(256);
  GpuWeightUpdater updater(items);
  GpuWeightedSampler sampler(device_view(device));
  const Graph graph([&](cudaStream_t stream) {
    updater.update(device.span(), std::as_const(indices).span(), std::as_const(values).span(),
                   stream);
    sampler.rebuild(device_view(device), stream);
    sampler.draw(samples.span(), {3, 0}, stream);
  });
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Indices new_indices = some_indices(items, 500, seed);
    const std::vector<float> new_values = some_values<float>(500, seed);
    copy_to_device(std::span(new_indices), indices.data());
    copy_to_device(std::span(new_values), values.data());
    const cudaStream_t stream = graph.launch();
    updater.finish(stream);
    sampler.finish(stream);
    update_weights(weights, new_indices, new_values);
    Indices expected(256);
    WeightedSampler(weights).draw(expected, {3, 0});
    EXPECT_EQ(host_copy(samples), expected);
  }
}

TEST_F(GpuUpdateWeights, ChangesTheWeightsThatASamplerKeeps) {
  std::vector<float> weights(3000, 1);
  const DeviceBuffer<float> device = device_copy(weights);
  GpuWeightedSampler sampler(device_view(device), {.keep_weights = true});
  DeviceBuffer<Index> samples(256);
  DeviceBuffer<Index> chosen(100);
  GpuChooser chooser(3000, 100);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Indices indices = some_indices(3000, 1500, seed);
    const std::vector<float> values = some_values<float>(1500, seed);
    const DeviceBuffer<Index> device_indices = device_copy(indices);
    const DeviceBuffer<float> device_values = device_copy(values);
    sampler.update(device_indices.span(), device_values.span());
    sampler.draw(samples.span(), {3, 0});
    chooser.choose(sampler.weights(), chosen.span(), RandomState{3, 0});
    sampler.finish(nullptr);
    update_weights(weights, indices, values);
    Indices expected(256);
    WeightedSampler(weights).draw(expected, {3, 0});
    EXPECT_EQ(host_copy(samples), expected);
    expected.resize(chooser.finish());
    choose(weights, expected, {3, 0});
    EXPECT_EQ(host_copy(chosen), expected);
    // A refused update changes nothing.
    const DeviceBuffer<Index> outside = device_copy(Indices{3000});
    sampler.update(outside.span(), device_values.span().first(1));
    EXPECT_EQ(error_of([&] { sampler.finish(nullptr); }),
              "argument 'indices': index 0 is 3000; there are 3000 weights");
  }
  {
    GpuWeightedSampler two(WeightsView::on_device(device.span().first(2)), {.keep_weights = true});
    const DeviceBuffer<Index> both = device_copy(Indices{0, 1});
    const DeviceBuffer<float> zeros = device_copy(std::vector<float>{0, 0});
    two.update(both.span(), zeros.span());
    EXPECT_EQ(error_of([&] { two.finish(nullptr); }),
              "argument 'values': with them all 2 weights are zero");
  }
  sampler.rebuild(device_view(device), nullptr);
  sampler.draw(samples.span(), {3, 0});
  sampler.finish(nullptr);
  Indices expected(256);
  WeightedSampler(std::vector<float>(3000, 1)).draw(expected, {3, 0});
  EXPECT_EQ(host_copy(samples), expected);
  const DeviceBuffer<double> doubles(3000);
  EXPECT_NE(error_of([&] { sampler.rebuild(device_view(doubles), nullptr); }).find("another type"),
            std::string::npos);
  GpuWeightedSampler without(device_view(device));
  EXPECT_NE(error_of([&] { without.update({}, std::span<const float>{}); }).find("keep_weights"),
            std::string::npos);
}

// As prioritised replay does: what is drawn, with its probabilities, is changed.
TEST_F(GpuUpdateWeights, GiveProbabilitiesInAGraph) {
  for (const Index items : {700U, 30'000U}) {
    std::vector<float> weights(items);
    for (Index i = 0; i < items; ++i) weights[i] = static_cast<float>(i % 5);
    GpuWeightedSampler sampler(weights, {.keep_weights = true});
    DeviceBuffer<RandomState> state = device_copy(std::vector<RandomState>{{4, 9}});
    DeviceBuffer<Index> drawn(256);
    DeviceBuffer<float> shares(256);
    const std::vector<float> values = some_values<float>(256, 1);
    const DeviceBuffer<float> device_values = device_copy(values);
    const Graph graph([&](cudaStream_t stream) {
      sampler.draw_and_advance(drawn.span(), state.data(), stream);
      sampler.probabilities_of(std::as_const(drawn).span(), shares.span(), stream);
      sampler.update(std::as_const(drawn).span(), device_values.span(), stream);
    });
    for (std::uint64_t replay = 0; replay < 3; ++replay) {
      sampler.finish(graph.launch());
      const WeightedSampler host(weights);
      Indices expected(256);
      host.draw(expected, {4, 9 + 256 * replay});
      EXPECT_EQ(host_copy(drawn), expected);
      std::vector<float> all(items);
      host.probabilities(all);
      std::vector<float> expected_shares;
      for (const Index item : expected) expected_shares.push_back(all[item]);
      EXPECT_EQ(host_copy(shares), expected_shares);
      update_weights(weights, expected, values);
    }
  }
}

TEST_F(GpuUpdateWeights, ReportsBadUpdatesAndWritesNothing) {
  GpuWeightUpdater updater(5000);
  for (const std::size_t count : {5U, 3000U}) {
    const std::vector<double> weights(4000, 2);
    DeviceBuffer<double> device = device_copy(weights);
    const auto reported = [&](std::size_t number, Index index, double value) {
      Indices indices = some_indices(4000, count, 1);
      std::vector<double> values = some_values<double>(count, 1);
      values.back() = -7;  // the first invalid one is reported
      indices[number] = index;
      values[number] = value;
      const DeviceBuffer<Index> device_indices = device_copy(indices);
      const DeviceBuffer<double> device_values = device_copy(values);
      const std::string message = error_of([&] {
        updater.update(device.span(), device_indices.span(), device_values.span());
        updater.finish();
      });
      EXPECT_EQ(host_copy(device), weights);
      return message;
    };
    EXPECT_EQ(reported(2, 4000, 1), "argument 'indices': index 2 is 4000; there are 4000 weights");
    EXPECT_EQ(reported(3, 7, -1), "argument 'values': value 3 is negative (-1)");
    // The stamps of refused updates are gone.
    const DeviceBuffer<Index> one = device_copy(Indices{7});
    const DeviceBuffer<double> value = device_copy(std::vector<double>{9});
    updater.update(device.span(), one.span(), value.span());
    updater.finish();
    EXPECT_EQ(host_copy(device)[7], 9);
  }
  EXPECT_EQ(error_of([] { GpuWeightUpdater(3).finish(); }),
            "finish: nothing was updated; call update() first");
  EXPECT_EQ(error_of([] { GpuWeightUpdater(0); }),
            "argument 'max_items' is 0; it must be at least 1 and at most 2^32 - 2");
  DeviceBuffer<float> many(5001);
  EXPECT_NE(error_of([&] { updater.update(many.span(), {}, {}); }).find("memory is reserved"),
            std::string::npos);
}

}  // namespace
}  // namespace wrsgpu
