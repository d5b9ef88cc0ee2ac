#include "wrsgpu/construction/lane_sweep/choice.cuh"
#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"
#include "wrsgpu/core/following_launch.cuh"
#include "wrsgpu/core/warp_reduce.cuh"

namespace wrsgpu::lane_sweep {
namespace {

constexpr unsigned threads = 256;
constexpr Index block_tiles = threads / lanes;

/// A warp for each tile.
template <class T>
__global__ void __launch_bounds__(threads)
    choose_handed_on(const T* weights, Index items, const MassTile* tiles, merge::Balance balance,
                     const std::uint8_t* candidates, HandedOn handed_on, Tasks tasks) {
  __shared__ RowMask masks[block_tiles][tile_masks];
  const Index lane = threadIdx.x % lanes;
  const Index number = blockIdx.x * block_tiles + threadIdx.x / lanes;
  wait_for_earlier_kernels();
  // The lanes may see what other blocks find out or not, but have to agree.
  if (number >= balance.tiles || __any_sync(~0U, balance.is_suited() ? 0 : 1) != 0) return;
  RowMask* const gone = masks[threadIdx.x / lanes];
  const MassTile tile = tiles[number];
  const Index entry = balance.place[number];
  const std::uint8_t* const places = candidates + std::size_t{number} * candidate_bytes;
  Index candidate = place_in_candidates(places, lane);  // of the lane's group; asked for early
  const Index place = entry & ~merge::Balance::excess_bit;
  const IntegerWeight<T, std::uint64_t> integer(tile.shift, tile.slope);
  if (lane == 0 && tile.mass >= most_tile_mass) balance.only_merge();
  RowMask* const masks_out = tasks.gone + std::size_t{number} * tile_masks;
  if (entry == place) {
    masks_out[lane] = 0;
    masks_out[lane + lanes] = 0;
    if (lane == 0) {
      tasks.task[number] = {tile, balance.lack_before[place], balance.donor_tile[place], 0};
    }
    return;
  }
  const std::uint64_t before = balance.excess_before[place];
  const std::uint64_t excess = balance.excess_before[place + 1] - before;
  gone[lane] = 0;
  gone[lane + lanes] = 0;
  __syncwarp();
  const std::uint64_t begin = std::uint64_t{number} * mass_tile_items;
  std::uint64_t total = 0;  // of the items so far
  std::uint64_t over = 0;
  Index count = 0;
  Index last = 0;
#pragma unroll 1
  for (Index first = 0; first < tile_groups && total < excess; first += lanes) {
    const Index group = first + lane;
    if (first > 0) candidate = place_in_candidates(places, group);
    const Index item = group * group_items + candidate;
    const bool is_item = begin + item < items;
    const std::uint64_t mass = is_item ? integer.nearest(weights[begin + item]) : 0;
    const std::uint64_t own = mass > fixed_bucket ? mass - fixed_bucket : 0;
    const std::uint64_t up_to = total + warp_sum_up_to(own);
    const bool is_taken = own > 0 && up_to - own < excess;
    const unsigned taken = __ballot_sync(~0U, is_taken ? 1 : 0);
    if (is_taken) {
      const Index at = place * tile_groups + count + __popc(taken & ((1U << lane) - 1));
      handed_on.item[at] = static_cast<Index>(begin) + item;
      handed_on.up_to[at] = before + (up_to < excess ? up_to : excess);
      atomicOr(gone + item / half_items * lanes + item % lanes, 1U << (item / lanes % lanes));
    }
    const unsigned is_enough = __ballot_sync(~0U, is_taken && up_to >= excess ? 1 : 0);
    if (is_enough != 0) {
      const int who = __ffs(static_cast<int>(is_enough)) - 1;
      over = __shfl_sync(~0U, up_to - excess, who);
      last = __shfl_sync(~0U, item, who);
    }
    count += __popc(taken);
    total = __shfl_sync(~0U, up_to, lanes - 1);
  }
  __syncwarp();
  if (lane >= count) {
    handed_on.item[place * tile_groups + lane] = 0;
    handed_on.up_to[place * tile_groups + lane] = before + excess;
  }
  masks_out[lane] = gone[lane];
  masks_out[lane + lanes] = gone[lane + lanes];
  if (lane > 0) return;
  handed_on.count[place] = count;
  tasks.task[number] = {tile, over, static_cast<Index>(begin) + last, 1};
  if (total < excess) balance.only_merge();
}

}  // namespace

std::size_t HandedOn::bytes(Index tiles) {
  return std::size_t{tiles} * (sizeof(Index) + tile_groups * (sizeof(Index) + sizeof(*up_to)));
}

HandedOn HandedOn::at(void* memory, Index tiles) {
  const std::size_t places = std::size_t{tiles} * tile_groups;
  auto* const up_to = static_cast<std::uint64_t*>(memory);
  auto* const item = reinterpret_cast<Index*>(up_to + places);
  return {item + places, item, up_to};
}

template <class T>
void choose(std::span<const T> weights, const MassTile* tiles, const merge::Balance& balance,
            const std::uint8_t* candidates, const HandedOn& handed_on, const Tasks& tasks,
            cudaStream_t stream) {
  launch_following(choose_handed_on<T>, blocks_for(balance.tiles, block_tiles), threads, stream,
                   weights.data(), static_cast<Index>(weights.size()), tiles, balance, candidates,
                   handed_on, tasks);
  check_launch("lane_sweep::choose_handed_on");
}

template void choose(std::span<const float>, const MassTile*, const merge::Balance&,
                     const std::uint8_t*, const HandedOn&, const Tasks&, cudaStream_t);
template void choose(std::span<const double>, const MassTile*, const merge::Balance&,
                     const std::uint8_t*, const HandedOn&, const Tasks&, cudaStream_t);

}  // namespace wrsgpu::lane_sweep
