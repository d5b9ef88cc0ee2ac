// The shuffles on the GPU: they permute, equal those of the host, give all orders equally often,
// and reject invalid arguments.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "error_message.hpp"
#include "gpu_graph.cuh"
#include "gpu_stream_cases.cuh"
#include "gpu_test.hpp"
#include "shuffle/gpu_shuffle.cuh"
#include "shuffle/linear_congruential.hpp"
#include "verification/brief.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/gpu_permutation_check.cuh"
#include "verification/permutation_tests.hpp"
#include "wrsgpu/detail/core/device_attribute.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"
#include "wrsgpu/detail/shuffle/product_feistel.hpp"
#include "wrsgpu/detail/shuffle/variable_philox.hpp"
#include "wrsgpu/detail/weights/permutation.hpp"
#include "wrsgpu/gpu_shuffle.cuh"
#include "wrsgpu/gpu_without_replacement.cuh"
#include "wrsgpu/without_replacement.hpp"

namespace wrsgpu::shuffle {
namespace {

using GpuShuffle = GpuTest;
using verification::missing_numbers;
using verification::number_keys;

/// Around the sizes of warps, of tiles and of powers of two.
const std::vector<std::uint64_t> all_sizes{
    1,    2,    3,    5,    16,   17,   31,   32,   33,    255,    256,    257,
    1000, 1023, 1024, 1025, 2047, 2048, 2049, 4097, 65536, 65'537, 99'999, 1'000'003};

std::vector<std::uint64_t> sizes() {
  return verification::all_or_few(all_sizes, {1, 3, 33, 2047, 2049, 65'537});
}

void run(const GpuShuffleMethod& method, const GpuShuffleTask& task) {
  DeviceBuffer<std::byte> storage(storage_bytes(method, task));
  launch_shuffle(method, task, storage.span(), nullptr);
  WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
}

std::vector<std::uint64_t> permutation(const GpuShuffleMethod& method, std::uint64_t size,
                                       std::uint64_t seed) {
  DeviceBuffer<std::uint64_t> out(size);
  run(method, {.out = out.data(), .size = size, .key_bytes = 8, .seed = seed});
  std::vector<std::uint64_t> host(size);
  copy_to_host(static_cast<const std::uint64_t*>(out.data()), std::span(host));
  return host;
}

const GpuShuffleMethod& named(const char* name) { return find_gpu_shuffle_method(name); }

/// Algorithm 1 of the paper: the images below `size`, in order.
template <class Bijection>
std::vector<std::uint64_t> compacted(std::uint64_t size, std::uint64_t seed) {
  const auto bijection = Bijection::of_at_least(size, seed);
  std::vector<std::uint64_t> kept;
  for (std::uint64_t i = 0; i < bijection.size(); ++i) {
    if (const std::uint64_t image = bijection(i); image < size) kept.push_back(image);
  }
  return kept;
}

class GpuShuffles : public GpuTest, public testing::WithParamInterface<std::string> {};

TEST_P(GpuShuffles, PermuteKeysOfEverySize) {
  const GpuShuffleMethod& method = find_gpu_shuffle_method(GetParam());
  for (const std::uint64_t size : sizes()) {
    for (const unsigned key_bytes : {4U, 8U, 16U}) {
      SCOPED_TRACE(std::to_string(size) + " keys of " + std::to_string(key_bytes));
      DeviceBuffer<std::byte> keys(size * key_bytes);
      DeviceBuffer<std::byte> out(size * key_bytes + 16);
      number_keys(keys.data(), key_bytes, size);
      WRSGPU_CUDA_CHECK(cudaMemset(out.data(), 0xAB, out.bytes()));
      run(method, {keys.data(), out.data(), size, key_bytes, 7});
      ASSERT_EQ(missing_numbers(out.data(), key_bytes, size), 0U);
      // Nothing is written beyond the end, and the keys are unchanged.
      std::vector<std::byte> behind(16);
      copy_to_host(static_cast<const std::byte*>(out.data()) + size * key_bytes, std::span(behind));
      ASSERT_EQ(behind, std::vector<std::byte>(16, std::byte{0xAB}));
      ASSERT_EQ(missing_numbers(keys.data(), key_bytes, size), 0U);
      if (key_bytes == 16) continue;
      run(method, {nullptr, out.data(), size, key_bytes, 7});
      ASSERT_EQ(missing_numbers(out.data(), key_bytes, size), 0U) << "numbers";
    }
  }
}

std::vector<std::string> permuting_methods() {
  std::vector<std::string> names;
  for (const GpuShuffleMethod& method : gpu_shuffle_methods()) {
    if (method.permutes) names.push_back(method.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(, GpuShuffles, testing::ValuesIn(permuting_methods()),
                         [](const auto& instance) { return instance.param; });

TEST_F(GpuShuffle, TheCheckSeesKeysThatAreMissingTwiceOrBroken) {
  constexpr std::uint64_t size = 1000;
  for (const unsigned key_bytes : {4U, 8U, 16U}) {
    DeviceBuffer<std::byte> keys(size * key_bytes);
    number_keys(keys.data(), key_bytes, size);
    WRSGPU_CUDA_CHECK(cudaMemcpy(keys.data() + 5 * key_bytes, keys.data() + 6 * key_bytes,
                                 key_bytes, cudaMemcpyDeviceToDevice));
    EXPECT_EQ(missing_numbers(keys.data(), key_bytes, size), 1U);
    WRSGPU_CUDA_CHECK(cudaMemset(keys.data() + 8 * key_bytes, 0xFF, key_bytes));
    EXPECT_EQ(missing_numbers(keys.data(), key_bytes, size), 2U);
  }
}

TEST_F(GpuShuffle, TheGatherReadsKeysAndWritesAllPlaces) {
  constexpr std::uint64_t size = 100'003;
  const std::vector<std::uint64_t> places = permutation(named("gather"), size, 3);
  // All reads miss a place with probability 1/e; the number of missed places has variance size * (1
  // - 2/e) / e. Within 7 standard deviations: correct places exceed this once in 4*10^11 counts.
  std::vector<bool> seen(size);
  for (const std::uint64_t place : places) {
    ASSERT_LT(place, size);
    seen[place] = true;
  }
  const auto missed = static_cast<double>(std::count(seen.begin(), seen.end(), false));
  constexpr double e = std::numbers::e;
  EXPECT_NEAR(missed, size / e, 7 * std::sqrt(size * (1 - 2 / e) / e));
}

TEST_F(GpuShuffle, CycleWalkIsTheLazyPermutationOfTheHost) {
  for (const std::uint64_t size : sizes()) {
    const LazyPermutation expected = lazy_permutation(size, 11);
    ASSERT_EQ(permutation(named("cycle_walk"), size, 11),
              std::vector<std::uint64_t>(expected.begin(), expected.end()));
  }
}

TEST_F(GpuShuffle, TheBijectiveShufflesAreAlgorithm1) {
  for (const std::uint64_t size : sizes()) {
    SCOPED_TRACE(size);
    const std::vector<std::uint64_t> expected = compacted<VariablePhilox<>>(size, 12);
    for (const char* name :
         {"bijective0_varphilox", "bijective1_varphilox", "bijective2_varphilox"}) {
      ASSERT_EQ(permutation(named(name), size, 12), expected) << name;
    }
    ASSERT_EQ(permutation(named("bijective2_lcg"), size, 12),
              compacted<LinearCongruential>(size, 12));
  }
}

// Keys of all sizes are permuted like their indices.
TEST_F(GpuShuffle, KeysFollowTheirNumbers) {
  constexpr std::uint64_t size = 10'007;
  for (const GpuShuffleMethod& method : gpu_shuffle_methods()) {
    if (!method.reproducible) continue;
    const std::vector<std::uint64_t> expected = permutation(method, size, 6);
    for (const unsigned key_bytes : {4U, 8U, 16U}) {
      DeviceBuffer<std::byte> keys(size * key_bytes);
      DeviceBuffer<std::byte> out(size * key_bytes);
      number_keys(keys.data(), key_bytes, size);
      run(method, {keys.data(), out.data(), size, key_bytes, 6});
      std::vector<std::byte> host(out.size());
      copy_to_host(static_cast<const std::byte*>(out.data()), std::span(host));
      for (std::uint64_t i = 0; i < size; ++i) {
        std::uint64_t number = 0;
        std::memcpy(&number, &host[i * key_bytes], std::min(key_bytes, 8U));
        ASSERT_EQ(number, expected[i]) << method.name << " " << key_bytes << " " << i;
      }
    }
  }
}

TEST_F(GpuShuffle, SeedsDecide) {
  constexpr std::uint64_t size = 10'000;
  for (const GpuShuffleMethod& method : gpu_shuffle_methods()) {
    const std::vector<std::uint64_t> first = permutation(method, size, 1);
    EXPECT_NE(first, permutation(method, size, 2)) << method.name;
    if (method.reproducible) {
      EXPECT_EQ(first, permutation(method, size, 1)) << method.name;
    }
  }
}

/// Permutations of `items` numbers for the seeds 0, 1, ..., concatenated.
std::vector<Index> many_permutations(const GpuShuffleMethod& method, Index items,
                                     std::uint64_t count) {
  // Each begins at a multiple of 16 bytes.
  const std::uint64_t stride = (items + 3) / 4 * 4;
  DeviceBuffer<Index> out(count * stride);
  WRSGPU_CUDA_CHECK(cudaMemset(out.data(), 0, out.bytes()));
  GpuShuffleTask task{.out = out.data(), .size = items, .key_bytes = 4};
  DeviceBuffer<std::byte> storage(storage_bytes(method, task));
  for (std::uint64_t k = 0; k < count; ++k) {
    task.out = out.data() + k * stride;
    task.seed = k;
    launch_shuffle(method, task, storage.span(), nullptr);
  }
  std::vector<Index> strided(count * stride);
  copy_to_host(static_cast<const Index*>(out.data()), std::span(strided));
  std::vector<Index> permutations;
  for (std::uint64_t k = 0; k < count; ++k) {
    permutations.insert(permutations.end(),
                        strided.begin() + static_cast<std::ptrdiff_t>(k * stride),
                        strided.begin() + static_cast<std::ptrdiff_t>(k * stride + items));
  }
  return permutations;
}

// The two tests of the paper, at the level of a suite; code shared with the host is tested there
// with more permutations.
TEST_F(GpuShuffle, AllOrdersOfFiveAreEquallyLikely) {
  if (verification::is_brief()) GTEST_SKIP() << "launches thousands of kernels that others test";
  constexpr std::uint64_t count = 24'000;
  for (const GpuShuffleMethod& method : gpu_shuffle_methods()) {
    if (!method.permutes) continue;
    SCOPED_TRACE(method.name);
    const std::vector<Index> all = many_permutations(method, 5, count);
    const auto source = [&](std::uint64_t k, std::span<Index> out) {
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(5 * k), 5, out.begin());
    };
    const double level = verification::suite_budget.level();
    const auto chi_squared = verification::permutation_chi_squared(5, count, source);
    const auto mmd = verification::permutation_mmd(5, count, source);
    const bool is_good = method.name != "bijective2_lcg";
    EXPECT_EQ(chi_squared.passes(level), is_good) << to_string(chi_squared);
    EXPECT_EQ(mmd.asymptotic.passes(level), is_good) << to_string(mmd.asymptotic);
  }
}

__global__ void look_up(const __grid_constant__ LazyPermutation permutation, std::uint64_t first,
                        std::uint64_t* values, std::uint64_t* inverses, bool* iterates) {
  const std::uint64_t i = first + threadIdx.x;
  values[threadIdx.x] = permutation(i);
  inverses[threadIdx.x] = permutation.inverse(permutation(i));
  auto iterator = permutation.begin() + static_cast<std::ptrdiff_t>(i);
  bool good = *iterator == permutation(i) &&
              permutation.end() - iterator == static_cast<std::ptrdiff_t>(permutation.size() - i);
  if (i + 1 < permutation.size()) good = good && iterator[1] == permutation(i + 1);
  if (i > 0) good = good && *--iterator == permutation(i - 1);
  iterates[threadIdx.x] = good;
}

TEST_F(GpuShuffle, TheLazyPermutationIsTheSameInAKernelUpTo2To40) {
  constexpr unsigned count = 64;
  DeviceBuffer<std::uint64_t> values(count);
  DeviceBuffer<std::uint64_t> inverses(count);
  DeviceBuffer<bool> iterates(count);
  for (const std::uint64_t size :
       {std::uint64_t{64}, std::uint64_t{1000}, (std::uint64_t{1} << 32) + 1,
        (std::uint64_t{1} << 40) - 1, std::uint64_t{1} << 40}) {
    const LazyPermutation expected = lazy_permutation(size, 99);
    const std::uint64_t first = size - count;
    look_up<<<1, count>>>(expected, first, values.data(), inverses.data(), iterates.data());
    check_launch("look_up");
    std::vector<std::uint64_t> found(count);
    std::vector<std::uint64_t> found_inverses(count);
    bool iterated[count];
    copy_to_host(static_cast<const std::uint64_t*>(values.data()), std::span(found));
    copy_to_host(static_cast<const std::uint64_t*>(inverses.data()), std::span(found_inverses));
    copy_to_host(static_cast<const bool*>(iterates.data()), std::span<bool>(iterated));
    for (unsigned k = 0; k < count; ++k) {
      EXPECT_EQ(found[k], expected(first + k)) << size;
      EXPECT_EQ(found_inverses[k], first + k) << size;
      EXPECT_TRUE(iterated[k]) << size;
    }
  }
}

template <class Bijection>
__host__ __device__ Bijection made(std::uint64_t size) {
  if constexpr (requires { Bijection::of_at_least(size, 5); }) {
    return Bijection::of_at_least(size, 5);
  } else {
    return Bijection(size, 5);
  }
}

template <class Bijection>
__global__ void make_and_look_up(std::uint64_t size, std::uint64_t* images) {
  images[threadIdx.x] = made<Bijection>(size)(threadIdx.x);
}

template <class Bijection>
void expect_the_same_when_made_in_a_kernel() {
  constexpr unsigned count = 7;
  DeviceBuffer<std::uint64_t> images(count);
  for (const std::uint64_t size : {std::uint64_t{7}, std::uint64_t{1000}, std::uint64_t{1} << 31}) {
    make_and_look_up<Bijection><<<1, count>>>(size, images.data());
    check_launch("make_and_look_up");
    std::vector<std::uint64_t> found(count);
    copy_to_host(static_cast<const std::uint64_t*>(images.data()), std::span(found));
    const Bijection expected = made<Bijection>(size);
    for (unsigned i = 0; i < count; ++i) EXPECT_EQ(found[i], expected(i)) << size;
  }
}

// Constructed on the device, too: the constructors must be correct there.
TEST_F(GpuShuffle, BijectionsCanBeMadeInAKernel) {
  expect_the_same_when_made_in_a_kernel<VariablePhilox<>>();
  expect_the_same_when_made_in_a_kernel<LinearCongruential>();
  expect_the_same_when_made_in_a_kernel<ProductFeistel<>>();
  expect_the_same_when_made_in_a_kernel<Permutation>();
}

// Sizes whose places and counts need many tiles; 2^32 + 5 keys, which exceed 32 bits.
TEST_F(GpuShuffle, LargeShufflesPermute) {
  if (verification::is_brief()) GTEST_SKIP() << "left out of brief runs";
  for (const std::uint64_t size : {(std::uint64_t{1} << 27) + 1, std::uint64_t{1} << 27}) {
    DeviceBuffer<std::uint32_t> out(size);
    for (const GpuShuffleMethod& method : gpu_shuffle_methods()) {
      if (!method.permutes) continue;
      run(method, {.out = out.data(), .size = size, .key_bytes = 4, .seed = 3});
      EXPECT_EQ(missing_numbers(out.data(), 4, size), 0U) << method.name;
    }
  }
  const std::uint64_t size = (std::uint64_t{1} << 32) + 5;
  DeviceBuffer<std::uint64_t> out(size);
  for (const char* name : {"cycle_walk", "bijective1_varphilox", "bijective2_varphilox",
                           "bijective2_lcg", "thrust_shuffle_copy"}) {
    run(named(name), {.out = out.data(), .size = size, .key_bytes = 8, .seed = 3});
    EXPECT_EQ(missing_numbers(out.data(), 8, size), 0U) << name;
  }
}

TEST_F(GpuShuffle, TheTypedFunctionsShuffleOnTheirStream) {
  constexpr std::size_t size = 50'001;
  struct alignas(16) Key {
    std::uint64_t low;
    std::uint64_t high;
  };
  DeviceBuffer<Key> keys(size);
  DeviceBuffer<Key> out(size);
  number_keys(keys.data(), sizeof(Key), size);
  gpu_shuffle(std::as_const(keys).span(), out.span(), 5);
  EXPECT_EQ(missing_numbers(out.data(), sizeof(Key), size), 0U);
  const LazyPermutation expected = lazy_permutation(size, 5);
  EXPECT_EQ(drawn_on_another_stream(size,
                                    [](std::span<Index> places, cudaStream_t stream) {
                                      gpu_permutation(places, 5, stream);
                                    }),
            std::vector<Index>(expected.begin(), expected.end()));
}

TEST_F(GpuShuffle, AGraphCanHoldIt) {
#ifndef NDEBUG
  GTEST_SKIP() << "Debug builds wait for every kernel, which a capture forbids";
#endif
  constexpr std::uint64_t size = 3000;
  for (const char* name : {"gather", "cycle_walk", "bijective0_varphilox", "bijective1_varphilox",
                           "bijective2_varphilox", "bijective2_lcg", "sort", "dart_throwing"}) {
    DeviceBuffer<std::uint32_t> out(size);
    const GpuShuffleTask task{.out = out.data(), .size = size, .key_bytes = 4, .seed = 8};
    DeviceBuffer<std::byte> storage(storage_bytes(named(name), task));
    const Graph graph(
        [&](cudaStream_t stream) { launch_shuffle(named(name), task, storage.span(), stream); });
    for (int replay = 0; replay < 2; ++replay) {
      WRSGPU_CUDA_CHECK(cudaMemset(out.data(), 0xFF, out.bytes()));
      WRSGPU_CUDA_CHECK(cudaStreamSynchronize(graph.launch()));
      const std::uint64_t missing = missing_numbers(out.data(), 4, size);
      EXPECT_EQ(missing == 0, named(name).permutes) << name << ": " << missing;
    }
  }
}

template <class F>
void expect_refusal(F&& f, const std::string& part) {
  const std::string message = error_of(f);
  EXPECT_NE(message.find(part), std::string::npos) << message << "\nhas no: " << part;
}

TEST_F(GpuShuffle, BadTasksAreRefusedAndNothingIsWritten) {
  constexpr std::uint64_t size = 1000;
  DeviceBuffer<std::uint64_t> memory(2 * size);
  WRSGPU_CUDA_CHECK(cudaMemset(memory.data(), 0x11, memory.bytes()));
  std::uint64_t* const keys = memory.data();
  std::uint64_t* const out = memory.data() + size;
  std::vector<std::uint64_t> host(size);
  const bool reads_host = device_attribute(cudaDevAttrPageableMemoryAccess) != 0;
  const struct {
    GpuShuffleTask task;
    const char* message;
  } cases[] = {
      {{keys, out, 0, 8, 1}, "number of keys is 0"},
      {{keys, out, (std::uint64_t{1} << 40) + 1, 8, 1}, "between 1 and 2^40"},
      {{keys, out, size, 3, 1}, "keys of 3 bytes"},
      {{nullptr, out, size, 16, 1}, "numbers of 16 bytes"},
      {{nullptr, out, (std::uint64_t{1} << 32) + 1, 4, 1}, "do not fit in 32 bits"},
      {{keys, keys, size, 8, 1}, "overlap"},
      {{keys, keys + size - 1, size, 8, 1}, "overlap"},
      {{keys + 1, keys, size, 8, 1}, "overlap"},
      {{reinterpret_cast<std::byte*>(keys) + 4, out, size - 1, 8, 1}, "'keys' is not aligned"},
      {{keys, reinterpret_cast<std::byte*>(out) + 4, size - 1, 8, 1}, "'out' is not aligned"},
      {{keys, out + 1, size / 2 - 1, 16, 1}, "'out' is not aligned to 16 bytes"},
      {{host.data(), out, size, 8, 1}, "'keys' is in host memory"},
      {{keys, host.data(), size, 8, 1}, "'out' is in host memory"},
  };
  for (const GpuShuffleMethod& method : gpu_shuffle_methods()) {
    for (const auto& [task, message] : cases) {
      if (reads_host && std::string(message).find("host") != std::string::npos) continue;
      std::vector<std::byte> unused;
      expect_refusal([&] { launch_shuffle(method, task, unused, nullptr); }, message);
    }
    const GpuShuffleTask good{keys, out, size, 8, 1};
    const std::size_t needed = storage_bytes(method, good);
    if (needed == 0) continue;
    std::vector<std::byte> on_host(needed + 256);
    if (!reads_host) {
      expect_refusal([&] { launch_shuffle(method, good, on_host, nullptr); },
                     "'storage' is in host memory");
    }
    DeviceBuffer<std::byte> large(needed + 2 * memory.bytes());
    expect_refusal([&] { launch_shuffle(method, good, large.span().subspan(16), nullptr); },
                   "'storage' is not aligned");
    GpuShuffleTask inside = good;
    inside.out = large.data() + 8;
    expect_refusal([&] { launch_shuffle(method, inside, large.span(), nullptr); },
                   "'storage' overlaps");
    DeviceBuffer<std::byte> small(needed - 1);
    expect_refusal([&] { launch_shuffle(method, good, small.span(), nullptr); },
                   "argument 'storage' has");
  }
  expect_refusal(
      [&] {
        static_cast<void>(storage_bytes(named("dart_throwing"),
                                        {.out = out, .size = 0xFFFF'FFFF, .key_bytes = 8}));
      },
      "dart_throwing: 4294967295 keys");
  expect_refusal(
      [&] {
        gpu_shuffle(std::span<const std::uint64_t>(keys, size),
                    std::span<std::uint64_t>(out, size - 1), 1);
      },
      "999 elements, expected 1000");
  expect_refusal([] { static_cast<void>(find_gpu_shuffle_method("shufle")); },
                 "known: gather, cycle_walk");
  WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
  std::vector<std::uint64_t> after(2 * size);
  copy_to_host(static_cast<const std::uint64_t*>(memory.data()), std::span(after));
  EXPECT_EQ(after, std::vector<std::uint64_t>(2 * size, 0x1111'1111'1111'1111));
}

template <class Number>
std::vector<Number> gpu_draws(std::uint64_t items, std::uint64_t count, std::uint64_t seed,
                              std::uint64_t first) {
  DeviceBuffer<Number> out(count);
  gpu_sample_without_replacement(items, out.span(), seed, first);
  std::vector<Number> host(count);
  copy_to_host(static_cast<const Number*>(out.data()), std::span(host));
  return host;
}

TEST_F(GpuShuffle, DrawsWithoutReplacementAreTheHosts) {
  const struct {
    std::uint64_t items;
    std::uint64_t first;
    std::uint64_t count;
  } cases[] = {{1, 0, 1},
               {5, 0, 5},
               {5, 3, 2},
               {1000, 0, 1000},
               {1000, 997, 3},
               {1'000'003, 7, 9999},
               {1ULL << 32, 5, 5000}};
  for (const auto& [items, first, count] : cases) {
    std::vector<Index> narrow(count);
    std::vector<std::uint64_t> wide(count);
    sample_without_replacement(items, std::span(narrow), 21, first);
    sample_without_replacement(items, std::span(wide), 21, first);
    EXPECT_EQ(gpu_draws<Index>(items, count, 21, first), narrow) << items;
    EXPECT_EQ(gpu_draws<std::uint64_t>(items, count, 21, first), wide) << items;
  }
  const std::uint64_t maximum = std::uint64_t{1} << 40;
  std::vector<std::uint64_t> wide(1000);
  sample_without_replacement(maximum, std::span(wide), 21, maximum - 1000);
  EXPECT_EQ(gpu_draws<std::uint64_t>(maximum, 1000, 21, maximum - 1000), wide);
}

TEST_F(GpuShuffle, DrawsThatCannotBeAreRefused) {
  DeviceBuffer<Index> narrow(10);
  DeviceBuffer<std::uint64_t> wide(10);
  const auto narrow_refusal = [&](std::uint64_t items, std::size_t count, std::uint64_t first) {
    return error_of(
        [&] { gpu_sample_without_replacement(items, narrow.span().first(count), 1, first); });
  };
  // Equal to those of the host.
  std::vector<Index> host(10);
  const struct {
    std::uint64_t items;
    std::size_t count;
    std::uint64_t first;
  } cases[] = {{10, 0, 0}, {0, 1, 0}, {9, 10, 0}, {12, 10, 3}, {5, 1, ~0ULL}, {1ULL << 33, 10, 0}};
  for (const auto& [items, count, first] : cases) {
    const std::string expected = error_of(
        [&] { sample_without_replacement(items, std::span(host).first(count), 1, first); });
    EXPECT_NE(expected, "no error");
    EXPECT_EQ(narrow_refusal(items, count, first), expected);
  }
  expect_refusal(
      [&] { gpu_sample_without_replacement((std::uint64_t{1} << 40) + 1, wide.span(), 1); },
      "2^40");
}

}  // namespace
}  // namespace wrsgpu::shuffle
