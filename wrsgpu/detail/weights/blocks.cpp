#include "wrsgpu/detail/weights/blocks.hpp"

#include <cstddef>
#include <span>

#include "wrsgpu/detail/core/target_clones.hpp"

namespace wrsgpu::weights {
namespace {

template <class T>
inline void uniform_pairs(std::uint64_t seed, std::uint64_t first, std::size_t pairs, T* out) {
  for (std::size_t k = 0; k < pairs; ++k) {
    const random::PhiloxBlock block =
        random::philox_block(seed, first + k, random::weights_subsequence);
    const std::uint64_t even = block.word[0] | (std::uint64_t{block.word[1]} << 32);
    const std::uint64_t odd = block.word[2] | (std::uint64_t{block.word[3]} << 32);
    out[2 * k] = static_cast<T>(Uniform::from_word(even));
    out[2 * k + 1] = static_cast<T>(Uniform::from_word(odd));
  }
}

// Templates cannot have target clones, so each loop is wrapped once for each type.
WRSGPU_TARGET_CLONES void pairs_of(std::uint64_t seed, std::uint64_t first, std::size_t pairs,
                                   float* out) {
  uniform_pairs(seed, first, pairs, out);
}
WRSGPU_TARGET_CLONES void pairs_of(std::uint64_t seed, std::uint64_t first, std::size_t pairs,
                                   double* out) {
  uniform_pairs(seed, first, pairs, out);
}

// Passed by value: nothing can alias the copy, so it stays in registers.
WRSGPU_TARGET_CLONES void apply(shuffle::FeistelBijection bijection, std::span<Index> values) {
  for (Index& value : values) value = bijection(value);
}

template <class T>
void uniform_items(const Uniform& uniform, Index begin, std::span<T> out) {
  const std::size_t pairs = out.size() / 2;
  pairs_of(uniform.seed, begin / 2, pairs, out.data());
  if (out.size() % 2 != 0) {
    out.back() = static_cast<T>(uniform(begin + static_cast<Index>(2 * pairs)));
  }
}

}  // namespace

void uniform_block(const Uniform& uniform, Index begin, std::span<float> out) {
  uniform_items(uniform, begin, out);
}
void uniform_block(const Uniform& uniform, Index begin, std::span<double> out) {
  uniform_items(uniform, begin, out);
}

void permuted_block(const shuffle::Permutation& permutation, Index begin, std::span<Index> out) {
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = begin + static_cast<Index>(k);
  apply(permutation.bijection(), out);
  // Indices whose images are outside continue their cycle walk, again in one vector.
  Index outside[permuted_block_items];
  Index position[permuted_block_items];
  std::size_t count = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    outside[count] = out[k];
    position[count] = static_cast<Index>(k);
    count += out[k] >= permutation.size() ? 1U : 0U;
  }
  while (count != 0) {
    apply(permutation.bijection(), {outside, count});
    std::size_t left = 0;
    for (std::size_t k = 0; k < count; ++k) {
      out[position[k]] = outside[k];
      outside[left] = outside[k];
      position[left] = position[k];
      left += outside[k] >= permutation.size() ? 1U : 0U;
    }
    count = left;
  }
}

}  // namespace wrsgpu::weights
