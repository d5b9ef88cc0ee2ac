// Sources of random words for the GPU samplers (thesis 4.7.1).
//
// A word source is a template argument of a kernel:
//   start()   called once by every thread of the kernel; returns an object whose `draw` may be
//             called many times and continues the words
//   draw(begin, end, thread, threads, pick, output)   item = pick(word), output.put(sample, item)
//             for the samples [begin, end), distributed over `threads` threads; the caller is
//             number `thread`. Several items are picked before the first is put, to keep as many
//             rows in flight. Every thread of a block must call it, with the same begin and end.
#pragma once

#include <curand_kernel.h>

#include <cstdint>
#include <type_traits>

#include "sampling/generators/md5.hpp"
#include "sampling/generators/pkpt.hpp"
#include "sampling/generators/sha1.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/sampling/gpu_output.cuh"
#include "wrsgpu/detail/sampling/gpu_sampler_options.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Stores four items as a vector if the output is memory, and one by one otherwise.
template <class Output>
__device__ void put_quad(Output& output, std::uint64_t first, const Index (&items)[4]) {
  if constexpr (std::is_same_v<Output, ToSamples>) {
    Index* const to = output.samples + first;
    if (reinterpret_cast<std::uintptr_t>(to) % sizeof(uint4) == 0) {
      *reinterpret_cast<uint4*>(to) = make_uint4(items[0], items[1], items[2], items[3]);
      return;
    }
  }
#pragma unroll
  for (unsigned s = 0; s < 4; ++s) output.put(first + s, items[s]);
}

/// Sample k takes word `offset + k` of `random::SplitWords`, whichever thread draws it.
class PhiloxWords {
 public:
  static constexpr GpuGenerator generator = GpuGenerator::philox;

  explicit PhiloxWords(RandomState state) : words_(state.seed), offset_(state.offset) {}

  [[nodiscard]] __device__ const PhiloxWords& start() const { return *this; }

  template <class Pick, class Output>
  __device__ void draw(std::uint64_t begin, std::uint64_t end, std::uint64_t thread,
                       std::uint64_t threads, const Pick& pick, Output& output) const {
    constexpr int unroll = 2;                                    // quads
    const std::uint64_t skipped = offset_ & 3;                   // of the first quad
    constexpr std::uint64_t last_quad = ~std::uint64_t{0} >> 2;  // the stream wraps around after it
    // Samples 4q - skipped to 4q - skipped + 3 come from quad offset / 4 + q.
    const std::uint64_t past = (end + skipped + 3) >> 2;
    for (std::uint64_t q = ((begin + skipped) >> 2) + thread; q < past; q += threads * unroll) {
      Index items[unroll][4];
#pragma unroll
      for (int j = 0; j < unroll; ++j) {
        pick_quad(((offset_ >> 2) + q + static_cast<std::uint64_t>(j) * threads) & last_quad, pick,
                  items[j]);
      }
#pragma unroll
      for (int j = 0; j < unroll; ++j) {
        put_in_range(4 * (q + static_cast<std::uint64_t>(j) * threads) - skipped, begin, end,
                     items[j], output);
      }
    }
  }

 private:
  template <class Pick>
  __device__ void pick_quad(std::uint64_t quad, const Pick& pick, Index (&items)[4]) const {
    const random::PhiloxBlock high = words_.high_halves(quad);
    const random::PhiloxBlock low = words_.low_halves(quad);
#pragma unroll
    for (int s = 0; s < 4; ++s) items[s] = pick(words_.joined(high.word[s], low.word[s]));
  }
  /// Writes those of the samples first to first + 3 that are in [begin, end); `first` may wrap
  /// below 0.
  template <class Output>
  __device__ static void put_in_range(std::uint64_t first, std::uint64_t begin, std::uint64_t end,
                                      const Index (&items)[4], Output& output) {
    const std::uint64_t count = end - begin;
    if (first - begin < count && first - begin + 3 < count) {
      put_quad(output, first, items);
      return;
    }
#pragma unroll
    for (unsigned s = 0; s < 4; ++s) {
      if (first + s - begin < count) output.put(first + s, items[s]);
    }
  }

  random::SplitWords<10> words_;
  std::uint64_t offset_;
};

/// A thread's own generator, initialised.
template <class Engine>
struct StartedWords {
  Engine engine;

  template <class Pick, class Output>
  __device__ void draw(std::uint64_t begin, std::uint64_t end, std::uint64_t thread,
                       std::uint64_t threads, const Pick& pick, Output& output) {
    constexpr int unroll = 4;
    // Warps write whole cache lines of the output.
    for (std::uint64_t first = begin / 32 * 32; first < end; first += threads * unroll) {
      Index items[unroll];
#pragma unroll
      for (int k = 0; k < unroll; ++k) items[k] = pick(engine.word());
#pragma unroll
      for (int k = 0; k < unroll; ++k) {
        const std::uint64_t sample = first + thread + static_cast<std::uint64_t>(k) * threads;
        if (sample - begin < end - begin) output.put(sample, items[k]);
      }
    }
  }
};

/// One generator per thread.
template <class Engine>
struct ThreadWords {
  static constexpr GpuGenerator generator = Engine::generator;
  RandomState state;
  Seeding seeding;

  [[nodiscard]] __device__ StartedWords<Engine> start() const {
    StartedWords<Engine> words;
    words.engine.start(state, seeding, std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x);
    return words;
  }
};

namespace detail {

[[nodiscard]] __device__ inline random::SeedWords hashed_seed(RandomState state, Seeding seeding,
                                                              std::uint64_t thread) {
  return seeding == Seeding::pkpt_md5
             ? random::pkpt_seed<random::Md5>(state.seed, state.offset, thread)
             : random::pkpt_seed<random::Sha1>(state.seed, state.offset, thread);
}

/// The seed of a call, so that another offset gives other samples.
[[nodiscard]] __device__ inline std::uint64_t call_seed(RandomState state) {
  return random::philox_word(state.seed, state.offset, random::calls_subsequence);
}

/// Two results as one word; the first is the low half.
template <class State>
[[nodiscard]] __device__ std::uint64_t two_results(State* state) {
  const std::uint64_t low = curand(state);
  return low | std::uint64_t{curand(state)} << 32;
}

}  // namespace detail

struct XorwowStream {
  static constexpr GpuGenerator generator = GpuGenerator::xorwow;
  curandStateXORWOW_t state;

  __device__ void start(RandomState random, Seeding seeding, std::uint64_t thread) {
    if (seeding == Seeding::subsequence) {
      curand_init(detail::call_seed(random), thread, 0, &state);
      return;
    }
    const random::SeedWords seed = detail::hashed_seed(random, seeding, thread);
    for (int i = 0; i < 5; ++i) state.v[i] = seed.word[i];
    // All zeros is a fixed point of xorshift.
    if ((seed.word[0] | seed.word[1] | seed.word[2] | seed.word[3] | seed.word[4]) == 0) {
      state.v[0] = 1;
    }
    state.d = 6615241;
  }
  [[nodiscard]] __device__ std::uint64_t word() { return detail::two_results(&state); }
};

/// Results are less than 2^32 - 209, so words with greater halves never occur.
struct Mrg32k3aStream {
  static constexpr GpuGenerator generator = GpuGenerator::mrg32k3a;
  curandStateMRG32k3a_t state;

  __device__ void start(RandomState random, Seeding seeding, std::uint64_t thread) {
    if (seeding == Seeding::subsequence) {
      curand_init(detail::call_seed(random), thread, 0, &state);
      return;
    }
    const random::SeedWords seed = detail::hashed_seed(random, seeding, thread);
    curand_init(seed.word[0] | std::uint64_t{seed.word[1]} << 32, 0, 0, &state);
  }
  [[nodiscard]] __device__ std::uint64_t word() { return detail::two_results(&state); }
};

/// MTGP32: the threads of a block, at most 256, share a state, which the host initialises. All
/// blocks must take the same number of words.
struct MtgpWords {
  static constexpr GpuGenerator generator = GpuGenerator::mtgp32;
  curandStateMtgp32_t* states;  ///< one per block

  [[nodiscard]] __device__ MtgpWords start() const { return *this; }

  template <class Pick, class Output>
  __device__ void draw(std::uint64_t begin, std::uint64_t end, std::uint64_t thread,
                       std::uint64_t threads, const Pick& pick, Output& output) const {
    for (std::uint64_t first = begin; first < end; first += threads) {
      const Index item = pick(detail::two_results(states + blockIdx.x));
      if (first + thread < end) output.put(first + thread, item);
    }
  }
};

}  // namespace wrsgpu
