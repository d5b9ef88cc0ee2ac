// Weighted sampling without replacement on the GPU: the items of the host, whose law
// `test_choose.cpp` tests.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "error_message.hpp"
#include "gpu_copies.cuh"
#include "gpu_graph.cuh"
#include "gpu_stream_cases.cuh"
#include "gpu_test.hpp"
#include "tied_clocks.hpp"
#include "verification/brief.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/core/memory_pool.cuh"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/without_replacement/threshold.hpp"
#include "wrsgpu/gpu_choose.cuh"
#include "wrsgpu/gpu_weighted_sampler.cuh"
#include "wrsgpu/weighted_sampler.hpp"

namespace wrsgpu {
namespace {

using GpuChoose = GpuTest;
using Items = std::vector<Index>;

template <class T>
Items chosen_by_host(const std::vector<T>& weights, std::size_t k, RandomState state) {
  Items out(k);
  choose(weights, out, state);
  return out;
}

/// Chooses on the GPU from weights at an address that is aligned to their size alone if `shifted`.
template <class T>
Items chosen(const std::vector<T>& weights, std::size_t k, RandomState state,
             bool shifted = false) {
  std::vector<T> padded(weights);
  if (shifted) padded.insert(padded.begin(), T{-1});
  const DeviceBuffer<T> device = device_copy(padded);
  DeviceBuffer<Index> out(k);
  GpuChooser chooser(static_cast<Index>(weights.size()), static_cast<Index>(k));
  chooser.choose(WeightsView::on_device(device.span().subspan(shifted ? 1 : 0)), out.span(), state);
  EXPECT_EQ(chooser.finish(), k);
  return host_copy(out);
}

template <class T>
void expect_the_hosts(const std::vector<T>& weights, std::size_t k, RandomState state,
                      const std::string& what, bool shifted = false) {
  ASSERT_EQ(chosen(weights, k, state, shifted), chosen_by_host(weights, k, state))
      << k << " of " << weights.size() << " " << what;
}

TEST_F(GpuChoose, GivesTheItemsOfTheHost) {
  const auto sizes = verification::all_or_few<Items>(
      {1, 2, 3, 127, 128, 129, 1023, 1024, 1025, 131'071, 131'073, 1'000'000}, {3, 129, 5000});
  for (const auto& family : verification::weight_families()) {
    for (const Index items : sizes) {
      const std::vector<double> weights = family.make(items);
      std::size_t positive = 0;
      for (const double weight : weights) positive += weight > 0 ? 1 : 0;
      for (const std::size_t k : {std::size_t{1}, positive / 100, positive / 3, positive}) {
        if (k == 0) continue;
        expect_the_hosts(weights, k, {items, 4}, family.name);
        if (!family.fits_float || k < positive / 3) continue;
        const std::vector<float> floats(weights.begin(), weights.end());
        std::size_t floats_positive = 0;
        for (const float weight : floats) floats_positive += weight > 0 ? 1 : 0;
        expect_the_hosts(floats, std::min(k, floats_positive), {items, 7}, family.name);
      }
    }
  }
}

TEST_F(GpuChoose, TakesAnyOffsetAndAddress) {
  std::vector<float> weights(10'007);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<float>(random::philox_word(1, i) >> 44);
  }
  for (const std::uint64_t offset : {0ULL, 1ULL, 2ULL, 3ULL, (1ULL << 34) - 2, ~0ULL - 5000}) {
    for (const bool shifted : {false, true}) {
      expect_the_hosts(weights, 500, {3, offset}, std::to_string(offset), shifted);
    }
  }
}

// Weights on which the estimate of the threshold is wrong by any factor, so that the device must
// find it: those that it samples are all heavy, or light, or zero.
template <class T>
void expect_no_harm_of_the_estimate() {
  const Index items = verification::all_or_few<Index>(1 << 22, 1 << 18);
  for (const auto& [sampled, others] :
       std::vector<std::pair<T, T>>{{T{1}, T{1e-6}}, {T{1e-6}, T{1}}, {T{0}, T{1}}}) {
    for (const std::size_t k : {std::size_t{1}, std::size_t{1000}, std::size_t{items / 20}}) {
      std::vector<T> weights(items, others);
      const detail::ChoicePlan plan(items, static_cast<Index>(k), 17);
      for (Index j = 0; j < plan.sampled; ++j) {
        weights[detail::sampled_item(plan, items, 5, j)] = sampled;
      }
      expect_the_hosts(weights, k, {5, 0}, std::to_string(sampled));
    }
  }
}
TEST_F(GpuChoose, IsRightWhereTheEstimateIsWrong) {
  expect_no_harm_of_the_estimate<float>();
  expect_no_harm_of_the_estimate<double>();
}

// Clocks that are all in few cells, each of more than fit into shared memory: a few more than all
// heavy ones.
TEST_F(GpuChoose, OrdersCellsOfManyClocks) {
  const Index items = verification::all_or_few<Index>(3'000'000, 20'000);
  std::vector<float> weights(items, 1e-12F);
  const Index heavy = items / 10;
  for (Index i = 0; i < heavy; ++i) weights[10 * i] = 1;
  expect_the_hosts(weights, heavy + 50, {6, 0}, "heavy and light");
  expect_the_hosts(std::vector<float>(items, 3), items, {6, 0}, "all");
}

// Of equal clocks the first item, whether they are ordered in shared memory or not; and many more
// than are chosen are refused.
TEST_F(GpuChoose, OfEqualClocksTakesTheFirstItem) {
  for (const Index items : {300U, 20'000U}) {
    std::vector<double> weights(items, 1e-12);
    const RandomState state{9, items};
    const Items tied = tie_clocks(weights, state, 70, 1);
    ASSERT_GT(tied.size(), items / 4 * 3);
    for (const std::size_t k : {tied.size() - 100, tied.size()}) {
      EXPECT_EQ(chosen(weights, k, state),
                Items(tied.begin(), tied.begin() + static_cast<std::ptrdiff_t>(k)));
    }
    if (items < 20'000) continue;
    EXPECT_EQ(error_of([&] { static_cast<void>(chosen(weights, tied.size() / 2, state)); }),
              "choose: too many clocks are equal");
  }
}

// Clocks over the whole range of exponents.
TEST_F(GpuChoose, OrdersClocksOfAllExponents) {
  std::vector<double> weights(verification::all_or_few<Index>(300'000, 3000));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const int extreme = i % 3 == 0 ? 1000 : i % 3 == 1 ? 0 : -1060;
    weights[i] = std::ldexp(1 + static_cast<double>(random::philox_word(2, i) >> 40), extreme - 20);
  }
  weights[0] = std::numeric_limits<double>::max();
  weights[1] = std::numeric_limits<double>::denorm_min();
  expect_the_hosts(weights, weights.size(), {9, 0}, "over all exponents");
}

TEST_F(GpuChoose, RunsInAGraphWithTheStateInDeviceMemory) {
  std::vector<float> weights(200'000);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 1000);
  const DeviceBuffer<float> device = device_copy(weights);
  DeviceBuffer<RandomState> state(1);
  DeviceBuffer<Index> out(1000);
  GpuChooser chooser(200'000, 1000);
  const Graph graph([&](cudaStream_t stream) {
    chooser.choose(device_view(device), out.span(), state.data(), stream);
  });
  for (const RandomState now : {RandomState{1, 0}, RandomState{2, 8}, RandomState{2, 9}}) {
    copy_to_device(std::span<const RandomState>(&now, 1), state.data());
    EXPECT_EQ(chooser.finish(graph.launch()), 1000U);
    EXPECT_EQ(host_copy(out), chosen_by_host(weights, 1000, now));
  }
}

TEST_F(GpuChoose, AdvancesTheStateInDeviceMemory) {
  std::vector<float> weights(30'001);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 1000);
  const DeviceBuffer<float> device = device_copy(weights);
  DeviceBuffer<RandomState> state = device_copy(std::vector<RandomState>{{4, 9}});
  DeviceBuffer<Index> out(3000);
  GpuChooser chooser(30'001, 3000);
  const Graph graph([&](cudaStream_t stream) {
    chooser.choose_and_advance(device_view(device), out.span(), state.data(), stream);
  });
  for (std::uint64_t replay = 0; replay < 3; ++replay) {
    EXPECT_EQ(chooser.finish(graph.launch()), 3000U);
    EXPECT_EQ(host_copy(out), chosen_by_host(weights, 3000, {4, 9 + replay * weights.size()}));
  }
  EXPECT_EQ(host_copy(state).front().offset, 9 + 3 * weights.size());
}

// All memory but that of the weights, the state and a copy of the items belongs to the graph.
TEST_F(GpuChoose, TakesMemoryOfTheCallerAndOfAGraph) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  const std::vector<float> weights(5000, 3);
  const DeviceBuffer<float> device = device_copy(weights);
  DeviceBuffer<RandomState> state = device_copy(std::vector<RandomState>{{4, 9}});
  DeviceBuffer<Index> out(300);
  const std::size_t bytes = GpuChooser::storage_bytes(5000, 300);
  const Graph graph([&](cudaStream_t stream) {
    const PoolBuffer<std::byte> storage(bytes, stream);
    const PoolBuffer<Index> items(300, stream);
    GpuChooser chooser(5000, 300, {storage.data(), bytes});
    chooser.choose_and_advance(device_view(device), {items.data(), 300}, state.data(), stream);
    WRSGPU_CUDA_CHECK(
        cudaMemcpyAsync(out.data(), items.data(), out.bytes(), cudaMemcpyDeviceToDevice, stream));
  });
  for (std::uint64_t replay = 0; replay < 3; ++replay) {
    WRSGPU_CUDA_CHECK(cudaStreamSynchronize(graph.launch()));
    EXPECT_EQ(host_copy(out), chosen_by_host(weights, 300, {4, 9 + replay * 5000}));
  }
  DeviceBuffer<std::byte> storage(bytes);
  GpuChooser chooser(5000, 300, storage.span());
  chooser.choose(device_view(device), out.span(), RandomState{1, 2});
  EXPECT_EQ(chooser.finish(), 300U);
  EXPECT_EQ(host_copy(out), chosen_by_host(weights, 300, {1, 2}));
  EXPECT_EQ(error_of([] { GpuChooser(5000, 300, std::span<std::byte>()); }),
            "argument 'storage' is empty; storage_bytes() are needed");
  EXPECT_EQ(error_of([&] {
              GpuChooser(5000, 300, storage.span().first(bytes / 2))
                  .choose(device_view(device), out.span(), RandomState{1, 2});
            }),
            "temporary storage of " + std::to_string(bytes / 2) +
                " bytes is too small; reserve it with the device that it is used on");
}

TEST_F(GpuChoose, RunsOnTheStreamThatItIsGiven) {
  const std::vector<float> weights(50'000, 2);
  const DeviceBuffer<float> device = device_copy(weights);
  GpuChooser chooser(50'000, 700);
  EXPECT_EQ(drawn_on_another_stream(700,
                                    [&](std::span<Index> out, cudaStream_t stream) {
                                      chooser.choose(device_view(device), out, {1, 0}, stream);
                                    }),
            chosen_by_host(weights, 700, {1, 0}));
}

TEST_F(GpuChoose, ServesSmallerCallsThanItIsMadeFor) {
  GpuChooser chooser(100'000, 5000);
  for (const Index items : {100'000U, 1U, 777U, 50'000U}) {
    const std::vector<double> weights(items, 0.5);
    const DeviceBuffer<double> device = device_copy(weights);
    for (const Index k : {1U, std::min(items, 5000U)}) {
      DeviceBuffer<Index> out(k);
      chooser.choose(device_view(device), out.span(), {k, 1});
      EXPECT_EQ(chooser.finish(), k);
      EXPECT_EQ(host_copy(out), chosen_by_host(weights, k, {k, 1})) << k << " of " << items;
    }
  }
}

TEST_F(GpuChoose, ReportsWhatItCannotChooseAndWritesNothing) {
  GpuChooser chooser(100'000, 50);
  const Items untouched(50, 77);
  const auto reported = [&](const std::vector<float>& weights, std::size_t k,
                            const ChooseOptions& options = {}) {
    const DeviceBuffer<float> device = device_copy(weights);
    DeviceBuffer<Index> out = device_copy(untouched);
    std::string message = error_of([&] {
      chooser.choose(device_view(device), out.span().first(k), {1, 0}, nullptr, options);
      chooser.finish();
    });
    EXPECT_EQ(host_copy(out), untouched) << message;
    return message;
  };
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> many(100'000, 1);
  many[77'777] = -3;
  EXPECT_EQ(reported(many, 5), "argument 'weights': weight 77777 is negative (-3)");
  many[77'776] = nan;
  many[99'999] = infinity;
  EXPECT_NE(reported(many, 50).find("weight 77776 is not a number"), std::string::npos);
  EXPECT_EQ(reported({1, infinity}, 1), "argument 'weights': weight 1 is infinite (inf)");
  EXPECT_EQ(reported({0, 0, 0}, 1), "argument 'weights': all 3 weights are zero");
  EXPECT_EQ(reported({0, 0}, 2, {.allow_fewer = true}),
            "argument 'weights': all 2 weights are zero");
  EXPECT_NE(reported({0, 1, 0, 2}, 3).find("only 2 weights are positive"), std::string::npos);
  many.assign(100'000, 0);
  many[5] = many[99'000] = 1;
  EXPECT_NE(reported(many, 3).find("only 2 weights are positive"), std::string::npos);
  EXPECT_EQ(reported({}, 1), "argument 'weights' is empty; at least one is needed");
  EXPECT_EQ(reported({1, 2}, 0), "argument 'out' is empty; at least one item must be chosen");
  EXPECT_EQ(reported({1, 2}, 3),
            "argument 'out' has 3 elements, more than the 2 items to choose from");
  EXPECT_NE(reported(std::vector<float>(100'001, 1), 1).find("memory is reserved"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { GpuChooser(0, 0); }),
            "argument 'max_items' is 0; it must be at least 1 and at most 2^32 - 2");
  EXPECT_EQ(error_of([&] { GpuChooser(3, 4); }),
            "argument 'max_chosen' is 4; it must be at least 1 and at most max_items, 3");
  EXPECT_EQ(error_of([] { GpuChooser(3, 1).finish(); }),
            "finish: nothing was chosen; call choose() first");
  Items on_host(3);
  const std::vector<float> weights{1, 2};
  EXPECT_EQ(error_of([&] {
              chooser.choose(weights, on_host, {1, 0});
            }),
            "argument 'weights' is in cpu memory; cuda memory is needed");
}

TEST_F(GpuChoose, GivesFewerIfThatIsAllowed) {
  std::vector<float> weights(50'000, 0);
  for (const Index item : {7U, 900U, 49'999U}) weights[item] = static_cast<float>(item);
  const DeviceBuffer<float> device = device_copy(weights);
  DeviceBuffer<Index> out = device_copy(Items(5, 77));
  GpuChooser chooser(50'000, 5);
  chooser.choose(device_view(device), out.span(), {1, 0}, nullptr, {.allow_fewer = true});
  EXPECT_EQ(chooser.finish(), 3U);
  Items expected = chosen_by_host(weights, 3, {1, 0});
  expected.resize(5, 77);
  EXPECT_EQ(host_copy(out), expected);
}

// Items by the table alone.

/// What `draw_distinct` gives; no items and 0 words where the draws do not suffice.
struct Distinct {
  Items items;
  std::uint64_t used = 0;
  bool operator==(const Distinct&) const = default;
};
Distinct distinct_of_host(const WeightedSampler& sampler, std::size_t k, RandomState state) {
  Distinct distinct{Items(k)};
  try {
    distinct.used = sampler.draw_distinct(distinct.items, state);
  } catch (const Error&) {
    return {};
  }
  return distinct;
}
Distinct distinct_of(const GpuWeightedSampler& sampler, std::size_t k, RandomState state) {
  const Items untouched(k, ~Index{0});
  DeviceBuffer<Index> out = device_copy(untouched);
  DeviceBuffer<std::uint64_t> used(1);
  sampler.draw_distinct(out.span(), state, used.data());
  Distinct distinct{host_copy(out), host_copy(used).front()};
  if (distinct.used > 0) return distinct;
  EXPECT_EQ(distinct.items, untouched);
  return {};
}

using GpuDrawDistinct = GpuTest;

TEST_F(GpuDrawDistinct, GivesTheItemsOfTheHost) {
  for (const auto& family : verification::weight_families()) {
    for (const Index items : verification::all_or_few<Items>({1, 2, 3, 513, 30'000}, {2, 600})) {
      const Generator generator = items % 2 == 0 ? Generator::philox : Generator::philox7;
      const WeightedSamplerOptions options{.generator = generator, .threads = 1};
      const WeightedSampler host(family.make(items), options);
      const GpuWeightedSampler gpu(family.make(items), options);
      for (const Index k : {1U, 2U, 511U, 4096U}) {
        if (k > items) continue;
        const RandomState state{items, ~std::uint64_t{0} - 300};
        ASSERT_EQ(distinct_of(gpu, k, state), distinct_of_host(host, k, state))
            << k << " of " << items << " " << family.name;
      }
    }
  }
}

// Nearly all draws, and more draws than are made, give the item that came first.
TEST_F(GpuDrawDistinct, GivesUpWhereTheHostDoes) {
  std::vector<double> weights(3000, 1);
  weights[5] = 1e6;
  const auto expect_the_hosts = [&](bool gives_up) {
    const Distinct expected = distinct_of_host(WeightedSampler(weights), 1500, {8, 1});
    EXPECT_EQ(expected.items.empty(), gives_up);
    EXPECT_EQ(distinct_of(GpuWeightedSampler(weights), 1500, {8, 1}), expected);
  };
  expect_the_hosts(false);
  weights[5] = 1e7;
  expect_the_hosts(true);
}

TEST_F(GpuDrawDistinct, RunsInAGraphAndAdvancesTheState) {
  std::vector<double> weights(5000);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i % 7);
  const WeightedSampler host(weights);
  const GpuWeightedSampler gpu(weights);
  DeviceBuffer<RandomState> state = device_copy(std::vector<RandomState>{{4, 9}});
  DeviceBuffer<Index> out(700);
  DeviceBuffer<std::uint64_t> used(1);
  const Graph graph([&](cudaStream_t stream) {
    gpu.draw_distinct_and_advance(out.span(), state.data(), used.data(), stream);
  });
  RandomState now{4, 9};
  for (int replay = 0; replay < 3; ++replay) {
    WRSGPU_CUDA_CHECK(cudaStreamSynchronize(graph.launch()));
    const Distinct expected = distinct_of_host(host, 700, now);
    EXPECT_EQ(host_copy(out), expected.items);
    EXPECT_EQ(host_copy(used).front(), expected.used);
    now.offset += expected.used;
    EXPECT_EQ(host_copy(state).front().offset, now.offset);
  }
  EXPECT_EQ(drawn_on_another_stream(700,
                                    [&](std::span<Index> items, cudaStream_t stream) {
                                      gpu.draw_distinct(items, now, used.data(), stream);
                                    }),
            distinct_of_host(host, 700, now).items);
}

TEST_F(GpuDrawDistinct, RefusesWhatItCannotDraw) {
  const GpuWeightedSampler sampler(std::vector<double>(5000, 1));
  DeviceBuffer<Index> out(6000);
  DeviceBuffer<std::uint64_t> used(1);
  const auto refused = [&](std::size_t k) {
    return error_of([&] { sampler.draw_distinct(out.span().first(k), {1, 0}, used.data()); });
  };
  EXPECT_EQ(refused(5001),
            "argument 'out' has 5001 elements, more than the 5000 items to choose from");
  EXPECT_NE(refused(4097).find("more than the 4096 that a GPU draws"), std::string::npos);
  EXPECT_EQ(refused(0), "no error");
  EXPECT_EQ(host_copy(used).front(), 0U);
  Items on_host(3);
  std::uint64_t used_on_host = 0;
  EXPECT_NE(error_of([&] { sampler.draw_distinct(on_host, {1, 0}, used.data()); }), "no error");
  EXPECT_NE(error_of([&] {
              sampler.draw_distinct(out.span().first(3), {1, 0}, &used_on_host);
            }),
            "no error");
  EXPECT_NE(error_of([&] {
              GpuWeightedSampler().draw_distinct(out.span().first(3), {1, 0}, used.data());
            }).find("no table"),
            std::string::npos);
}

}  // namespace
}  // namespace wrsgpu
