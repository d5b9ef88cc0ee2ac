// The kernel of the samplers that read rows of the whole table at random.
#pragma once

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/sampling/split_word_draw.cuh"

namespace wrsgpu {

/// Loads a compact row in one read-only access.
[[nodiscard]] __device__ inline CompactRow load_constant(const CompactRow* row) {
  const uint2 bits = __ldg(reinterpret_cast<const uint2*>(row));
  return {bits.x, bits.y};
}

/// The rows of a table as they are.
struct WholeRows {
  const CompactRow* rows;
  Index count;

  [[nodiscard]] __device__ Index size() const { return count; }
  template <int quads, int samples>
  __device__ void pick(const RowChoice (&choices)[quads][samples],
                       Index (&items)[quads][samples]) const {
    CompactRow chosen[quads][samples];
#pragma unroll
    for (int j = 0; j < quads; ++j) {
#pragma unroll
      for (int s = 0; s < samples; ++s) chosen[j][s] = load_constant(rows + choices[j][s].row);
    }
#pragma unroll
    for (int j = 0; j < quads; ++j) {
#pragma unroll
      for (int s = 0; s < samples; ++s) {
        const Index variate = CompactRows::variate(choices[j][s].fraction);
        items[j][s] =
            CompactRows::accepts(chosen[j][s], variate) ? choices[j][s].row : chosen[j][s].alias;
      }
    }
  }
};

/// Source of samples for `draw_quads`. `Rows` has the members
///   size()
///   pick(choices, items)   the items of several choices, whose rows are loaded together
/// Draws both halves of every word: with many rows, ties are frequent, and memory is slower than
/// Philox anyway.
template <class Words, class Rows>
struct DirectSource {
  Words words;
  Rows rows;

  template <int quads>
  [[nodiscard]] __device__ bool pick(const typename Words::Quads& words_of,
                                     const std::uint32_t (&numbers)[quads],
                                     Index (&items)[quads][4]) const {
    RowChoice choices[quads][4];
#pragma unroll
    for (int j = 0; j < quads; ++j) {
      const random::PhiloxBlock high = words_of.high_halves(numbers[j]);
      const random::PhiloxBlock low = words_of.low_halves(numbers[j]);
#pragma unroll
      for (int s = 0; s < 4; ++s) {
        choices[j][s] = choose_row(Words::joined(high.word[s], low.word[s]), rows.size());
      }
    }
    rows.pick(choices, items);
    return true;
  }
  [[nodiscard]] __device__ Index one(std::uint64_t word) const {
    const RowChoice choice[1][1] = {{choose_row(words.word(word), rows.size())}};
    Index item[1][1];
    rows.pick(choice, item);
    return item[0][0];
  }
};

/// Default number of threads per block, and number of quads that a thread draws at a time.
inline constexpr unsigned direct_threads = 256;
inline constexpr int direct_quads = 2;

/// All threads of the grid draw together (`draw_quads`) from the whole table; any launch shape of
/// at most `max_quad_threads` threads. All threads reach `output.finish()`. Launched by
/// `launch_programmatic`.
// It does not let the next kernel start early: that costs small tables their place in the L1.
// The 1 prevents the compiler from saving registers: it would load one row after the other.
template <class Words, class Rows, class Output>
__global__ void __launch_bounds__(max_block_threads, 1)
    draw_directly(const __grid_constant__ DirectSource<Words, Rows> source, std::uint64_t offset,
                  std::uint64_t samples, Output output) {
  grid_dependency_sync();
  draw_quads<direct_quads>(source, offset, 0, samples, blockIdx.x * blockDim.x + threadIdx.x,
                           gridDim.x * blockDim.x, output);
  output.finish();
}

/// Number of blocks of `threads` threads that draw `samples` samples.
[[nodiscard]] inline unsigned direct_blocks(std::uint64_t samples, unsigned threads) {
  constexpr unsigned rounds = 8;  // waves of blocks, for load balance
  return capped_blocks_for(samples, std::uint64_t{threads} * direct_quads * 4,
                           blocks_that_fill(threads) * rounds);
}

template <class Rows>
void launch_draw_directly(const Rows& rows, const GpuSamplerOptions& options,
                          const AnyOutput& output, std::uint64_t samples, RandomState state,
                          cudaStream_t stream) {
  const unsigned threads = options.block_threads > 0 ? options.block_threads : direct_threads;
  const auto maximum = static_cast<unsigned>(max_quad_threads / threads);
  const unsigned blocks =
      options.blocks > 0 ? std::min(options.blocks, maximum) : direct_blocks(samples, threads);
  with_split_words_and_output(
      options.generator, state, output, [&](const auto& words, const auto& out) {
        using Words = std::remove_cvref_t<decltype(words)>;
        launch_programmatic(draw_directly<Words, Rows, std::remove_cvref_t<decltype(out)>>,
                            {blocks, threads}, stream, DirectSource<Words, Rows>{words, rows},
                            state.offset, samples, out);
        check_launch("draw_directly");
      });
}

}  // namespace wrsgpu
