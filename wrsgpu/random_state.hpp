// The random state that every sampler takes.
#pragma once

#include <cstdint>

namespace wrsgpu {

/// A position in a stream of random numbers. Equal (seed, offset) give equal samples in every run;
/// with Philox they do not depend on the number of threads or the launch configuration
/// of kernels. After drawing `n` samples, add `n` to the offset to draw new ones.
///
/// Samples in random order take the 64-bit words `offset`, `offset` + 1, ... of the stream `seed`.
/// The high half of word k is 32-bit output k of Philox4x32 with the seed as key in subsequence 0,
/// its low half is output k in subsequence 2^60. cuRAND's `curand_init(seed, subsequence, k,
/// &state)` and `curand(&state)` give the same outputs, with 10 rounds.
struct RandomState {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
};

}  // namespace wrsgpu
