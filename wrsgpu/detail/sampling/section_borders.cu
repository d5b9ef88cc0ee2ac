#include "wrsgpu/detail/sampling/section_borders.cuh"

#include <algorithm>

#include "wrsgpu/detail/core/bit_width.hpp"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/random/binomial_by_lanes.cuh"

namespace wrsgpu {
namespace {

constexpr unsigned block_threads = 128;

/// Number of lanes, a power of two, that search for one border together: a full warp if sections
/// are few. With more threads, the device would have no room for the dependent kernel to start
/// early.
[[nodiscard]] unsigned lanes_of_section(Index sections) {
  constexpr Index enough = 1U << 15;
  return 1U << (bit_width(std::clamp(enough / sections, Index{1}, Index{32})) - 1);
}

/// `lanes` threads per section, a power of two up to 32, in blocks of whole warps; threads beyond
/// the last section duplicate its work. The threads of a warp descend the tree together while their
/// sections are in the same node.
__global__ void __launch_bounds__(block_threads)
    find_first_samples(const __grid_constant__ SectionTree tree,
                       const __grid_constant__ SectionBorders borders, unsigned lanes) {
  trigger_launch_completion();
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const Index count = borders.sections.count();
  const auto section = static_cast<Index>(min(thread / lanes, std::uint64_t{count} - 1));
  unsigned team = ~0U;
  SectionNode node = tree.root();
  while (node.end - node.begin > 1) {
    const SectionHalves halves = tree.split(
        node, [team](const random::PhiloxEngine<>& generator, std::uint64_t n, double p) {
          return random::binomial_by_lanes(generator, n, p, team);
        });
    const bool is_left = section < halves.left.end;
    const unsigned left = __ballot_sync(team, is_left);
    team = is_left ? left : team & ~left;
    node = is_left ? halves.left : halves.right;
  }
  borders.first_samples[section] = node.share.first_sample;
  if (thread == 0) {
    borders.first_samples[count] = tree.root().share.samples;
    *borders.parts_begun = 0;
  }
}

}  // namespace

void find_borders(const SectionTree& tree, const SectionBorders& borders, cudaStream_t stream) {
  const Index count = borders.sections.count();
  const unsigned lanes = lanes_of_section(count);
  find_first_samples<<<blocks_for(std::uint64_t{count} * lanes, block_threads), block_threads, 0,
                       stream>>>(tree, borders, lanes);
  check_launch("find_first_samples");
}

}  // namespace wrsgpu
