// Shared device code of the sectioned samplers.
#pragma once

#include "sampling/section_sampler_base.cuh"
#include "wrsgpu/detail/sampling/section_tree.hpp"
#include "wrsgpu/detail/table/rows.hpp"

namespace wrsgpu {

/// A section, and the part of its samples that the block draws.
struct BlockShare {
  Index first_row;
  Index rows;
  std::uint64_t begin;
  std::uint64_t end;
};

/// Calls `draw(share)` for each section of the block, with all threads; a barrier separates
/// sections.
template <class Draw>
__device__ void for_each_section(const SectionTree& tree, const SectionWork& work,
                                 const Draw& draw) {
  __shared__ SectionWalk walk;
  __shared__ SectionShare shares[2];  // of the current section and of the next one
  const Index count = tree.sections().count();
  const Index first = blockIdx.x / work.blocks_of_section * work.sections_of_block;
  const Index past =
      count - first < work.sections_of_block ? count : first + work.sections_of_block;
  if (threadIdx.x == 0) {
    walk.start(tree, first);
    shares[first % 2] = walk.next(tree);
  }
  __syncthreads();
  for (Index section = first; section < past; ++section) {
    const SectionShare share = shares[section % 2];
    // While the other threads draw.
    if (threadIdx.x == 0 && section + 1 < past) shares[(section + 1) % 2] = walk.next(tree);
    // Cannot overflow for any number of samples.
    const auto border = [&](unsigned part) {
      const unsigned parts = work.blocks_of_section;
      return share.first_sample + share.samples / parts * part +
             share.samples % parts * part / parts;
    };
    const unsigned part = blockIdx.x % work.blocks_of_section;
    const Index first_row = tree.sections().start(section);
    draw(BlockShare{first_row, tree.sections().start(section + 1) - first_row, border(part),
                    border(part + 1)});
    __syncthreads();
  }
}

/// Draws the block's part of a section. `rows` are those of the section, numbered from 0.
template <class Rows, class Words, class Output>
__device__ void draw_share(const Rows& rows, const BlockShare& share, Words& words,
                           Output& output) {
  words.draw(
      share.begin, share.end, threadIdx.x, blockDim.x,
      [&](std::uint64_t word) {
        const RowChoice choice = choose_row(word, share.rows);
        const auto row = rows.load(choice.row);
        return Rows::accepts(row, rows.variate(choice.fraction)) ? share.first_row + choice.row
                                                                 : Rows::alias(row);
      },
      output);
}

}  // namespace wrsgpu
