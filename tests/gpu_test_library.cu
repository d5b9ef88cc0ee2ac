// The public interface of the library on the GPU, compared with the host.
#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gpu_construction_cases.cuh"
#include "gpu_copies.cuh"
#include "gpu_graph.cuh"
#include "gpu_stream_cases.cuh"
#include "gpu_test.hpp"
#include "host_sampler_results.hpp"
#include "remapped_numbers.hpp"
#include "sampling/generators/xorwow.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/sample_tests.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/detail/core/device_attribute.cuh"
#include "wrsgpu/detail/core/memory_pool.cuh"
#include "wrsgpu/detail/core/pinned_buffer.cuh"
#include "wrsgpu/detail/core/side_stream.cuh"
#include "wrsgpu/detail/masses/gpu_zero_mass_items.cuh"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/sampling/fastest_sampler.hpp"
#include "wrsgpu/gpu_weighted_sampler.cuh"
#include "wrsgpu/weighted_sampler.hpp"

namespace wrsgpu {
namespace {

using GpuLibrary = GpuTest;

constexpr RandomState state{7, 3};
constexpr Index sizes[] = {1, 3, 1000, 2049, 100'003};

static_assert(!std::is_copy_constructible_v<GpuWeightedSampler>);
static_assert(!std::is_constructible_v<WeightsView, DeviceBuffer<float>>);
static_assert(!std::is_constructible_v<GpuWeightedSampler, DeviceBuffer<float>>);
static_assert(std::is_nothrow_move_constructible_v<GpuWeightedSampler>);

std::vector<Index> drawn(const GpuWeightedSampler& sampler, std::size_t samples,
                         RandomState random = state) {
  DeviceBuffer<Index> out(samples);
  sampler.draw(out.span(), random);
  return host_copy(out);
}

std::vector<std::uint64_t> counted(const GpuWeightedSampler& sampler, std::uint64_t samples) {
  DeviceBuffer<std::uint64_t> counts(sampler.size());
  WRSGPU_CUDA_CHECK(cudaMemset(counts.data(), 0xEE, counts.bytes()));
  sampler.histogram(counts.span(), samples, state);
  return host_copy(counts);
}
std::vector<std::uint64_t> counted(const WeightedSampler& sampler, std::uint64_t samples) {
  std::vector<std::uint64_t> counts(sampler.size());
  sampler.histogram(counts, samples, state);
  return counts;
}

__global__ void choose_in_kernel(SamplerViewWithProbabilities view, SamplerView plain,
                                 ChoiceWithProbability* choices, Index* items,
                                 std::uint64_t count) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= count) return;
  const RandomWord word(random::SplitWords<>(state.seed).word(state.offset + k));
  choices[k] = view(word);
  items[k] = plain(word).item;
}

/// Draws with a view in a kernel, with the words that `draw` uses.
void expect_choices_of_the_host(const GpuWeightedSampler& gpu, const WeightedSampler& host) {
  constexpr std::uint64_t count = 20'000;
  DeviceBuffer<ChoiceWithProbability> choices(count);
  DeviceBuffer<Index> items(count);
  choose_in_kernel<<<(count + 255) / 256, 256>>>(gpu.view_with_probabilities(), gpu.view(),
                                                 choices.data(), items.data(), count);
  check_launch("choose_in_kernel");
  const std::vector<ChoiceWithProbability> found = host_copy(choices);
  const SamplerViewWithProbabilities view = host.view_with_probabilities();
  for (std::uint64_t k = 0; k < count; ++k) {
    const auto expected = view(RandomWord(random::SplitWords<>(state.seed).word(state.offset + k)));
    ASSERT_EQ(found[k].item, expected.item) << "word " << k;
    ASSERT_EQ(found[k].probability, expected.probability) << "word " << k;
    ASSERT_EQ(found[k].remapped, expected.remapped) << "word " << k;
  }
  EXPECT_EQ(host_copy(items), drawn(host, count));
}

void expect_twins(const GpuWeightedSampler& gpu, const WeightedSampler& host) {
  ASSERT_EQ(gpu.size(), host.size());
  EXPECT_EQ(drawn(gpu, 10'001), drawn(host, 10'001));
  EXPECT_EQ(counted(gpu, 10'001), counted(host, 10'001));
  expect_choices_of_the_host(gpu, host);
}

constexpr WeightedSamplerOptions with_probabilities{.with_probabilities = true};

TEST_F(GpuLibrary, IsTheHostsTwin) {
  for (const verification::WeightFamily& family : verification::weight_families()) {
    for (const Index n : sizes) {
      SCOPED_TRACE(family.name + ", " + std::to_string(n) + " items");
      const std::vector<double> weights = family.make(n);
      const DeviceBuffer<double> device = on_device(weights);
      const WeightedSampler host(weights, with_probabilities);
      expect_twins(GpuWeightedSampler(weights, with_probabilities), host);
      expect_twins(GpuWeightedSampler(device_view(device), with_probabilities), host);
      if (HasFailure()) return;
    }
  }
  const std::vector<double> doubles = power_law(5000);
  const std::vector<float> floats(doubles.begin(), doubles.end());
  expect_twins(GpuWeightedSampler(floats, with_probabilities),
               WeightedSampler(floats, with_probabilities));
}

__global__ void choose_many_in_kernel(SamplerView view, Choice* choices, std::uint64_t count) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= count) return;
  choices[k] = view(RandomWord(random::SplitWords<>(verification::remapped_seed).word(k)));
}

// test_sampler_view.cpp shows that these tests notice biases.
TEST_F(GpuLibrary, RemappedNumbersAreUniformWhateverTheItem) {
  constexpr std::uint64_t count = verification::remapped_samples;
  for (const char* family : {"powerlaw_1_shuffled", "uniform", "one_heavy_last"}) {
    const std::vector<double> weights = verification::find_weight_family(family).make(50);
    const GpuWeightedSampler sampler(weights);
    DeviceBuffer<Choice> choices(count);
    choose_many_in_kernel<<<(count + 255) / 256, 256>>>(sampler.view(), choices.data(), count);
    check_launch("choose_many_in_kernel");
    const auto report = verification::test_remapped(host_copy(choices), weights);
    EXPECT_TRUE(report.passes(verification::suite_budget.level()))
        << family << ": " << to_string(report);
  }
}

/// Probabilities of all items, including those that are never drawn.
__global__ void copy_probabilities(SamplerViewWithProbabilities view, float* probabilities) {
  const Index i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < view.size()) probabilities[i] = view.probability(i);
}

TEST_F(GpuLibrary, ProbabilitiesAreTheHosts) {
  for (const verification::WeightFamily& family : verification::weight_families()) {
    for (const Index n : sizes) {
      const std::vector<double> weights = family.make(n);
      const GpuWeightedSampler gpu(weights, with_probabilities);
      const WeightedSampler host(weights, with_probabilities);
      DeviceBuffer<float> device(n);
      copy_probabilities<<<(n + 255) / 256, 256>>>(gpu.view_with_probabilities(), device.data());
      check_launch("copy_probabilities");
      const std::vector<float> found = host_copy(device);
      for (Index i = 0; i < n; ++i) {
        ASSERT_EQ(found[i], host.view_with_probabilities().probability(i))
            << family.name << ", item " << i << " of " << n;
      }
    }
  }
}

// Large enough for the samplers that draw section by section.
TEST_F(GpuLibrary, AnyOrderHasTheRightDistribution) {
  const std::vector<double> weights = power_law(100'003);
  constexpr std::size_t samples = 50'000'000;
  const auto found_with = [&](Generator generator) {
    const GpuWeightedSampler sampler(weights, {.order = SampleOrder::any, .generator = generator});
    const std::vector<Index> found = drawn(sampler, samples);
    const auto counts = verification::count_samples(found, sampler.size());
    EXPECT_EQ(counted(sampler, samples), counts);
    const auto report =
        verification::chi_squared(counts, verification::expected_probabilities(weights), 20);
    EXPECT_TRUE(report.passes(verification::suite_budget.level())) << to_string(report);
    return found;
  };
  EXPECT_NE(found_with(Generator::philox), found_with(Generator::philox7));
}

TEST_F(GpuLibrary, DrawsTheHostsSamplesWithPhiloxOf7Rounds) {
  constexpr WeightedSamplerOptions options{.generator = Generator::philox7};
  for (const Index n : sizes) {
    const GpuWeightedSampler gpu(power_law(n), options);
    const WeightedSampler host(power_law(n), options);
    EXPECT_EQ(drawn(gpu, 10'001), drawn(host, 10'001)) << n << " items";
    EXPECT_EQ(counted(gpu, 10'001), counted(host, 10'001)) << n << " items";
  }
  EXPECT_NE(drawn(GpuWeightedSampler(power_law(1000), options), 10'001),
            drawn(GpuWeightedSampler(power_law(1000)), 10'001));
}

/// The samples of `state` from `offset` on, as 64-bit numbers.
std::vector<std::uint64_t> expected_wide(const WeightedSampler& host, std::size_t samples,
                                         std::uint64_t offset) {
  std::vector<std::uint64_t> expected(samples);
  host.draw(expected, {state.seed, offset});
  return expected;
}

// Numbers of samples of one block and of many, and every alignment of words and output.
constexpr std::size_t draw_sizes[] = {1, 5, 2048, 2049, 100'003};

TEST_F(GpuLibrary, DrawsTheSame64BitSamples) {
  for (const Generator generator : {Generator::philox, Generator::philox7}) {
    const GpuWeightedSampler gpu(power_law(1000), {.generator = generator});
    const WeightedSampler host(power_law(1000), {.generator = generator});
    for (const std::size_t samples : draw_sizes) {
      for (std::size_t shift = 0; shift < 4; ++shift) {
        DeviceBuffer<std::uint64_t> out(samples + shift + 1);
        WRSGPU_CUDA_CHECK(cudaMemset(out.data(), 0xEE, out.bytes()));
        gpu.draw(out.span().subspan(shift, samples), {state.seed, 3});
        std::vector<std::uint64_t> found = host_copy(out);
        EXPECT_EQ(found.back(), 0xEEEE'EEEE'EEEE'EEEEULL);
        found.pop_back();
        found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(shift));
        EXPECT_EQ(found, expected_wide(host, samples, 3)) << samples << " samples, " << shift;
      }
    }
  }
}

/// The most memory of the stream-ordered pool that `work` has in use.
template <class Work>
std::uint64_t pool_bytes_during(const Work& work) {
  std::uint64_t bytes = 0;
  WRSGPU_CUDA_CHECK(cudaMemPoolSetAttribute(memory_pool(), cudaMemPoolAttrUsedMemHigh, &bytes));
  work();
  WRSGPU_CUDA_CHECK(cudaMemPoolGetAttribute(memory_pool(), cudaMemPoolAttrUsedMemHigh, &bytes));
  return bytes;
}

// Many samples of a table that exceeds the cache are drawn from short rows.
TEST_F(GpuLibrary, DrawsTheSameManySamples) {
  const auto l2_bytes = static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize));
  const auto items = static_cast<Index>(l2_bytes / sizeof(CompactRow));
  const std::size_t samples = items + std::size_t{3};
  ASSERT_TRUE(are_worth_packing(items, samples, l2_bytes));
  for (const Generator generator : {Generator::philox, Generator::philox7}) {
    const GpuWeightedSampler gpu(power_law(items), {.generator = generator});
    const WeightedSampler host(power_law(items), {.generator = generator});
    std::vector<Index> expected(samples);
    host.draw(expected, {state.seed, 3});
    DeviceBuffer<Index> out(samples);
    EXPECT_GE(pool_bytes_during([&] { gpu.draw(out.span(), {state.seed, 3}); }), 2 * items);
    EXPECT_TRUE(host_copy(out) == expected);
    DeviceBuffer<std::uint64_t> wide(samples);
    EXPECT_GE(pool_bytes_during([&] { gpu.draw(wide.span(), {state.seed, 3}); }), 2 * items);
    EXPECT_TRUE(host_copy(wide) == std::vector<std::uint64_t>(expected.begin(), expected.end()));
    EXPECT_LT(pool_bytes_during([&] { gpu.draw(out.span().first(1000), state); }), 2 * items);
#ifdef NDEBUG  // Debug builds wait for every kernel, which a capture forbids
    // A graph needs no memory, and draws the same.
    const Graph graph([&](cudaStream_t stream) { gpu.draw(out.span(), {state.seed, 3}, stream); });
    EXPECT_EQ(graph.kernels().size(), 1U);
    WRSGPU_CUDA_CHECK(cudaMemset(out.data(), 0, out.bytes()));
    EXPECT_LT(pool_bytes_during([&] { WRSGPU_CUDA_CHECK(cudaStreamSynchronize(graph.launch())); }),
              2 * items);
    EXPECT_TRUE(host_copy(out) == expected);
#endif
  }
}

/// A state in device memory, and what a draw with it writes.
template <class Number>
struct StatefulDraw {
  explicit StatefulDraw(std::size_t samples, RandomState begin)
      : out(samples), in_memory(on_device(std::vector<RandomState>{begin})) {}
  [[nodiscard]] std::vector<std::uint64_t> samples() const {
    const std::vector<Number> found = host_copy(out);
    return {found.begin(), found.end()};
  }
  void expect_offset(std::uint64_t offset) const {
    EXPECT_EQ(host_copy(in_memory).front().seed, state.seed);
    EXPECT_EQ(host_copy(in_memory).front().offset, offset);
  }
  DeviceBuffer<Number> out;
  DeviceBuffer<RandomState> in_memory;
};

template <class Number>
void expect_successive_draws(const GpuWeightedSampler& gpu, const WeightedSampler& host) {
  for (const std::size_t samples : draw_sizes) {
    SCOPED_TRACE(std::to_string(samples) + " samples");
    StatefulDraw<Number> draw(samples, {state.seed, 3});
    for (std::uint64_t offset = 3; offset < 3 + 4 * samples; offset += samples) {
      gpu.draw_and_advance(draw.out.span(), draw.in_memory.data());
      EXPECT_EQ(draw.samples(), expected_wide(host, samples, offset));
      draw.expect_offset(offset + samples);
    }
  }
}

TEST_F(GpuLibrary, AdvancesAStateInDeviceMemory) {
  for (const Generator generator : {Generator::philox, Generator::philox7}) {
    const GpuWeightedSampler gpu(power_law(1000), {.generator = generator});
    const WeightedSampler host(power_law(1000), {.generator = generator});
    expect_successive_draws<Index>(gpu, host);
    expect_successive_draws<std::uint64_t>(gpu, host);
  }
  const GpuWeightedSampler gpu(power_law(1000));
  DeviceBuffer<RandomState> in_memory = on_device(std::vector<RandomState>{state});
  DeviceBuffer<std::uint64_t> counts(1000);
  gpu.histogram_and_advance(counts.span(), 10'001, in_memory.data());
  EXPECT_EQ(host_copy(counts), counted(gpu, 10'001));
  EXPECT_EQ(host_copy(in_memory).front().offset, state.offset + 10'001);
  DeviceBuffer<std::uint64_t> samples(5000);
  draw_and_advance(gpu.view(), samples.span(), in_memory.data());
  EXPECT_EQ(host_copy(samples),
            expected_wide(WeightedSampler(power_law(1000)), 5000, state.offset + 10'001));
}

// Replays draw what successive calls do.
TEST_F(GpuLibrary, ReplaysOfAGraphDrawNewSamples) {
  const GpuWeightedSampler gpu(power_law(1000));
  const WeightedSampler host(power_law(1000));
  for (const std::size_t samples : draw_sizes) {
    StatefulDraw<Index> draw(samples, {state.seed, 0});
    const Graph graph([&](cudaStream_t stream) {
      gpu.draw_and_advance(draw.out.span(), draw.in_memory.data(), stream);
    });
    for (std::uint64_t replay = 0; replay < 3; ++replay) {
      WRSGPU_CUDA_CHECK(cudaStreamSynchronize(graph.launch()));
      EXPECT_EQ(draw.samples(), expected_wide(host, samples, replay * samples));
    }
    draw.expect_offset(3 * samples);
  }
}

TEST_F(GpuLibrary, ComputesProbabilitiesFromTheTable) {
  for (const verification::WeightFamily& family : verification::weight_families()) {
    for (const Index n : sizes) {
      const std::vector<double> weights = family.make(n);
      std::vector<float> expected(n);
      WeightedSampler(weights).probabilities(expected);
      for (const bool stored : {false, true}) {
        const GpuWeightedSampler gpu(weights, {.with_probabilities = stored});
        DeviceBuffer<float> found(n);
        gpu.probabilities(found.span());
        ASSERT_EQ(host_copy(found), expected) << family.name << ", " << n << " items";
      }
    }
  }
}

/// Compares the probabilities of some items, or of all of few, with those of all.
void expect_probabilities_of_some(const GpuWeightedSampler& gpu) {
  std::vector<Index> items(std::min<Index>(gpu.size(), 2100));
  for (Index k = 0; k < items.size(); ++k) {
    items[k] =
        items.size() == gpu.size() ? k : static_cast<Index>(random::philox_word(1, k) % gpu.size());
  }
  const std::vector<std::uint64_t> wide(items.begin(), items.end());
  DeviceBuffer<float> all(gpu.size());
  gpu.probabilities(all.span());
  const std::vector<float> of_all = host_copy(all);
  std::vector<float> expected;
  for (const Index item : items) expected.push_back(of_all[item]);
  DeviceBuffer<float> found(items.size());
  gpu.probabilities_of(device_copy(items).span(), found.span());
  ASSERT_EQ(host_copy(found), expected) << gpu.size() << " items";
  WRSGPU_CUDA_CHECK(cudaMemset(found.data(), 0xEE, found.bytes()));
  gpu.probabilities_of(device_copy(wide).span(), found.span());
  ASSERT_EQ(host_copy(found), expected) << gpu.size() << " items";
}

TEST_F(GpuLibrary, ComputesProbabilitiesOfSomeItems) {
  constexpr WeightedSamplerOptions options{.keep_weights = true};
  for (const verification::WeightFamily& family : verification::weight_families()) {
    for (const Index n :
         verification::all_or_few<std::vector<Index>>({1, 3, 2048, 2049, 100'003}, {3, 2049})) {
      SCOPED_TRACE(family.name);
      const std::vector<double> weights = family.make(n);
      GpuWeightedSampler gpu(weights, options);
      expect_probabilities_of_some(gpu);
      EXPECT_NE(error_of([&] { gpu.rebuild(std::vector<double>(n, -1)); }), "no error");
      expect_probabilities_of_some(gpu);
      if (!family.fits_float) continue;
      gpu.rebuild(std::vector<float>(weights.begin(), weights.end()));
      expect_probabilities_of_some(gpu);
    }
  }
  GpuWeightedSampler sampler(power_law(3000), options);
  // Invalid weights make all items equally likely until `finish`.
  const DeviceBuffer<double> invalid = device_copy(std::vector<double>(2500, -1));
  sampler.rebuild(device_view(invalid), nullptr);
  expect_probabilities_of_some(sampler);
  const DeviceBuffer<double> fewer = device_copy(power_law(2500));
  sampler.rebuild(device_view(fewer), nullptr);
  expect_probabilities_of_some(sampler);
  if (verification::all_or_few(false, true)) return;
  // Tiles of weights that are sorted and many are interleaved.
  std::vector<float> ramp((1 << 24) + 1000);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i + 1);
  expect_probabilities_of_some(GpuWeightedSampler(ramp, options));
}

TEST_F(GpuLibrary, ComputesProbabilitiesOfItemsByKeptWeightsAlone) {
  const DeviceBuffer<Index> items = device_copy(std::vector<Index>{1, 0});
  DeviceBuffer<float> out(2);
  const GpuWeightedSampler sampler({1.0, 3.0}, {.keep_weights = true});
  const auto error = [&](const GpuWeightedSampler& from, std::span<const Index> of) {
    return error_of([&] { from.probabilities_of(of, out.span()); });
  };
  EXPECT_EQ(error(sampler, items.span()), "no error");
  EXPECT_EQ(host_copy(out), (std::vector<float>{0.75, 0.25}));
  EXPECT_EQ(error(sampler, items.span().first(1)),
            "probabilities_of: argument 'out' has 2 elements for 1 items");
  const std::vector<Index> on_host{1, 0};
  EXPECT_NE(error(sampler, on_host), "no error");
  EXPECT_NE(error(GpuWeightedSampler({1.0, 3.0}), items.span()).find("keep_weights"),
            std::string::npos);
  EXPECT_NE(error(GpuWeightedSampler(), items.span()).find("no table"), std::string::npos);
}

TEST_F(GpuLibrary, RebuildsInPlace) {
  GpuWeightedSampler sampler(power_law(5000), with_probabilities);
  EXPECT_EQ(sampler.capacity(), 5000U);
  Index maximum = 5000;
  for (const Index n : {5000U, 10U, 4000U, 100'003U, 1U, 3000U}) {
    SCOPED_TRACE(std::to_string(n) + " items");
    const std::vector<double> weights = uniform_weights(n, n);
    sampler.rebuild(weights);
    maximum = std::max(maximum, n);
    EXPECT_EQ(sampler.capacity(), maximum);
    expect_twins(sampler, WeightedSampler(weights, with_probabilities));
  }
}

TEST_F(GpuLibrary, RebuildsOnAStream) {
  GpuWeightedSampler sampler(power_law(50'000), with_probabilities);
  cudaStream_t stream = nullptr;
  WRSGPU_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (const Index n : {50'000U, 10U, 4000U, 49'999U, 1U}) {
    SCOPED_TRACE(std::to_string(n) + " items");
    const std::vector<double> weights = uniform_weights(n, n);
    const std::vector<float> floats(weights.begin(), weights.end());
    const DeviceBuffer<double> device = on_device(weights);
    const DeviceBuffer<float> device_floats = on_device(floats);
    sampler.rebuild(device_view(device), stream);
    sampler.finish(stream);
    expect_twins(sampler, WeightedSampler(weights, with_probabilities));
    sampler.rebuild(device_view(device_floats), stream);
    sampler.finish(stream);
    expect_twins(sampler, WeightedSampler(floats, with_probabilities));
  }
  EXPECT_EQ(sampler.capacity(), 50'000U);
  WRSGPU_CUDA_CHECK(cudaStreamDestroy(stream));
}

// A capture rejects allocation and synchronisation, so the test also shows that there is none, but
// after a release. The previous table was larger, from different weights.
TEST_F(GpuLibrary, IsCapturedInAGraphAndReplayedWithOtherWeights) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  constexpr std::size_t samples = 100'000;
  for (const Index n : {50'000U, 1000U}) {
    for (const SampleOrder order : {SampleOrder::random, SampleOrder::any}) {
      const WeightedSamplerOptions options{.order = order, .with_probabilities = true};
      GpuWeightedSampler sampler(power_law(50'000), options);
      if (order == SampleOrder::random) sampler.release_temporary_memory();
      EXPECT_EQ(sampler.capacity(), 50'000U);
      DeviceBuffer<float> device(n);
      DeviceBuffer<Index> out(samples);
      DeviceBuffer<std::uint64_t> counts(n);
      const Graph graph([&](cudaStream_t stream) {
        sampler.rebuild(device_view(device), stream);
        sampler.draw(out.span(), state, stream);
        sampler.histogram(counts.span(), samples, state, stream);
      });
      for (std::uint64_t seed = 1; seed < 4; ++seed) {
        SCOPED_TRACE(std::to_string(n) + " items, seed " + std::to_string(seed));
        const std::vector<double> weights = uniform_weights(n, seed);
        const std::vector<float> floats(weights.begin(), weights.end());
        copy_to_device(std::span<const float>(floats), device.data());
        sampler.finish(graph.launch());
        const std::vector<Index> found = host_copy(out);
        EXPECT_EQ(host_copy(counts), verification::count_samples(found, n));
        EXPECT_EQ(found, drawn(GpuWeightedSampler(floats, options), samples));
        if (order == SampleOrder::any) continue;
        const WeightedSampler host(floats, with_probabilities);
        EXPECT_EQ(found, drawn(host, samples));
        expect_twins(sampler, host);
      }
    }
  }
}

/// Bytes of device memory that are in use.
std::size_t used_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  WRSGPU_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return total - free;
}

TEST_F(GpuLibrary, ReleasesTheTemporaryMemoryOfBuildsAndAllocatesItAgain) {
  constexpr Index n = 10'000'000;
  const DeviceBuffer<float> weights = on_device(std::vector<float>(n, 1));
  const DeviceBuffer<float> fewer = on_device(std::vector<float>(n / 2, 1));
  const std::size_t before = used_bytes();
  GpuWeightedSampler sampler(device_view(weights), {.keep_weights = true});
  const std::size_t built = used_bytes() - before;
  const std::vector<Index> expected = drawn(sampler, 1000);
  sampler.release_temporary_memory();
  const std::size_t released = used_bytes() - before;
  EXPECT_LE(released + std::size_t{5} * n, built);
  const auto expect_used = [&](std::size_t bytes) {
    constexpr double slab = 4 << 20;  // small allocations share memory
    EXPECT_NEAR(static_cast<double>(used_bytes() - before), static_cast<double>(bytes), slab);
  };
  EXPECT_EQ(drawn(sampler, 1000), expected);
  // Each rebuild allocates as much as there was, for all that the sampler has room for.
  const auto rebuilds = {+[](GpuWeightedSampler& s, WeightsView w) { s.rebuild(w); },
                         +[](GpuWeightedSampler& s, WeightsView w) {
                           s.rebuild(w, nullptr);
                           s.finish(nullptr);
                         }};
  for (const auto rebuild : rebuilds) {
    for (const auto* some : {&fewer, &weights}) {
      rebuild(sampler, device_view(*some));
      EXPECT_EQ(sampler.capacity(), n);
      expect_used(built);
    }
    EXPECT_EQ(drawn(sampler, 1000), expected);
    sampler.release_temporary_memory();
    sampler.release_temporary_memory();  // there is none
    expect_used(released);
  }
  const DeviceBuffer<Index> items = on_device(std::vector<Index>{7});
  const DeviceBuffer<float> values = on_device(std::vector<float>{1});
  sampler.update(items.span(), values.span());
  sampler.finish(nullptr);
  EXPECT_EQ(drawn(sampler, 1000), expected);
  expect_used(built);
  EXPECT_THROW(GpuWeightedSampler().release_temporary_memory(), Error);
}

// Otherwise a draw would return items out of range.
TEST_F(GpuLibrary, FinishNoticesAGraphOfAnotherNumberOfWeights) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  GpuWeightedSampler sampler(power_law(5000), with_probabilities);
  const std::vector<double> more = uniform_weights(1000, 1);
  const std::vector<double> fewer = uniform_weights(500, 2);
  DeviceBuffer<double> device_more = on_device(more);
  const DeviceBuffer<double> device_fewer = on_device(fewer);
  const auto finish = [&](cudaStream_t stream) {
    return error_of([&] { sampler.finish(stream); });
  };
  const auto refusal = [](Index ran, Index called_for) {
    return "argument 'weights' has " + std::to_string(called_for) +
           " items, and what ran last was of " + std::to_string(ran) +
           "; launch the graph that captured the last construction, and none of another number of "
           "weights";
  };
  DeviceBuffer<Index> out(10);
  const Graph of_more(
      [&](cudaStream_t stream) { sampler.rebuild(device_view(device_more), stream); });
  EXPECT_EQ(
      finish(nullptr),
      "argument 'weights' has 1000 items, and their construction has not run; launch the graph "
      "that captured it");
  const Graph of_fewer(
      [&](cudaStream_t stream) { sampler.rebuild(device_view(device_fewer), stream); });
  EXPECT_EQ(finish(of_more.launch()), refusal(1000, 500));
  EXPECT_THROW(sampler.draw(out.span(), state), Error);  // no table
  sampler.finish(of_fewer.launch());
  expect_twins(sampler, WeightedSampler(fewer, with_probabilities));
  // For any weights that the graph reads.
  std::vector<double> invalid = more;
  invalid[700] = std::numeric_limits<double>::quiet_NaN();
  copy_to_device(std::span<const double>(invalid), device_more.data());
  EXPECT_EQ(finish(of_more.launch()), refusal(1000, 500));
}

TEST_F(GpuLibrary, FinishDoesNotBlameWeightsThatAGraphDidNotRead) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  GpuWeightedSampler sampler(power_law(1000), with_probabilities);
  std::vector<double> invalid = power_law(1000);
  invalid[3] = std::numeric_limits<double>::quiet_NaN();
  const DeviceBuffer<double> device_invalid = on_device(invalid);
  const DeviceBuffer<double> device_valid = on_device(power_law(1000));
  const Graph graph(
      [&](cudaStream_t stream) { sampler.rebuild(device_view(device_invalid), stream); });
  sampler.rebuild(device_view(device_valid), nullptr);
  sampler.finish(nullptr);
  EXPECT_EQ(error_of([&] { sampler.finish(graph.launch()); }),
            "argument 'weights': weight 3 was negative, infinite or not a number, and has changed "
            "since, or a graph read other weights");
  sampler.rebuild(device_view(device_valid), nullptr);
  sampler.finish(nullptr);
  expect_twins(sampler, WeightedSampler(power_law(1000), with_probabilities));
}

TEST_F(GpuLibrary, FinishReportsReplaysSinceASynchronousRebuild) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  for (const Index n : {1000U, 50'000U}) {  // one tile, and several
    const std::vector<double> valid = power_law(n);
    std::vector<double> invalid = valid;
    invalid[3] = -1;
    DeviceBuffer<double> device = on_device(valid);
    GpuWeightedSampler sampler(valid, with_probabilities);
    EXPECT_FALSE(sampler.is_pending(nullptr));
    const Graph graph([&](cudaStream_t stream) { sampler.rebuild(device_view(device), stream); });
    EXPECT_TRUE(sampler.is_pending(nullptr));
    for (const bool is_valid : {true, false, true}) {
      sampler.rebuild(valid);
      EXPECT_FALSE(sampler.is_pending(nullptr));
      EXPECT_EQ(error_of([&] { sampler.finish(nullptr); }),
                "finish: no rebuild on a stream is pending");
      copy_to_device(std::span<const double>(is_valid ? valid : invalid), device.data());
      EXPECT_EQ(error_of([&] { sampler.finish(graph.launch()); }),
                is_valid ? "no error" : "argument 'weights': weight 3 is negative (-1)");
      EXPECT_EQ(sampler.size(), is_valid ? n : 0);
    }
    expect_twins(sampler, WeightedSampler(valid, with_probabilities));
  }
}

TEST_F(GpuLibrary, DrawsOnTheStreamThatItIsGiven) {
  const WeightedSampler host(power_law(1000));
  for (const SampleOrder order : {SampleOrder::random, SampleOrder::any}) {
    const GpuWeightedSampler sampler(power_law(1000), {.order = order});
    const std::vector<Index> found = drawn_on_another_stream(
        10'000,
        [&](std::span<Index> out, cudaStream_t stream) { sampler.draw(out, state, stream); });
    EXPECT_EQ(found, drawn(sampler, 10'000));
    if (order == SampleOrder::random) EXPECT_EQ(found, drawn(host, 10'000));
  }
}

__global__ void write_late(const float* from, float* to, Index count) {
  const long long start = clock64();
  while (clock64() - start < 4'000'000) {
  }
  for (Index i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}

// Two samplers on separate streams: each rebuild waits for weights that arrive late, each draw for
// its rebuild. Work on another stream would run too early.
TEST_F(GpuLibrary, TwoStreamsAreInOrder) {
  constexpr Index n = 20'000;
  constexpr std::size_t samples = 50'000;
  struct Work {
    explicit Work(std::uint64_t seed)
        : later(n), sampler(std::vector<float>(n, 1.0F)), device(n), out(samples), counts(n) {
      const std::vector<double> weights = uniform_weights(n, seed);
      host.assign(weights.begin(), weights.end());
      copy_to_device(std::span<const float>(host), later.data());
      WRSGPU_CUDA_CHECK(cudaMemset(device.data(), 0, device.bytes()));
      WRSGPU_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    ~Work() { static_cast<void>(cudaStreamDestroy(stream)); }

    std::vector<float> host;
    DeviceBuffer<float> later;
    GpuWeightedSampler sampler;
    DeviceBuffer<float> device;
    DeviceBuffer<Index> out;
    DeviceBuffer<std::uint64_t> counts;
    cudaStream_t stream = nullptr;
  };
  Work works[] = {Work(1), Work(2)};
  WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
  for (Work& work : works) {
    write_late<<<1, 256, 0, work.stream>>>(work.later.data(), work.device.data(), n);
    check_launch("write_late");
    work.sampler.rebuild(device_view(work.device), work.stream);
    work.sampler.draw(work.out.span(), state, work.stream);
    work.sampler.histogram(work.counts.span(), samples, state, work.stream);
  }
  for (Work& work : works) {
    work.sampler.finish(work.stream);
    const WeightedSampler host(work.host);
    EXPECT_EQ(host_copy(work.out), drawn(host, samples));
    EXPECT_EQ(host_copy(work.counts), counted(host, samples));
  }
}

TEST_F(GpuLibrary, OneSamplerDrawsOnTwoStreamsAtOnce) {
  const GpuWeightedSampler sampler(power_law(20'000));
  const WeightedSampler host(power_law(20'000));
  constexpr std::size_t samples = 5'000'000;
  cudaStream_t streams[2];
  DeviceBuffer<Index> out[2] = {DeviceBuffer<Index>(samples), DeviceBuffer<Index>(samples)};
  for (cudaStream_t& stream : streams) {
    WRSGPU_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  for (std::uint64_t k = 0; k < 2; ++k) sampler.draw(out[k].span(), {7, k * samples}, streams[k]);
  WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
  for (std::uint64_t k = 0; k < 2; ++k) {
    EXPECT_EQ(host_copy(out[k]), drawn(host, samples, {7, k * samples}));
    WRSGPU_CUDA_CHECK(cudaStreamDestroy(streams[k]));
  }
}

/// Keeps the copy engine to the device busy, so that other copies are delayed.
class BusyCopies {
 public:
  BusyCopies() = default;
  BusyCopies(const BusyCopies&) = delete;
  BusyCopies& operator=(const BusyCopies&) = delete;
  ~BusyCopies() { static_cast<void>(cudaStreamSynchronize(stream_.get())); }

  /// Enqueues about 100 ms of copies.
  void queue() {
    for (int k = 0; k < 600; ++k) {
      WRSGPU_CUDA_CHECK(cudaMemcpyAsync(device_.data(), host_.data(), bytes, cudaMemcpyHostToDevice,
                                        stream_.get()));
    }
  }

 private:
  static constexpr std::size_t bytes = std::size_t{1} << 23;
  PinnedBuffer<std::byte> host_{bytes};  // pinned, so that enqueueing a copy is asynchronous
  DeviceBuffer<std::byte> device_{bytes};
  SideStream stream_;
};

/// A file that is removed at the end of the test.
class GpuLibraryFiles : public GpuTest {
 protected:
  ~GpuLibraryFiles() override {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("wrsgpu_gpu_library_" + std::to_string(getpid()));
};

TEST_F(GpuLibraryFiles, ATableSavedOnEitherSideLoadsOnBoth) {
  for (const Index n : sizes) {
    SCOPED_TRACE(std::to_string(n) + " items");
    const std::vector<double> weights = power_law(n);
    const WeightedSampler host(weights, with_probabilities);
    const GpuWeightedSampler gpu(weights, with_probabilities);
    gpu.save(file_);
    expect_twins(gpu, WeightedSampler::load(file_, with_probabilities));
    expect_twins(GpuWeightedSampler::load(file_, with_probabilities), host);
    host.save(file_);
    expect_twins(gpu, WeightedSampler::load(file_, with_probabilities));
    expect_twins(GpuWeightedSampler::load(file_, with_probabilities), host);
  }
}

// A pageable copy can return before its last part has arrived
// (wrsgpu/detail/core/device_buffer.cuh), or all of it up to 2 MiB, while other copies are in
// flight.
TEST_F(GpuLibraryFiles, ALoadedTableIsThereForAllStreams) {
  constexpr Index n = 100'000;
  constexpr std::size_t samples = 1'000'000;
  BusyCopies copies;
  const SideStream stream;
  DeviceBuffer<Index> out(samples);
  // Each table is loaded into the memory of the previous one.
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const WeightedSampler host(uniform_weights(n, seed));
    const std::vector<Index> expected = drawn(host, samples);
    host.save(file_);
    copies.queue();
    const GpuWeightedSampler loaded = GpuWeightedSampler::load(file_);
    loaded.draw(out.span(), state, stream.get());
    WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream.get()));
    EXPECT_EQ(host_copy(out), expected);
  }
}

TEST_F(GpuLibraryFiles, ALoadedTableCanBeRebuilt) {
  const std::vector<double> weights = uniform_weights(500, 3);
  const DeviceBuffer<double> device = on_device(weights);
  WeightedSampler(power_law(3000)).save(file_);
  GpuWeightedSampler sampler = GpuWeightedSampler::load(file_, with_probabilities);
  EXPECT_EQ(error_of([&] { sampler.rebuild(device_view(device), nullptr); }),
            "rebuild: argument 'weights' has 500 items, more than capacity() = 0; call rebuild "
            "without a stream first");
  EXPECT_EQ(drawn(sampler, 1000), drawn(WeightedSampler(power_law(3000)), 1000));
  sampler.rebuild(weights);
  expect_twins(sampler, WeightedSampler(weights, with_probabilities));
  sampler.rebuild(device_view(device), nullptr);
  sampler.finish(nullptr);
  expect_twins(sampler, WeightedSampler(weights, with_probabilities));
}

TEST_F(GpuLibrary, RefusesInvalidWeightsAndKeepsItsTable) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> good = power_law(100);
  const std::vector<std::pair<std::vector<double>, std::string>> bad{
      {{}, "argument 'weights' is empty; at least one is needed"},
      {{1, nan}, "argument 'weights': weight 1 is not a number (nan)"},
      {{1, 2, -3}, "argument 'weights': weight 2 is negative (-3)"},
      {{0, 0}, "argument 'weights': all 2 weights are zero"}};
  GpuWeightedSampler sampler(good, with_probabilities);
  for (const auto& refused : bad) {
    const std::vector<double>& weights = refused.first;
    const std::string& message = refused.second;
    EXPECT_EQ(error_of([&] { const GpuWeightedSampler none(weights); }), message);
    EXPECT_EQ(error_of([&] { sampler.rebuild(weights); }), message);
    if (weights.empty()) continue;
    const DeviceBuffer<double> device = on_device(weights);
    EXPECT_EQ(error_of([&] { const GpuWeightedSampler none(device_view(device)); }), message);
    EXPECT_EQ(error_of([&] { sampler.rebuild(device_view(device)); }), message);
  }
  const double one = 1;
  const std::span<const double> too_many(&one, std::size_t{1} << 40);
  EXPECT_NE(error_of([&] { sampler.rebuild(too_many); }).find("at most 2^32 - 2"),
            std::string::npos);
  expect_twins(sampler, WeightedSampler(good, with_probabilities));
}

// A rebuild on a stream is unfinished when another rebuild is rejected, and the graph that captured
// it is launched later.
TEST_F(GpuLibrary, RefusedRebuildLeavesThoseOnStreamsAlone) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  constexpr Index n = 50'000;
  const std::vector<double> valid = uniform_weights(n, 3);
  const DeviceBuffer<double> device = on_device(valid);
  std::vector<double> invalid = power_law(40 * n);
  invalid.back() = -1;
  const WeightedSampler host(valid, with_probabilities);
  GpuWeightedSampler sampler(power_law(n), with_probabilities);
  const Graph graph([&](cudaStream_t stream) { sampler.rebuild(device_view(device), stream); });
  sampler.rebuild(device_view(device), nullptr);
  EXPECT_THROW(sampler.rebuild(invalid), Error);
  sampler.finish(nullptr);
  expect_twins(sampler, host);
  EXPECT_THROW(sampler.rebuild(invalid), Error);
  sampler.finish(graph.launch());
  expect_twins(sampler, host);
}

TEST_F(GpuLibrary, InvalidWeightsOnAStreamSurfaceInFinish) {
  constexpr Index n = 5000;
  std::vector<double> weights = power_law(n);
  weights[4321] = std::numeric_limits<double>::quiet_NaN();
  DeviceBuffer<double> device = on_device(weights);
  GpuWeightedSampler sampler(power_law(n), with_probabilities);
  sampler.rebuild(device_view(device), nullptr);
  // Until `finish`, all items are equally likely.
  const std::vector<Index> meanwhile = drawn(sampler, 100'000);
  const auto report = verification::chi_squared(verification::count_samples(meanwhile, n),
                                                std::vector<double>(n, 1.0 / n));
  EXPECT_TRUE(report.passes(verification::suite_budget.level())) << to_string(report);
  EXPECT_EQ(error_of([&] { sampler.save("/nowhere/table"); }),
            "save: the last rebuild is not finished; call finish() first");
  EXPECT_EQ(error_of([&] { sampler.finish(nullptr); }),
            "argument 'weights': weight 4321 is not a number (nan)");
  EXPECT_EQ(sampler.size(), 0U);
  // The sampler has no table.
  DeviceBuffer<Index> out(10);
  EXPECT_THROW(sampler.draw(out.span(), state), Error);
  EXPECT_THROW(static_cast<void>(sampler.view()), Error);
  EXPECT_THROW(sampler.save("/nowhere/table"), Error);
  // Either kind of rebuild gives it a table again.
  weights[4321] = 1;
  copy_to_device(std::span<const double>(weights), device.data());
  const WeightedSampler host(weights, with_probabilities);
  sampler.rebuild(device_view(device), nullptr);
  sampler.finish(nullptr);
  expect_twins(sampler, host);
  sampler.rebuild(weights);
  expect_twins(sampler, host);
  EXPECT_EQ(error_of([&] { sampler.finish(nullptr); }),
            "finish: no rebuild on a stream is pending");
}

TEST_F(GpuLibrary, RefusesInvalidArguments) {
  GpuWeightedSampler sampler(std::vector<double>{1, 2, 3});
  const DeviceBuffer<double> four(4);
  std::vector<double> on_host{1, 2, 3};
  DeviceBuffer<std::uint64_t> counts(3);
  EXPECT_EQ(error_of([&] { sampler.histogram(counts.span().first(2), 10, state); }),
            "histogram: argument 'counts' has 2 elements, the table has 3 items");
  EXPECT_EQ(error_of([&] { sampler.rebuild(device_view(four), nullptr); }),
            "rebuild: argument 'weights' has 4 items, more than capacity() = 3; call rebuild "
            "without a stream first");
  EXPECT_EQ(error_of([&] { sampler.rebuild(on_host, nullptr); }),
            "argument 'weights' is in cpu memory; cuda memory is needed");
  EXPECT_EQ(error_of([&] { sampler.finish(nullptr); }),
            "finish: no rebuild on a stream is pending");
  EXPECT_EQ(error_of([&] { static_cast<void>(sampler.view_with_probabilities()); }),
            "view_with_probabilities: the sampler stores no probabilities; construct the sampler "
            "with the option with_probabilities");
}

TEST_F(GpuLibrary, DrawsNothingWhenNothingIsAskedFor) {
  for (const SampleOrder order : {SampleOrder::random, SampleOrder::any}) {
    const GpuWeightedSampler sampler({1, 2, 3}, {.order = order});
    EXPECT_NO_THROW(sampler.draw(std::span<Index>(), state));
    EXPECT_EQ(counted(sampler, 0), (std::vector<std::uint64_t>{0, 0, 0}));
  }
}

/// Expects that only a rebuild is possible, and rebuilds.
void expect_no_table(GpuWeightedSampler& sampler) {
  EXPECT_EQ(sampler.size(), 0U);
  EXPECT_EQ(sampler.capacity(), 0U);
  const std::string reason = "the sampler has no table; call rebuild() first";
  const DeviceBuffer<double> device = on_device(power_law(100));
  DeviceBuffer<Index> out(3);
  DeviceBuffer<std::uint64_t> counts(3);
  EXPECT_EQ(error_of([&] { sampler.draw(out.span(), state); }), reason);
  EXPECT_EQ(error_of([&] { sampler.histogram(counts.span(), 10, state); }), reason);
  EXPECT_EQ(error_of([&] { static_cast<void>(sampler.view()); }), reason);
  EXPECT_EQ(error_of([&] { sampler.finish(nullptr); }), reason);
  EXPECT_EQ(error_of([&] { sampler.save("/nowhere/table"); }), reason);
  EXPECT_EQ(error_of([&] { sampler.rebuild(device_view(device), nullptr); }),
            "rebuild: argument 'weights' has 100 items, more than capacity() = 0; call rebuild "
            "without a stream first");
  EXPECT_EQ(error_of([&] {
              sampler.rebuild({1, -1});
            }),
            "argument 'weights': weight 1 is negative (-1)");
  EXPECT_EQ(sampler.size(), 0U);
  sampler.rebuild(device_view(device));
  expect_twins(sampler, WeightedSampler(power_law(100), with_probabilities));
  sampler.rebuild(device_view(device), nullptr);
  sampler.finish(nullptr);
  expect_twins(sampler, WeightedSampler(power_law(100), with_probabilities));
}

TEST_F(GpuLibrary, IsMadeWithoutATableForWeightsThatComeLater) {
  GpuWeightedSampler sampler(with_probabilities);
  expect_no_table(sampler);
  GpuWeightedSampler plain;
  EXPECT_EQ(plain.size(), 0U);
  plain.rebuild({1, 2, 3});
  EXPECT_EQ(drawn(plain, 1000), drawn(WeightedSampler({1, 2, 3}), 1000));
}

TEST_F(GpuLibrary, HasNoTableWhenItHasBeenMovedFrom) {
  GpuWeightedSampler from(power_law(50), with_probabilities);
  const DeviceBuffer<double> device = on_device(power_law(50));
  from.rebuild(device_view(device), nullptr);
  const std::vector<Index> samples = drawn(from, 1000);
  GpuWeightedSampler to(std::move(from));
  EXPECT_EQ(drawn(to, 1000), samples);
  // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
  expect_no_table(from);
  from = std::move(to);
  EXPECT_EQ(drawn(from, 1000), samples);
  expect_no_table(to);
  // NOLINTEND(bugprone-use-after-move)
}

TEST_F(GpuLibrary, TakesWeightsOfAnyNumberType) {
  const std::vector<Index> expected = drawn(WeightedSampler({1, 2, 0, 7}), 1000);
  EXPECT_EQ(drawn(GpuWeightedSampler({1, 2, 0, 7}), 1000), expected);
  EXPECT_EQ(drawn(GpuWeightedSampler(std::vector<int>{1, 2, 0, 7}), 1000), expected);
  EXPECT_EQ(drawn(GpuWeightedSampler(std::array<float, 4>{1, 2, 0, 7}), 1000), expected);
}

__global__ void choose_with_generators(SamplerView view, Index* items, std::uint32_t count) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  random::XorwowEngine generator(std::uint64_t{k});
  items[k] = view(generator).item;
}

TEST_F(GpuLibrary, TakesAGeneratorInAKernel) {
  constexpr std::uint32_t count = 10'000;
  const GpuWeightedSampler gpu(power_law(1000));
  const WeightedSampler host(power_law(1000));
  DeviceBuffer<Index> items(count);
  choose_with_generators<<<(count + 255) / 256, 256>>>(gpu.view(), items.data(), count);
  check_launch("choose_with_generators");
  std::vector<Index> expected(count);
  for (std::uint32_t k = 0; k < count; ++k) {
    random::XorwowEngine generator(std::uint64_t{k});
    expected[k] = host.view()(generator).item;
  }
  EXPECT_EQ(host_copy(items), expected);
  std::mt19937 for_the_host(7);  // nvcc does not warn about it
  EXPECT_LT(host.view()(for_the_host).item, 1000U);
}

TEST_F(GpuLibrary, RefusesHostMemoryWhereItNeedsTheDevices) {
  int can_use_any = 0;
  WRSGPU_CUDA_CHECK(cudaDeviceGetAttribute(&can_use_any, cudaDevAttrPageableMemoryAccess, 0));
  if (can_use_any != 0) GTEST_SKIP() << "this device can use all host memory";
  GpuWeightedSampler sampler(std::vector<double>{1, 2, 3});
  std::vector<Index> out(10, 77);
  std::vector<std::uint64_t> counts(3, 77);
  std::vector<double> weights{1, 2, 3};
  const auto message = [](const std::string& argument) {
    return "argument '" + argument + "' is in host memory; device memory is needed";
  };
  const WeightsView not_there = WeightsView::on_device(std::span(weights));
  EXPECT_EQ(error_of([&] { sampler.draw(out, state); }), message("out"));
  EXPECT_EQ(error_of([&] { sampler.histogram(counts, 10, state); }), message("counts"));
  RandomState on_host = state;
  DeviceBuffer<Index> there(10);
  EXPECT_EQ(error_of([&] { sampler.draw_and_advance(there.span(), &on_host); }), message("state"));
  EXPECT_EQ(error_of([&] { sampler.rebuild(not_there, nullptr); }), message("weights"));
  EXPECT_EQ(error_of([&] { sampler.rebuild(not_there); }), message("weights"));
  EXPECT_EQ(error_of([&] { const GpuWeightedSampler none(not_there); }), message("weights"));
}

TEST_F(GpuLibrary, ZeroMassItemsAreThoseOfTheHost) {
  // Each tile has so many light items that the units of step 4 do not reach its last item.
  std::vector<double> weights(100'003, 1);
  for (std::size_t i = 3; i < weights.size(); i += 4) weights[i] = 5;
  const auto expect_same = [&] {
    DeviceBuffer<double> device(weights.size());
    copy_to_device(std::span<const double>(weights), device.data());
    const ZeroMassItems found =
        find_zero_mass_items_on_device(WeightsView::on_device(device.span()));
    const ZeroMassItems expected = find_zero_mass_items(weights);
    EXPECT_EQ(found.count, expected.count);
    EXPECT_EQ(found.first, expected.first);
    return found.count;
  };
  EXPECT_EQ(expect_same(), 0U);
  weights[100'002] = 1e-300;
  EXPECT_EQ(expect_same(), 1U);
  weights[4095] = 1e-200;
  weights[5] = 0;
  EXPECT_EQ(expect_same(), 2U);
}

}  // namespace
}  // namespace wrsgpu
