// What the blocks of every sectioned sampler do alike.
#pragma once

#include "wrsgpu/construction/rows.hpp"
#include "wrsgpu/sampling/section_tree.hpp"

namespace wrsgpu {

/// The block's section, and its part of the section's samples.
struct BlockShare {
  Index first_row;
  Index rows;
  std::uint64_t begin;
  std::uint64_t end;
};

/// `parts` blocks share a section; block `block` of them all. All threads must call it.
[[nodiscard]] __device__ inline BlockShare block_share(const SectionTree& tree, unsigned block,
                                                       unsigned parts) {
  __shared__ SectionShare shared;
  const Index section = block / parts;
  if (threadIdx.x == 0) shared = tree.share(section);
  __syncthreads();
  const SectionShare share = shared;
  // Without overflow for any number of samples.
  const auto border = [&](unsigned part) {
    return share.first_sample + share.samples / parts * part + share.samples % parts * part / parts;
  };
  const Index first_row = tree.sections().start(section);
  return {first_row, tree.sections().start(section + 1) - first_row, border(block % parts),
          border(block % parts + 1)};
}

/// Draws the block's part. `rows` are the section's, numbered from 0.
template <class Rows, class Words, class Output>
__device__ void draw_share(const Rows& rows, const BlockShare& share, const Words& words,
                           Output& output) {
  words.draw(
      share.begin, share.end, threadIdx.x, blockDim.x,
      [&](std::uint64_t word) {
        const RowChoice choice = choose_row(word, share.rows);
        const auto row = rows.load(choice.row);
        return Rows::keeps(row, rows.coin(choice.fraction)) ? share.first_row + choice.row
                                                            : Rows::alias(row);
      },
      output);
  output.finish();
}

}  // namespace wrsgpu
