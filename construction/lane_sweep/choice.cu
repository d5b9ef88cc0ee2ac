#include "wrsgpu/construction/lane_sweep/choice.cuh"
#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"
#include "wrsgpu/core/following_launch.cuh"
#include "wrsgpu/core/warp_reduce.cuh"

namespace wrsgpu::lane_sweep {
namespace {

constexpr unsigned threads = 256;
constexpr Index block_tiles = threads / lanes;

/// What `TileSweep::fill` takes for the mass of an item: another one where it has more than 52
/// bits.
[[nodiscard]] __device__ std::uint64_t filled_mass(double product) {
  return static_cast<std::uint64_t>(__double_as_longlong(__dadd_rn(product, 0x1p52)) -
                                    __double_as_longlong(0x1p52));
}

/// What a tile with an excess hands on, by a warp.
template <class T>
class Choice {
 public:
  /// Asks for the first candidates. `gone` has no bits.
  __device__ Choice(const T* weights, Index items, Index number, const std::uint8_t* candidates,
                    RowMask* gone)
      : weights_(weights),
        items_(items),
        begin_(number * mass_tile_items),
        lane_(threadIdx.x % lanes),
        places_(candidates + std::size_t{number} * candidate_bytes),
        gone_(gone),
        current_(ask(0)) {}

  /// Chooses from the candidates, and then from all others. The excess of the tile, the `place`-th
  /// one that has any, is `excess`, and that of those before it `before`. Returns whether the items
  /// have enough.
  [[nodiscard]] __device__ bool choose(const MassTile& tile, Index place, std::uint64_t before,
                                       std::uint64_t excess, const HandedOn& handed_on,
                                       Task& task) {
    const IntegerWeight<T, std::uint64_t> integer(tile.shift, tile.slope);
    std::uint64_t least = least_excess(excess, tile_groups);
    task = {tile, 0, begin_, 1};
    std::uint64_t total = 0;  // of the items so far
    Index count = 0;
    const auto take = [&](const Candidate& candidate, bool is_gone) {
      const double product = integer.product(candidate.weight);
      const std::uint64_t mass = is_gone ? 0 : integer.nearest(candidate.weight);
      const bool is_one = mass >= fixed_bucket + least;
      const std::uint64_t own = is_one ? mass - fixed_bucket : 0;
      const std::uint64_t up_to = total + warp_sum_up_to(own);
      const bool is_taken = is_one && up_to - own < excess;
      const unsigned taken = __ballot_sync(~0U, is_taken ? 1 : 0);
      const Index item = begin_ + candidate.item;
      if (is_taken) {
        const Index at = place * tile_groups + count + __popc(taken & ((1U << lane_) - 1));
        handed_on.item[at] = item;
        handed_on.up_to[at] = before + (up_to < excess ? up_to : excess);
        atomicOr(&mask_of(candidate.item), bit_of(candidate.item));
      }
      const unsigned is_enough = __ballot_sync(~0U, is_taken && up_to >= excess ? 1 : 0);
      if (is_enough != 0) {
        const int who = __ffs(static_cast<int>(is_enough)) - 1;
        task.more = __shfl_sync(~0U, up_to - excess, who);
        task.from = __shfl_sync(~0U, item, who);
      }
      const std::uint64_t filled = filled_mass(product);
      if (__any_sync(~0U, is_taken && filled != mass ? 1 : 0) != 0) {
        task.tile.mass += warp_sum(is_taken ? filled - mass : 0);
      }
      count += static_cast<Index>(__popc(taken));
      total = __shfl_sync(~0U, up_to, lanes - 1);
    };
#pragma unroll 1
    for (Index first = 0; first < tile_groups && total < excess; first += lanes) {
      // The next ones will be needed where these would have to have half a bucket each.
      const bool is_ahead = excess - total > lanes / 2 * fixed_bucket;
      Candidate next{};
      if (is_ahead) next = ask(first + lanes);
      take(current_, false);
      if (!is_ahead && total < excess) next = ask(first + lanes);
      current_ = next;
    }
    if (others_may_be_handed_on(total, excess)) {
      least = least_excess(excess - total, tile_groups - count);
      __syncwarp();
#pragma unroll 1
      for (Index item = lane_; item - lane_ < mass_tile_items && total < excess; item += lanes) {
        take(candidate_of(item), (mask_of(item) & bit_of(item)) != 0);
      }
    }
    if (lane_ >= count) {
      handed_on.item[place * tile_groups + lane_] = 0;
      handed_on.up_to[place * tile_groups + lane_] = before + excess;
    }
    if (lane_ == 0) handed_on.count[place] = count;
    return total >= excess;
  }

 private:
  struct Candidate {
    Index item;  // of the tile
    T weight;
  };
  [[nodiscard]] __device__ Candidate candidate_of(Index item) const {
    return {item, std::uint64_t{begin_} + item < items_ ? weights_[begin_ + item] : T{0}};
  }
  /// The lane's candidate of the groups from `first` on, or none.
  [[nodiscard]] __device__ Candidate ask(Index first) const {
    const Index group = first + lane_;
    if (group >= tile_groups) return {0, 0};
    return candidate_of(group * group_items + place_in_candidates(places_, group));
  }
  [[nodiscard]] __device__ RowMask& mask_of(Index item) const {
    return gone_[item / half_items * lanes + item % lanes];
  }
  [[nodiscard]] static __device__ RowMask bit_of(Index item) {
    return RowMask{1} << (item / lanes % lanes);
  }

  const T* weights_;
  Index items_;
  Index begin_;
  Index lane_;
  const std::uint8_t* places_;
  RowMask* gone_;
  Candidate current_;
};

/// What the `number`-th tile is to do if it has no excess, and what `merge::find_chunk` finds.
__device__ void search(Index number, const MassTile* tiles, const merge::Balance& balance,
                       const Tasks& tasks) {
  const Index excess_tiles = *balance.excess_count;
  const merge::SearchedSums sums{balance.excess_before, balance.lack_before};
  if (number >= balance.tiles) {
    merge::find_chunk(balance, sums, excess_tiles, number - balance.tiles);
    return;
  }
  const MassTile tile = tiles[number];
  const Index place = balance.place[number];
  if ((place & merge::Balance::excess_bit) != 0) return;
  merge::find_donor_tile(balance, sums, excess_tiles, place);
  tasks.task[number] = {tile, balance.lack_before[place], balance.donor_tile[place], 0};
}

/// A thread for each tile that has no excess, and all that `merge::find_chunk` finds; behind these
/// blocks a warp for each tile with an excess.
template <class T>
__global__ void __launch_bounds__(threads)
    choose_handed_on(const T* weights, Index items, const MassTile* tiles, merge::Balance balance,
                     Index search_blocks, const std::uint8_t* candidates, HandedOn handed_on,
                     Tasks tasks) {
  __shared__ RowMask masks[block_tiles][tile_masks];
  wait_for_earlier_kernels();
  if (blockIdx.x < search_blocks) {
    const Index number = blockIdx.x * threads + threadIdx.x;
    if (number < balance.most_blocks()) search(number, tiles, balance, tasks);
    return;
  }
  const Index lane = threadIdx.x % lanes;
  const Index place = (blockIdx.x - search_blocks) * block_tiles + threadIdx.x / lanes;
  // Weights that are known to be unsuited need no more; the lanes may see that or not, but have to
  // agree.
  const bool is_suited = balance.is_suited();
  if (place >= *balance.excess_count || __all_sync(~0U, is_suited ? 1 : 0) == 0) return;
  const Index number = balance.excess_tile(place);
  RowMask* const gone = masks[threadIdx.x / lanes];
  gone[lane] = 0;
  gone[lane + lanes] = 0;
  Choice<T> choice(weights, items, number, candidates, gone);
  __syncwarp();
  const std::uint64_t before = balance.excess_before[place];
  const std::uint64_t excess = balance.excess_before[place + 1] - before;
  Task task;
  if (!choice.choose(tiles[number], place, before, excess, handed_on, task) && lane == 0) {
    balance.only_merge();
  }
  __syncwarp();
  RowMask* const masks_out = tasks.gone + std::size_t{number} * tile_masks;
  masks_out[lane] = gone[lane];
  masks_out[lane + lanes] = gone[lane + lanes];
  if (lane == 0) tasks.task[number] = task;
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
  const Index search_blocks = blocks_for(balance.most_blocks(), threads);
  launch_following(choose_handed_on<T>, search_blocks + blocks_for(balance.tiles, block_tiles),
                   threads, stream, weights.data(), static_cast<Index>(weights.size()), tiles,
                   balance, search_blocks, candidates, handed_on, tasks);
  check_launch("lane_sweep::choose_handed_on");
}

template void choose(std::span<const float>, const MassTile*, const merge::Balance&,
                     const std::uint8_t*, const HandedOn&, const Tasks&, cudaStream_t);
template void choose(std::span<const double>, const MassTile*, const merge::Balance&,
                     const std::uint8_t*, const HandedOn&, const Tasks&, cudaStream_t);

}  // namespace wrsgpu::lane_sweep
