// Shuffles as sources of permutations for permutation_tests.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>

#include "verification/permutation_tests.hpp"
#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::verification {

/// The seed of permutation k < 2^32 of a source: every permutation has a separate stream.
[[nodiscard]] constexpr std::uint64_t permutation_seed(std::uint64_t seed, std::uint64_t k) {
  return (seed << 32) + k;
}

/// Algorithm 1 of Mitchell and others (2021): the images less than out.size(), in the order in
/// which a bijection of at least as many numbers yields them.
template <class Bijection>
void compact(const Bijection& bijection, std::span<Index> out) {
  std::size_t kept = 0;
  for (std::uint64_t i = 0; i < bijection.size(); ++i) {
    const std::uint64_t image = bijection(i);
    if (image < out.size() && kept < out.size()) out[kept++] = static_cast<Index>(image);
  }
}

/// The smallest `Bijection` of enough numbers, compacted.
template <class Bijection>
[[nodiscard]] PermutationSource compacted(std::uint64_t seed) {
  return [seed](std::uint64_t k, std::span<Index> out) {
    compact(Bijection::of_at_least(out.size(), permutation_seed(seed, k)), out);
  };
}

/// Product Feistel networks of this number of rounds with cycle walking; with 24,
/// `LazyPermutation`.
template <unsigned rounds = 24>
[[nodiscard]] PermutationSource walked(std::uint64_t seed) {
  return [seed](std::uint64_t k, std::span<Index> out) {
    using Bijection = shuffle::ProductFeistel<rounds>;
    const shuffle::CycleWalk<Bijection> permutation(
        out.size(), Bijection(out.size(), permutation_seed(seed, k)));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Index>(permutation(i));
  };
}

/// std::shuffle with the Mersenne Twister.
[[nodiscard]] inline PermutationSource standard_shuffle(std::uint64_t seed) {
  return [seed](std::uint64_t k, std::span<Index> out) {
    std::mt19937_64 generator(permutation_seed(seed, k));
    std::iota(out.begin(), out.end(), Index{0});
    std::shuffle(out.begin(), out.end(), generator);
  };
}

}  // namespace wrsgpu::verification
