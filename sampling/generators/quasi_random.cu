#include "sampling/generators/quasi_random.cuh"

#include <curand_kernel.h>

#include <limits>
#include <string>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu::random {
namespace {

constexpr unsigned threads = 256;

/// One thread per word.
__global__ void write_halton(std::uint32_t base, std::uint64_t first, std::uint64_t count,
                             std::uint64_t* words) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count) words[k] = radical_inverse(first + k, base);
}

/// One thread per word; the threads of a block share the directions.
__global__ void write_sobol(const unsigned long long* directions, std::uint64_t first,
                            std::uint64_t count, std::uint64_t* words) {
  __shared__ curandDirectionVectors64_t vectors;
  if (threadIdx.x < 64) vectors[threadIdx.x] = directions[threadIdx.x];
  __syncthreads();
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= count) return;
  curandStateSobol64_t state;
  curand_init(vectors, first + k, &state);
  words[k] = curand(&state);
}

}  // namespace

void halton_words(std::uint32_t base, std::uint64_t first, std::span<std::uint64_t> words,
                  cudaStream_t stream) {
  if (base < 2) throw Error("argument 'base' is " + std::to_string(base) + ", below 2");
  constexpr std::uint64_t maximum = std::numeric_limits<std::uint64_t>::max();
  if (words.empty()) throw Error("argument 'words' is empty");
  if (first > maximum / base || words.size() > maximum / base - first) {
    throw Error("argument 'first' is " + std::to_string(first) +
                "; the Halton sequence is computed up to index 2^64 / " + std::to_string(base));
  }
  write_halton<<<blocks_for(words.size(), threads), threads, 0, stream>>>(base, first, words.size(),
                                                                          words.data());
  check_launch("write_halton");
}

void sobol_words(std::span<const unsigned long long, 64> directions, std::uint64_t first,
                 std::span<std::uint64_t> words, cudaStream_t stream) {
  if (words.empty()) throw Error("argument 'words' is empty");
  if (first > std::numeric_limits<std::uint64_t>::max() - words.size()) {
    throw Error("argument 'first' is " + std::to_string(first) +
                "; the Sobol sequence has 2^64 points");
  }
  write_sobol<<<blocks_for(words.size(), threads), threads, 0, stream>>>(
      directions.data(), first, words.size(), words.data());
  check_launch("write_sobol");
}

}  // namespace wrsgpu::random
