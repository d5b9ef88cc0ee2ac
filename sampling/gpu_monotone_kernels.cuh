// Kernels of the methods that map a random word to an item: `find(word)` is a device function.
#pragma once

#include <span>

#include "sampling/gpu_words.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/sampling/gpu_output.cuh"

namespace wrsgpu {

inline constexpr unsigned monotone_threads = 256;

/// Sets sample k to `find(word k)`. Any number of blocks; all threads reach `output.finish()`.
template <class Find, class Output>
__global__ void __launch_bounds__(monotone_threads)
    draw_by_words(Find find, PhiloxWords words, std::uint64_t samples, Output output) {
  words.start().draw(0, samples, std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                     std::uint64_t{gridDim.x} * blockDim.x, find, output);
  output.finish();
}

/// Sets out[k] to `find(words[k])`. One thread per word.
template <class Find>
__global__ void __launch_bounds__(monotone_threads)
    find_words(Find find, const std::uint64_t* words, std::uint64_t count, Index* out) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count) out[k] = find(words[k]);
}

template <class Find>
void launch_draw_by_words(const Find& find, const AnyOutput& output, std::uint64_t samples,
                          RandomState state, cudaStream_t stream) {
  constexpr std::uint64_t thread_samples = 8;
  std::visit(
      [&](const auto& out) {
        draw_by_words<<<capped_blocks_for(samples, monotone_threads * thread_samples),
                        monotone_threads, 0, stream>>>(find, PhiloxWords{state}, samples, out);
      },
      output);
  check_launch("draw_by_words");
}

template <class Find>
void launch_find_words(const Find& find, std::span<const std::uint64_t> words, Index* out,
                       cudaStream_t stream) {
  find_words<<<blocks_for(words.size(), monotone_threads), monotone_threads, 0, stream>>>(
      find, words.data(), words.size(), out);
  check_launch("find_words");
}

}  // namespace wrsgpu
