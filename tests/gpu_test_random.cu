// The generators and deviates give the same numbers on the device as on the host, and those of
// cuRAND where intended.
#include <curand_kernel.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "gpu_test.hpp"
#include "sampling/generators/md5.hpp"
#include "sampling/generators/pkpt.hpp"
#include "sampling/generators/sha1.hpp"
#include "sampling/generators/xorwow.hpp"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/random/binomial.hpp"
#include "wrsgpu/detail/random/binomial_by_lanes.cuh"
#include "wrsgpu/detail/random/binomial_normal_approximation.hpp"
#include "wrsgpu/detail/random/philox_engine.hpp"
#include "wrsgpu/detail/random/uniform.hpp"

namespace wrsgpu::random {
namespace {

/// out[i] = f(i); one thread per element.
template <class F>
__global__ void evaluate_kernel(F f, std::uint64_t* out, std::uint64_t size) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) out[i] = f(i);
}

template <class F>
std::vector<std::uint64_t> on_device(F f, std::uint64_t size) {
  constexpr unsigned threads = 256;
  DeviceBuffer<std::uint64_t> out(size);
  evaluate_kernel<<<blocks_for(size, threads), threads>>>(f, out.data(), size);
  check_launch("evaluate_kernel");
  std::vector<std::uint64_t> result(size);
  copy_to_host(out.data(), std::span(result));
  return result;
}

template <class F>
std::vector<std::uint64_t> on_host(F f, std::uint64_t size) {
  std::vector<std::uint64_t> result(size);
  for (std::uint64_t i = 0; i < size; ++i) result[i] = f(i);
  return result;
}

using GpuRandom = GpuTest;

constexpr std::uint64_t size = 100'000;
constexpr std::uint64_t seed = 0x0123'4567'89AB'CDEF;

template <int rounds>
struct PhiloxWord {
  WRSGPU_HD std::uint64_t operator()(std::uint64_t i) const {
    return philox_word<rounds>(seed, i * 0x1'0000'0001);
  }
};

TEST_F(GpuRandom, PhiloxWordsAreTheHosts) {
  EXPECT_EQ(on_device(PhiloxWord<7>{}, size), on_host(PhiloxWord<7>{}, size));
  EXPECT_EQ(on_device(PhiloxWord<10>{}, size), on_host(PhiloxWord<10>{}, size));
}

/// Word i of curand4(), four words per call, after curand_init(stream, subsequence, offset).
struct CurandPhilox {
  std::uint64_t stream;
  std::uint64_t subsequence;
  std::uint64_t offset;
  __device__ std::uint64_t operator()(std::uint64_t i) const {
    curandStatePhilox4_32_10_t state;
    curand_init(stream, subsequence, offset, &state);
    uint4 words = curand4(&state);
    for (std::uint64_t block = 0; block < i / 4; ++block) words = curand4(&state);
    return i % 4 == 0 ? words.x : i % 4 == 1 ? words.y : i % 4 == 2 ? words.z : words.w;
  }
};

struct OurPhilox {
  std::uint64_t stream;
  std::uint64_t subsequence;
  std::uint64_t offset;
  WRSGPU_HD std::uint64_t operator()(std::uint64_t i) const {
    return curand_philox_word(stream, subsequence, offset + i);
  }
};

TEST_F(GpuRandom, PhiloxIsCurands) {
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  for (const std::uint64_t stream : {std::uint64_t{0}, seed, ones}) {
    for (const std::uint64_t subsequence :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, ones}) {
      for (const std::uint64_t offset :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3},
            std::uint64_t{4}, std::uint64_t{1'000'003}, (std::uint64_t{1} << 34) - 2,
            (std::uint64_t{1} << 63) + 5}) {
        const OurPhilox ours{stream, subsequence, offset};
        const auto expected = on_device(CurandPhilox{stream, subsequence, offset}, 32);
        EXPECT_EQ(on_device(ours, 32), expected) << stream << " " << subsequence << " " << offset;
        EXPECT_EQ(on_host(ours, 32), expected) << stream << " " << subsequence << " " << offset;
      }
    }
  }
}

struct CurandXorwow {
  SeedWords start;
  __device__ std::uint64_t operator()(std::uint64_t i) const {
    curandStateXORWOW_t state{};
    for (int k = 0; k < 5; ++k) state.v[k] = start.word[k];
    state.d = 6615241;
    for (std::uint64_t k = 0; k < i; ++k) curand(&state);
    return curand(&state);
  }
};

struct OurXorwow {
  SeedWords start;
  WRSGPU_HD std::uint64_t operator()(std::uint64_t i) const {
    XorwowEngine engine(start);
    engine.discard(i);
    return engine();
  }
};

TEST_F(GpuRandom, XorwowStepsAsCurandsDoes) {
  for (const SeedWords& start :
       {XorwowEngine::marsaglia(), SeedWords{{1, 0, 0, 0, 0}}, pkpt_seed<Sha1>(1, 2, 3)}) {
    const auto expected = on_device(CurandXorwow{start}, 1000);
    EXPECT_EQ(on_device(OurXorwow{start}, 1000), expected);
    EXPECT_EQ(on_host(OurXorwow{start}, 1000), expected);
  }
}

/// Third result of the generator of thread i.
template <class Engine, class Hash>
struct PkptResult {
  WRSGPU_HD std::uint64_t operator()(std::uint64_t i) const {
    Engine engine = pkpt_engine<Engine, Hash>(seed, 5, i);
    engine.discard(2);
    return engine();
  }
};

TEST_F(GpuRandom, PkptGeneratorsAreTheHosts) {
  const auto same = [](auto f) { EXPECT_EQ(on_device(f, size), on_host(f, size)); };
  same(PkptResult<XorwowEngine, Md5>{});
  same(PkptResult<XorwowEngine, Sha1>{});
  same(PkptResult<PhiloxEngine<7>, Md5>{});
  same(PkptResult<PhiloxEngine<10>, Sha1>{});
}

template <class Word>
struct UniformBelow {
  Word n;
  WRSGPU_HD std::uint64_t operator()(std::uint64_t i) const {
    PhiloxEngine<10> engine(RandomState{seed, 0}, i);
    return uniform_below(engine, n);
  }
};

TEST_F(GpuRandom, UniformIntegersAreTheHosts) {
  const auto same = [](auto f) { EXPECT_EQ(on_device(f, size), on_host(f, size)); };
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{6}, (std::uint64_t{1} << 63) + 1}) {
    same(UniformBelow<std::uint64_t>{n});
  }
  for (const std::uint32_t n : {1U, 6U, 0x8000'0001U, 0xFFFF'FFFFU}) {
    same(UniformBelow<std::uint32_t>{n});
  }
}

struct Exact {
  std::uint64_t n;
  double p;
  WRSGPU_HD std::uint64_t operator()(std::uint64_t i) const {
    PhiloxEngine<10> engine(RandomState{seed, 0}, i);
    return binomial(engine, n, p);
  }
};

struct NormalApproximation {
  std::uint64_t n;
  double p;
  WRSGPU_HD std::uint64_t operator()(std::uint64_t i) const {
    PhiloxEngine<10> engine(RandomState{seed, 0}, i);
    return binomial_normal_approximation(engine, n, p);
  }
};

// Logarithms and contracted multiplications differ in the last bit. A result changes if its deviate
// is within about 1e-15 of a limit or, for 2^63 trials, if the proposal, about 10^9 from the mode,
// rounds to the other integer (below 1e-5).
template <class F>
void expect_hardly_any_difference(F f) {
  const std::vector<std::uint64_t> device = on_device(f, size);
  const std::vector<std::uint64_t> host = on_host(f, size);
  std::uint64_t different = 0;
  for (std::uint64_t i = 0; i < size; ++i) different += device[i] == host[i] ? 0 : 1;
  EXPECT_LE(different, f.n > (std::uint64_t{1} << 40) ? 10U : 0U)
      << "n = " << f.n << ", p = " << f.p;
}

TEST_F(GpuRandom, BinomialsAreTheHosts) {
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{30}, std::uint64_t{1000},
                                std::uint64_t{1'000'000'000}, std::uint64_t{1} << 63}) {
    for (const double p : {0.0, 0.001, 0.3, 0.5, 0.9, 1.0}) {
      expect_hardly_any_difference(Exact{n, p});
    }
  }
  for (const std::uint64_t n : {std::uint64_t{40}, std::uint64_t{1'000'000}}) {
    for (const double p : {0.1, 0.5, 0.9}) expect_hardly_any_difference(NormalApproximation{n, p});
  }
}

/// Thread i: the deviate of its team. Each warp is divided into teams of 5, 1, 10 and 16 lanes.
struct ByLanes {
  std::uint64_t n;
  double p;
  [[nodiscard]] WRSGPU_HD static std::uint64_t team_of(std::uint64_t i) {
    const std::uint64_t lane = i % 32;
    return i / 32 * 4 + (lane < 5 ? 0 : lane < 6 ? 1 : lane < 16 ? 2 : 3);
  }
  __device__ std::uint64_t operator()(std::uint64_t i) const {
    constexpr unsigned lanes[4] = {0x0000'001F, 0x0000'0020, 0x0000'FFC0, 0xFFFF'0000};
    const PhiloxEngine<10> engine(RandomState{seed, 0}, team_of(i));
    return binomial_by_lanes(engine, n, p, lanes[team_of(i) % 4]);
  }
};
struct ByThreads {
  std::uint64_t n;
  double p;
  WRSGPU_HD std::uint64_t operator()(std::uint64_t i) const {
    return Exact{n, p}(ByLanes::team_of(i));
  }
};

TEST_F(GpuRandom, BinomialsByLanesAreThoseOfOneThread) {
  static_assert(size % 32 == 0);
  for (const std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{30}, std::uint64_t{1000},
        std::uint64_t{1'000'000'000}, std::uint64_t{1} << 63}) {
    for (const double p : {0.0, 0.001, 0.3, 0.5, 0.9, 1.0}) {
      EXPECT_EQ(on_device(ByLanes{n, p}, size), on_device(ByThreads{n, p}, size))
          << "n = " << n << ", p = " << p;
    }
  }
}

}  // namespace
}  // namespace wrsgpu::random
