#include "wrsgpu/gpu_multinomial_counts.cuh"

#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <string>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/counts/count_tree.hpp"
#include "wrsgpu/detail/masses/device_mass_tiles.cuh"
#include "wrsgpu/detail/masses/device_weights.cuh"
#include "wrsgpu/detail/masses/gpu_mass_prefixes.cuh"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/random/random_source.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

using detail::CountTree;

constexpr unsigned count_threads = few_tiles_threads;

/// Shared memory of a block that divides samples down a tree. A block is fast if all lanes of its
/// warps do the same: so a level is divided in steps, and the nodes that need a step are queued.
struct TreeStorage {
  std::uint64_t mass_before[CountTree::leaves + 1];
  std::uint64_t counts[CountTree::leaves];
  /// Nodes of a level: those at the beginning need an attempt of BTRS with logarithms, those at the
  /// end inversion.
  std::uint16_t queue[2][CountTree::leaves / 2];
  unsigned queued[2];
  unsigned inverted;
};

/// One attempt of BTRS: words 2 j and 2 j + 1 are those of attempt j.
struct Attempt {
  double u;
  double v;
  double proposal;

  __device__ Attempt(const random::detail::Btrs& btrs, CountTree::Random random, unsigned number) {
    random.discard(2 * std::uint64_t{number});
    u = random::uniform_double(random) - 0.5;
    v = random::uniform_positive_double(random);
    proposal = btrs.proposal(u);
  }
};

/// Attempts from number `first` on for the queued nodes, by as many lanes for each as there are
/// threads. Nodes without success are queued again. Returns the number of attempts for each.
[[nodiscard]] __device__ unsigned attempt_queued(TreeStorage& storage, const CountTree::Tree& tree,
                                                 int level, unsigned from, unsigned first) {
  constexpr unsigned max_lanes = 8;
  const unsigned queued = storage.queued[from];
  unsigned lanes = max_lanes;
  while (lanes > 1 && queued * lanes > count_threads) lanes /= 2;
  const unsigned lane = threadIdx.x % 32;
  const unsigned own_lane = lane % lanes;
  for (unsigned begin = 0; begin < queued * lanes; begin += count_threads) {
    const unsigned number = (begin + threadIdx.x) / lanes;
    const bool is_active = number < queued;
    if (__any_sync(~0U, is_active ? 1 : 0) == 0) continue;
    const unsigned node = is_active ? storage.queue[from][number] : 0;
    bool accepts = false;
    std::uint64_t left = 0;
    if (is_active) {
      const CountTree::Division division = tree.division(level, node);
      const random::detail::Btrs btrs(division.samples, division.p);
      const Attempt attempt(btrs, tree.random(division), first + own_lane);
      accepts = attempt.v <= btrs.squeeze(attempt.u) ||
                btrs.accepts<random::PortableMath>(attempt.u, attempt.v, attempt.proposal);
      left = division.left(btrs.outcome(attempt.proposal));
    }
    const unsigned accepting = __ballot_sync(~0U, accepts ? 1 : 0);
    const unsigned of_node = accepting >> (lane - own_lane) & ((1U << lanes) - 1);
    const bool is_first = accepts && (of_node & ((1U << own_lane) - 1)) == 0;
    if (is_first) tree.divide(level, node, left);
    if (is_active && of_node == 0 && own_lane == 0) {
      storage.queue[1 - from][atomicAdd(storage.queued + 1 - from, 1U)] =
          static_cast<std::uint16_t>(node);
    }
  }
  return lanes;
}

/// Divides `samples` samples among the leaves of tree `number` of a stage, into `storage.counts`,
/// by a block. The prefix sums are in `storage`.
__device__ void divide_down(TreeStorage& storage, const CountTree& trees, CountTree::Stage stage,
                            Index number, std::uint64_t samples) {
  const CountTree::Tree tree(trees, stage, number, storage.counts, storage.mass_before);
  if (threadIdx.x == 0) {
    storage.counts[0] = samples;
    storage.queued[0] = 0;
    storage.queued[1] = 0;
    storage.inverted = 0;
  }
  __syncthreads();
#pragma unroll 1
  for (int level = 0; level < CountTree::levels; ++level) {
    constexpr unsigned capacity = CountTree::leaves / 2;
    for (unsigned node = threadIdx.x; node < 1U << level; node += count_threads) {
      const CountTree::Division division = tree.division(level, node);
      if (division.is_trivial()) {
        tree.divide(level, node, division.left(0));
      } else if (random::is_inverted(division.samples, division.p)) {
        storage.queue[0][capacity - 1 - atomicAdd(&storage.inverted, 1U)] =
            static_cast<std::uint16_t>(node);
      } else {
        const random::detail::Btrs btrs(division.samples, division.p);
        const Attempt attempt(btrs, tree.random(division), 0);
        if (attempt.v <= btrs.squeeze(attempt.u)) {
          tree.divide(level, node, division.left(btrs.outcome(attempt.proposal)));
        } else {
          storage.queue[0][atomicAdd(storage.queued, 1U)] = static_cast<std::uint16_t>(node);
        }
      }
    }
    __syncthreads();
    for (unsigned j = threadIdx.x; j < storage.inverted; j += count_threads) {
      const unsigned node = storage.queue[0][capacity - 1 - j];
      const CountTree::Division division = tree.division(level, node);
      CountTree::Random random = tree.random(division);
      tree.divide(level, node,
                  division.left(random::binomial_inversion<random::PortableMath>(
                      random, division.samples, division.p)));
    }
    unsigned first = 0;
    for (unsigned from = 0; storage.queued[from] > 0; from = 1 - from) {
      first += attempt_queued(storage, tree, level, from, first);
      __syncthreads();
      if (threadIdx.x == 0) storage.queued[from] = 0;
      __syncthreads();
    }
    __syncthreads();
    if (threadIdx.x == 0) storage.inverted = 0;
    __syncthreads();
  }
}

/// What all kernels read.
struct CountTask {
  PrefixedTiles prefixed;
  Index tiles;
  const DeviceWeightSummary* summary;
  std::uint64_t samples;
  random::RandomSource source;
};

/// Divides the samples among groups of tiles, by one block, or those of each group among its tiles:
/// a block each. `of_trees` are the samples of these trees; null for all samples.
__global__ void __launch_bounds__(count_threads)
    count_tiles(const CountTask task, CountTree::Stage stage, const std::uint64_t* of_trees,
                std::uint64_t* counts) {
  __shared__ TreeStorage storage;
  grid_dependency_sync();
  trigger_launch_completion();
  if (!task.summary->valid) return;
  const std::uint64_t stride = stage == CountTree::Stage::groups ? CountTree::leaves : 1;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * CountTree::leaves;
  for (unsigned leaf = threadIdx.x; leaf <= CountTree::leaves; leaf += count_threads) {
    const std::uint64_t tile = first + leaf * stride;
    storage.mass_before[leaf] = task.prefixed.mass_before[tile < task.tiles ? tile : task.tiles];
  }
  divide_down(storage, CountTree(task.source.get()), stage, blockIdx.x,
              of_trees == nullptr ? task.samples : of_trees[blockIdx.x]);
  for (unsigned leaf = threadIdx.x; leaf < CountTree::leaves; leaf += count_threads) {
    counts[first + leaf] = storage.counts[leaf];
  }
}

/// Writes the counts of a tile: one block each.
template <class T>
__global__ void __launch_bounds__(count_threads, 4)
    count_items(const T* weights, Index items, const CountTask task, const std::uint64_t* of_tiles,
                std::uint64_t* counts) {
  using Scan = cub::BlockScan<std::uint64_t, count_threads>;
  constexpr unsigned thread_items = mass_tile_items / count_threads;
  using Masses = BlockMasses<T, count_threads>;
  __shared__ union {
    typename Masses::Storage masses;
    typename Scan::TempStorage scan;
    TreeStorage tree;
  } storage;
  const Index tile = blockIdx.x;
  const std::uint64_t begin = std::uint64_t{tile} * mass_tile_items;
  T weight[thread_items];
  const NeighbourItems tile_items(tile, items);
  load_tile<TileOrder::blocked>(weights, tile_items, weight);
  grid_dependency_sync();
  if (!task.summary->valid) return;
  std::uint64_t masses[thread_items];
  Masses::of(storage.masses, weight, static_cast<int>(tile_items.size()), task.prefixed.tiles[tile],
             true, masses);
  __syncthreads();  // before the storage is reused
  std::uint64_t all;
  Scan(storage.scan).ExclusiveSum(masses, masses, all);
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < thread_items; ++k) {
    storage.tree.mass_before[threadIdx.x * thread_items + k] = masses[k];
  }
  if (threadIdx.x == 0) storage.tree.mass_before[mass_tile_items] = all;
  divide_down(storage.tree, CountTree(task.source.get()), CountTree::Stage::items, tile,
              of_tiles[tile]);
  for (std::uint64_t i = threadIdx.x; i < mass_tile_items && begin + i < items;
       i += count_threads) {
    counts[begin + i] = storage.tree.counts[i];
  }
}

/// Launches the kernels with storage from the arena, or computes its size, by the conventions of
/// `DeviceArena`.
template <class T>
void launch_counting(std::span<const T> weights, std::span<std::uint64_t> counts,
                     std::uint64_t samples, const random::RandomSource& source, DeviceArena& arena,
                     cudaStream_t stream) {
  const auto items = static_cast<Index>(weights.size());
  // The summary is at the beginning of the storage, where `finish` reads it.
  auto* const summary = arena.take<DeviceWeightSummary>(1);
  const Index tiles = mass_tile_count(items);
  const unsigned groups = blocks_for(tiles, CountTree::leaves);
  const CountTask task{find_prefixed_tiles(weights, summary, arena, stream), tiles, summary,
                       samples, source};
  auto* const of_groups = groups > 1 ? arena.take<std::uint64_t>(CountTree::leaves) : nullptr;
  auto* const of_tiles = arena.take<std::uint64_t>(std::size_t{groups} * CountTree::leaves);
  if (!arena.has_block()) return;
  const auto launch_tiles = [&](CountTree::Stage stage, unsigned trees,
                                const std::uint64_t* of_trees, std::uint64_t* of_leaves) {
    launch_programmatic(count_tiles, {trees, count_threads}, stream, task, stage, of_trees,
                        of_leaves);
    check_launch("multinomial_counts count_tiles");
  };
  if (groups > 1) launch_tiles(CountTree::Stage::groups, 1, nullptr, of_groups);
  launch_tiles(CountTree::Stage::tiles, groups, of_groups, of_tiles);
  launch_programmatic(count_items<T>, {tiles, count_threads}, stream, weights.data(), items, task,
                      of_tiles, counts.data());
  check_launch("multinomial_counts count_items");
}

}  // namespace

GpuMultinomialCounter::GpuMultinomialCounter(Index max_items) : max_items_(max_items) {
  if (max_items == 0 || max_items > wrsgpu::max_items) {
    throw Error("argument 'max_items' is " + std::to_string(max_items) +
                "; it must be at least 1 and at most 2^32 - 2");
  }
  require_cuda_device();
  std::size_t bytes = 0;
  const auto include = [&]<class T>(T /*type*/) {
    DeviceArena sizes;
    launch_counting(std::span<const T>(static_cast<const T*>(nullptr), max_items), {}, 0, {}, sizes,
                    nullptr);
    bytes = std::max(bytes, sizes.used());
  };
  include(0.F);
  include(0.0);
  storage_ = DeviceBuffer<std::byte>(bytes);
  // No byte that `finish` copies is undefined.
  WRSGPU_CUDA_CHECK(cudaMemset(storage_.data(), 0, sizeof(DeviceWeightSummary)));
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

void GpuMultinomialCounter::count(WeightsView weights, std::span<std::uint64_t> counts,
                                  std::uint64_t samples, RandomState state, cudaStream_t stream) {
  launch(weights, counts, samples, state, nullptr, stream);
}

void GpuMultinomialCounter::count(WeightsView weights, std::span<std::uint64_t> counts,
                                  std::uint64_t samples, const RandomState* state,
                                  cudaStream_t stream) {
  require_on_device(state, "state");
  launch(weights, counts, samples, {}, state, stream);
}

void GpuMultinomialCounter::launch(WeightsView weights, std::span<std::uint64_t> counts,
                                   std::uint64_t samples, RandomState state,
                                   const RandomState* state_on_device, cudaStream_t stream) {
  check_size_and_memory(weights, Device::cuda);
  detail::require_multinomial_counts(counts.size(), weights.size());
  if (weights.size() > max_items_) {
    throw Error("count: argument 'weights' has " + std::to_string(weights.size()) +
                " items; memory is reserved for " + std::to_string(max_items_));
  }
  require_on_device(counts.data(), "counts");
  weights.visit([&](auto w) {
    require_on_device(w.data(), "weights");
    DeviceArena arena(storage_.span());
    launch_counting(w, counts, samples, {state, state_on_device}, arena, stream);
  });
  weights_ = weights;
}

void GpuMultinomialCounter::finish(cudaStream_t stream) {
  if (!weights_) throw Error("finish: nothing was counted; call count() first");
  static_cast<void>(read_summary(
      *weights_, reinterpret_cast<const DeviceWeightSummary*>(storage_.data()), stream));
}

}  // namespace wrsgpu
