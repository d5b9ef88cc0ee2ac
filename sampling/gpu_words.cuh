// Where the samplers on the GPU get their random words from (thesis 4.7.1).
//
// A word source is what a kernel is templated over:
//   start()   called once by every thread of the kernel; gives what has `draw`, below, which may be
//             called many times: the words go on
//   draw(begin, end, thread, threads, pick, output)   item = pick(word), output.put(sample, item)
//             for the samples [begin, end), shared out among `threads` threads of which this one is
//             `thread`. Several items are picked before the first is put, so that as many rows are
//             under way at a time. Every thread of a block must call it, with the same begin and
//             end.
#pragma once

#include <curand_kernel.h>

#include <cstdint>

#include "sampling/generators/md5.hpp"
#include "sampling/generators/pkpt.hpp"
#include "sampling/generators/sha1.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/sampling/gpu_sampler_options.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Sample k takes word `offset + k` of the Philox4x32-10 stream `seed`, whichever thread draws it.
struct PhiloxWords {
  static constexpr GpuGenerator generator = GpuGenerator::philox;
  RandomState state;

  [[nodiscard]] __device__ PhiloxWords start() const { return *this; }

  template <class Pick, class Output>
  __device__ void draw(std::uint64_t begin, std::uint64_t end, std::uint64_t thread,
                       std::uint64_t threads, const Pick& pick, Output& output) const {
    constexpr int together = 4;                      // blocks of two words
    const std::uint64_t skipped = state.offset & 1;  // a block holds words 2i and 2i + 1
    const std::uint64_t first_block = state.offset >> 1;
    constexpr std::uint64_t last_block = ~std::uint64_t{0} >> 1;  // then words begin again
    // Samples 2b - skipped and 2b - skipped + 1 come from block first_block + b.
    const std::uint64_t past = (end + skipped + 1) >> 1;
    for (std::uint64_t b = ((begin + skipped) >> 1) + thread; b < past; b += threads * together) {
      Index items[2 * together];
#pragma unroll
      for (int k = 0; k < together; ++k) {
        const random::PhiloxBlock bits = random::philox_block(
            state.seed, (first_block + b + static_cast<std::uint64_t>(k) * threads) & last_block);
        items[2 * k] = pick(bits.word[0] | std::uint64_t{bits.word[1]} << 32);
        items[2 * k + 1] = pick(bits.word[2] | std::uint64_t{bits.word[3]} << 32);
      }
#pragma unroll
      for (int k = 0; k < together; ++k) {
        const std::uint64_t sample = 2 * (b + static_cast<std::uint64_t>(k) * threads) -
                                     skipped;  // may wrap below the first
        if (sample - begin < end - begin) output.put(sample, items[2 * k]);
        if (sample + 1 - begin < end - begin) output.put(sample + 1, items[2 * k + 1]);
      }
    }
  }
};

/// A thread's own generator, started.
template <class Engine>
struct StartedWords {
  Engine engine;

  template <class Pick, class Output>
  __device__ void draw(std::uint64_t begin, std::uint64_t end, std::uint64_t thread,
                       std::uint64_t threads, const Pick& pick, Output& output) {
    constexpr int together = 4;
    // Warps write whole lines of the output.
    for (std::uint64_t first = begin / 32 * 32; first < end; first += threads * together) {
      Index items[together];
#pragma unroll
      for (int k = 0; k < together; ++k) items[k] = pick(engine.word());
#pragma unroll
      for (int k = 0; k < together; ++k) {
        const std::uint64_t sample = first + thread + static_cast<std::uint64_t>(k) * threads;
        if (sample - begin < end - begin) output.put(sample, items[k]);
      }
    }
  }
};

/// A generator for each thread.
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
    // All zero is the one state that xorshift never leaves.
    if ((seed.word[0] | seed.word[1] | seed.word[2] | seed.word[3] | seed.word[4]) == 0) {
      state.v[0] = 1;
    }
    state.d = 6615241;
  }
  [[nodiscard]] __device__ std::uint64_t word() { return detail::two_results(&state); }
};

/// Its results are below 2^32 - 209: words whose halves lie above never come.
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

/// MTGP32: the threads of a block share a state, which the host starts; 256 threads at most. Its
/// blocks must all take the same number of words.
struct MtgpWords {
  static constexpr GpuGenerator generator = GpuGenerator::mtgp32;
  curandStateMtgp32_t* states;  ///< one for each block

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
