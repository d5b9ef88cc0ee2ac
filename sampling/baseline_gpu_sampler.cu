#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"
#include "wrsgpu/random/philox.hpp"
#include "wrsgpu/sampling/baseline_gpu_sampler.cuh"

namespace wrsgpu {
namespace {

constexpr int block_threads = 256;
// Independent rows in flight per thread: two words of each of these blocks.
constexpr int blocks_per_thread = 4;

// Thread t of the grid evaluates Philox blocks t, t + threads, ... of the launch, so that
// neighbouring threads write neighbouring samples.
template <class Rows>
__global__ void __launch_bounds__(block_threads)
    draw(Rows rows, Index* out, std::uint64_t count, RandomState state) {
  const std::uint64_t first_block = state.offset / 2;
  const std::uint64_t start =
      std::uint64_t{blockIdx.x} * (block_threads * blocks_per_thread) + threadIdx.x;
  Index items[2 * blocks_per_thread];
#pragma unroll
  for (int b = 0; b < blocks_per_thread; ++b) {
    const random::PhiloxBlock bits = random::philox_block(
        state.seed, first_block + start + static_cast<std::uint64_t>(b) * block_threads);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::uint64_t word =
          bits.word[2 * half] | (std::uint64_t{bits.word[2 * half + 1]} << 32);
      const RowChoice choice = choose_row(word, rows.size());
      items[2 * b + half] = rows.pick(choice.row, choice.fraction);
    }
  }
  const std::uint64_t skipped =
      state.offset % 2;  // words of the first block before the first sample
#pragma unroll
  for (int b = 0; b < blocks_per_thread; ++b) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::uint64_t k =
          2 * (start + static_cast<std::uint64_t>(b) * block_threads) + half - skipped;
      if (k < count) out[k] = items[2 * b + half];  // k wraps to a huge value before the first
    }
  }
}

}  // namespace

void BaselineGpuSampler::sample(const DeviceTable& table, std::span<Index> out, RandomState state,
                                cudaStream_t stream) const {
  if (table.size() == 0) throw Error("sample: argument 'table' is empty; build it first");
  if (out.empty()) throw Error("sample: argument 'out' is empty; ask for at least one sample");
  const std::uint64_t philox_blocks = (out.size() + state.offset % 2 + 1) / 2;
  const std::uint64_t per_block = block_threads * blocks_per_thread;
  const unsigned blocks = blocks_for(philox_blocks, per_block);
  table.visit([&](auto rows) {
    draw<<<blocks, block_threads, 0, stream>>>(rows, out.data(), out.size(), state);
    check_launch("BaselineGpuSampler draw");
  });
}

}  // namespace wrsgpu
