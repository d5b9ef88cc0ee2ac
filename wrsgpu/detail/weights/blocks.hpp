// The two inner loops of weight generation on the host that benefit from wide vector registers.
#pragma once

#include <cstddef>
#include <span>

#include "wrsgpu/detail/weights/distributions/uniform.hpp"
#include "wrsgpu/detail/weights/permutation.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {

/// out[k] = uniform(begin + k), using both words of each Philox block; `begin` is even.
void uniform_block(const Uniform& uniform, Index begin, std::span<float> out);
void uniform_block(const Uniform& uniform, Index begin, std::span<double> out);

/// out[k] = permutation(begin + k), for at most `permuted_block_items` of them.
inline constexpr std::size_t permuted_block_items = 2048;
void permuted_block(const shuffle::Permutation& permutation, Index begin, std::span<Index> out);

}  // namespace wrsgpu::weights
