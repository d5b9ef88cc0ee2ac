// The kernel of the baseline sampler (thesis 3.4.1).
#pragma once

#include "wrsgpu/detail/sampling/gpu_launch.cuh"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu {

/// Draws from the whole table; `Words` assigns samples to threads. Blocks of up to
/// `max_block_threads` threads; all threads reach `output.finish()`.
template <class Rows, class Words, class Output>
__global__ void __launch_bounds__(max_block_threads)
    draw_from_table(Rows rows, Words words, std::uint64_t samples, Output output) {
  words.start().draw(
      0, samples, std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,
      std::uint64_t{gridDim.x} * blockDim.x,
      [&](std::uint64_t word) {
        const RowChoice choice = choose_row(word, rows.size());
        return rows.pick(choice.row, choice.fraction);
      },
      output);
  output.finish();
}

}  // namespace wrsgpu
