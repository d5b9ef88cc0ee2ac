// The kernel of the cached samplers (thesis 3.4.2 and 3.4.3).
#pragma once

#include "sampling/sectioned_kernel.cuh"
#include "wrsgpu/detail/sampling/gpu_launch.cuh"

namespace wrsgpu {

/// The rows of a section within the table.
template <class Rows>
struct SectionRows {
  Rows rows;
  Index first_row;
  [[nodiscard]] __device__ auto load(Index row) const { return rows.load(first_row + row); }
  [[nodiscard]] __device__ auto variate(std::uint64_t fraction) const {
    return rows.variate(fraction);
  }
  template <class Row, class Variate>
  [[nodiscard]] __device__ static bool accepts(const Row& row, Variate variate) {
    return Rows::accepts(row, variate);
  }
  template <class Row>
  [[nodiscard]] __device__ static Index alias(const Row& row) {
    return Rows::alias(row);
  }
};

/// Each block draws its part of the samples of its sections, one section after the other, so that
/// the rows that it reads stay in the cache if they fit; `work` distributes the sections.
template <class Rows, class Words, class Output>
__global__ void __launch_bounds__(max_block_threads)
    draw_sections(Rows rows, SectionTree tree, SectionWork work, Words source, Output output) {
  auto words = source.start();
  for_each_section(tree, work, [&](const BlockShare& share) {
    draw_share(SectionRows<Rows>{rows, share.first_row}, share, words, output);
  });
  output.finish();
}

}  // namespace wrsgpu
