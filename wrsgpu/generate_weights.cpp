#include "wrsgpu/generate_weights.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/weights/blocks.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::weights {
namespace {

constexpr std::uint64_t block_items = std::uint64_t{1} << 16;

/// Writes the weights of items [begin, begin + out.size()); `begin` is a multiple of `block_items`.
template <class Function, class T>
void fill(const Function& function, Index begin, std::span<T> out) {
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = static_cast<T>(function(begin + static_cast<Index>(k)));
  }
}

template <class T>
void fill(const Uniform& function, Index begin, std::span<T> out) {
  uniform_block(function, begin, out);
}

/// Distributions that randomly permute another distribution.
template <class Function, class T>
requires requires(const Function& f) { f.ranked(f.permutation(Index{0})); }
void fill(const Function& function, Index begin, std::span<T> out) {
  Index ranks[permuted_block_items];
  for (std::size_t start = 0; start < out.size(); start += permuted_block_items) {
    const std::size_t size = std::min(permuted_block_items, out.size() - start);
    permuted_block(function.permutation, begin + static_cast<Index>(start), {ranks, size});
    for (std::size_t k = 0; k < size; ++k) {
      out[start + k] = static_cast<T>(function.ranked(ranks[k]));
    }
  }
}

}  // namespace

template <class T>
void generate(std::string_view name, std::uint64_t n, std::uint64_t seed, std::span<T> out,
              unsigned threads) {
  const WeightFunction function = make_weight_function(name, n, seed);
  if (out.size() != n) {
    throw Error("generate: argument 'out' holds " + std::to_string(out.size()) +
                " weights, argument 'n' is " + std::to_string(n));
  }
  const std::uint64_t blocks = (n + block_items - 1) / block_items;
  std::visit(
      [&](const auto& f) {
        parallel_for(blocks, threads, [&](std::uint64_t block) {
          const std::uint64_t begin = block * block_items;
          fill(f, static_cast<Index>(begin), out.subspan(begin, std::min(block_items, n - begin)));
        });
      },
      function);
}

template <class T>
HostBuffer<T> generate(std::string_view name, std::uint64_t n, std::uint64_t seed,
                       unsigned threads) {
  static_cast<void>(make_weight_function(name, n, seed));  // validates before allocating
  HostBuffer<T> weights(n);
  generate(name, n, seed, weights.span(), threads);
  return weights;
}

template void generate(std::string_view, std::uint64_t, std::uint64_t, std::span<float>, unsigned);
template void generate(std::string_view, std::uint64_t, std::uint64_t, std::span<double>, unsigned);
template HostBuffer<float> generate(std::string_view, std::uint64_t, std::uint64_t, unsigned);
template HostBuffer<double> generate(std::string_view, std::uint64_t, std::uint64_t, unsigned);

}  // namespace wrsgpu::weights
