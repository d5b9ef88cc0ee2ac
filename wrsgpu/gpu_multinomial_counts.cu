#include "wrsgpu/gpu_multinomial_counts.cuh"

#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <string>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/warp_reduce.cuh"
#include "wrsgpu/detail/counts/division.hpp"
#include "wrsgpu/detail/masses/device_mass_tiles.cuh"
#include "wrsgpu/detail/masses/device_weights.cuh"
#include "wrsgpu/detail/masses/gpu_mass_prefixes.cuh"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/random/advance_state.cuh"
#include "wrsgpu/detail/random/random_source.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

using detail::Division;

constexpr unsigned count_threads = few_tiles_threads;
constexpr unsigned count_warps = count_threads / 32;
/// Each thread keeps the counts of these; parts next to each other are of lanes next to each other.
constexpr unsigned thread_parts = Division::parts / count_threads;

/// Shared memory of a block that makes a division.
struct DivisionStorage {
  std::uint64_t mass_before[Division::parts + 1];
  std::uint64_t drawn[Division::parts];  ///< in this round
  /// For each warp, the parts that wait: at the front those that need an attempt with logarithms,
  /// at the end those that need inversion. The attempts alternate between two queues.
  std::uint16_t queue[count_warps][2][32 * thread_parts];
  std::uint64_t sum_of_warp[count_warps];
};

/// One attempt of PTRS: words 2 j and 2 j + 1 are those of attempt j.
struct Attempt {
  double u;
  double v;
  double proposal;

  __device__ Attempt(const random::Ptrs& ptrs, Division::Random words, unsigned number) {
    words.discard(2 * std::uint64_t{number});
    u = random::uniform_double(words) - 0.5;
    v = random::uniform_positive_double(words);
    proposal = ptrs.proposal(u);
  }
};

/// The deviates of one round for the parts of a warp, into `drawn`. All lanes call each function.
class RoundOfWarp {
 public:
  __device__ RoundOfWarp(DivisionStorage& storage, const Division& division,
                         const Division::Round& round)
      : storage_(storage),
        queue_(storage.queue[threadIdx.x / 32]),
        division_(division),
        round_(round),
        lane_(threadIdx.x % 32) {}

  __device__ void draw() {
    draw_most();
    __syncwarp();
    for (unsigned j = lane_; j < inverted_; j += 32) {
      const Index part = queue_[0][32 * thread_parts - 1 - j];
      Division::Random words = division_.words(round_, part);
      storage_.drawn[part] = random::poisson_inversion<random::PortableMath>(words, mean_of(part));
    }
    unsigned attempts = 0;
    for (unsigned from = 0; queued_ > 0; from = 1 - from)
      attempts += attempt_queued(from, attempts);
    __syncwarp();
  }

 private:
  [[nodiscard]] __device__ double mean_of(Index part) const {
    return round_.mean(storage_.mass_before[part + 1] - storage_.mass_before[part]);
  }
  /// How many lanes before this one are in `lanes`.
  [[nodiscard]] __device__ unsigned rank_in(unsigned lanes) const {
    return static_cast<unsigned>(__popc(lanes & ((1U << lane_) - 1)));
  }

  /// The deviates that are 0 or that the squeeze of the first attempt accepts; queues all others.
  __device__ void draw_most() {
    queued_ = 0;
    inverted_ = 0;
#pragma unroll 1
    for (unsigned k = 0; k < thread_parts; ++k) {
      const Index part = k * count_threads + threadIdx.x;
      const double mean = mean_of(part);
      const bool is_inverted = mean > 0.0 && mean < random::Ptrs::min_mean;
      bool is_queued = false;
      std::uint64_t drawn = 0;
      if (mean >= random::Ptrs::min_mean) {
        const random::Ptrs ptrs(mean);
        const Attempt attempt(ptrs, division_.words(round_, part), 0);
        is_queued = attempt.v > ptrs.squeeze(attempt.u);
        if (!is_queued) drawn = ptrs.outcome(attempt.proposal);
      }
      storage_.drawn[part] = drawn;
      const unsigned queued = __ballot_sync(~0U, is_queued ? 1 : 0);
      const unsigned inverted = __ballot_sync(~0U, is_inverted ? 1 : 0);
      if (is_queued) queue_[0][queued_ + rank_in(queued)] = static_cast<std::uint16_t>(part);
      if (is_inverted) {
        queue_[0][32 * thread_parts - 1 - (inverted_ + rank_in(inverted))] =
            static_cast<std::uint16_t>(part);
      }
      queued_ += static_cast<unsigned>(__popc(queued));
      inverted_ += static_cast<unsigned>(__popc(inverted));
    }
  }

  /// Attempts from number `first` on for the queued parts, by as many lanes for each as there are.
  /// Parts without success are queued again. Returns the number of attempts for each.
  [[nodiscard]] __device__ unsigned attempt_queued(unsigned from, unsigned first) {
    unsigned lanes = 8;
    while (lanes > 1 && queued_ * lanes > 32) lanes /= 2;
    const unsigned own_lane = lane_ % lanes;
    unsigned failed = 0;
#pragma unroll 1
    for (unsigned begin = 0; begin < queued_; begin += 32 / lanes) {
      const unsigned number = begin + lane_ / lanes;
      const bool is_active = number < queued_;
      const Index part = is_active ? queue_[from][number] : 0;
      bool accepts = false;
      std::uint64_t drawn = 0;
      if (is_active) {
        const random::Ptrs ptrs(mean_of(part));
        const Attempt attempt(ptrs, division_.words(round_, part), first + own_lane);
        accepts = attempt.v <= ptrs.squeeze(attempt.u) ||
                  ptrs.accepts<random::PortableMath>(attempt.u, attempt.v, attempt.proposal);
        drawn = ptrs.outcome(attempt.proposal);
      }
      const unsigned of_part =
          __ballot_sync(~0U, accepts ? 1 : 0) >> (lane_ - own_lane) & ((1U << lanes) - 1);
      if (accepts && (of_part & ((1U << own_lane) - 1)) == 0) storage_.drawn[part] = drawn;
      const bool fails = is_active && of_part == 0 && own_lane == 0;
      const unsigned failing = __ballot_sync(~0U, fails ? 1 : 0);
      if (fails) queue_[1 - from][failed + rank_in(failing)] = static_cast<std::uint16_t>(part);
      failed += static_cast<unsigned>(__popc(failing));
    }
    queued_ = failed;
    __syncwarp();
    return lanes;
  }

  DivisionStorage& storage_;
  std::uint16_t (&queue_)[2][32 * thread_parts];
  const Division& division_;
  const Division::Round& round_;
  unsigned lane_;
  unsigned queued_ = 0;
  unsigned inverted_ = 0;
};

/// Divides `samples` samples, by a block: `counts[k]` is that of part k * count_threads +
/// threadIdx.x. The prefix sums of the masses are in `storage`, visible to all threads.
__device__ void divide(DivisionStorage& storage, const Division& division, std::uint64_t samples,
                       std::uint64_t (&counts)[thread_parts]) {
  const auto drawn = [&](unsigned k) -> std::uint64_t& {
    return storage.drawn[k * count_threads + threadIdx.x];
  };
#pragma unroll
  for (unsigned k = 0; k < thread_parts; ++k) counts[k] = 0;
  const std::uint64_t mass = storage.mass_before[Division::parts] - storage.mass_before[0];
#pragma unroll 1
  for (std::uint64_t number = 0; samples > Division::max_single; ++number) {
    const Division::Round round(number, samples, mass);
    RoundOfWarp(storage, division, round).draw();
    std::uint64_t sum = 0;
#pragma unroll
    for (unsigned k = 0; k < thread_parts; ++k) sum += drawn(k);
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) storage.sum_of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
#pragma unroll
    for (unsigned w = 0; w < count_warps; ++w) sum += storage.sum_of_warp[w];
    __syncthreads();
    if (sum > round.samples) continue;
    samples -= sum;
#pragma unroll
    for (unsigned k = 0; k < thread_parts; ++k) counts[k] += drawn(k);
  }
#pragma unroll
  for (unsigned k = 0; k < thread_parts; ++k) drawn(k) = 0;
  __syncthreads();
  // Two words are one block of Philox.
  for (std::uint64_t first = 2 * threadIdx.x; first < samples; first += 2 * count_threads) {
    Division::Random words = division.words_of_single(first);
    for (std::uint64_t sample = first; sample < min(samples, first + 2); ++sample) {
      // The sum fits in the lower half.
      std::uint64_t& count = storage.drawn[Division::part_of(storage.mass_before, words())];
      atomicAdd(reinterpret_cast<unsigned*>(&count), 1U);
    }
  }
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < thread_parts; ++k) counts[k] += drawn(k);
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
/// a block each. `of_groups` are the samples of these; null for all samples.
__global__ void __launch_bounds__(count_threads)
    count_tiles(const CountTask task, Division::Stage stage, const std::uint64_t* of_groups,
                std::uint64_t* counts) {
  __shared__ DivisionStorage storage;
  grid_dependency_sync();
  trigger_launch_completion();
  if (!task.summary->valid) return;
  const std::uint64_t stride = stage == Division::Stage::groups ? Division::parts : 1;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * Division::parts;
  for (unsigned part = threadIdx.x; part <= Division::parts; part += count_threads) {
    const std::uint64_t tile = first + part * stride;
    storage.mass_before[part] = task.prefixed.mass_before[tile < task.tiles ? tile : task.tiles];
  }
  __syncthreads();
  std::uint64_t divided[thread_parts];
  divide(storage, Division(task.source.get(), stage, blockIdx.x),
         of_groups == nullptr ? task.samples : of_groups[blockIdx.x], divided);
#pragma unroll
  for (unsigned k = 0; k < thread_parts; ++k) {
    counts[first + k * count_threads + threadIdx.x] = divided[k];
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
    DivisionStorage division;
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
    storage.division.mass_before[threadIdx.x * thread_items + k] = masses[k];
  }
  if (threadIdx.x == 0) storage.division.mass_before[mass_tile_items] = all;
  __syncthreads();
  std::uint64_t divided[thread_parts];
  divide(storage.division, Division(task.source.get(), Division::Stage::items, tile),
         of_tiles[tile], divided);
#pragma unroll
  for (unsigned k = 0; k < thread_parts; ++k) {
    const std::uint64_t item = begin + k * count_threads + threadIdx.x;
    if (item < items) counts[item] = divided[k];
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
  const unsigned groups = blocks_for(tiles, Division::parts);
  const CountTask task{find_prefixed_tiles(weights, summary, arena, stream), tiles, summary,
                       samples, source};
  auto* const of_groups = groups > 1 ? arena.take<std::uint64_t>(Division::parts) : nullptr;
  auto* const of_tiles = arena.take<std::uint64_t>(std::size_t{groups} * Division::parts);
  if (!arena.has_block()) return;
  const auto launch_tiles = [&](Division::Stage stage, unsigned divisions,
                                const std::uint64_t* from, std::uint64_t* to) {
    launch_programmatic(count_tiles, {divisions, count_threads}, stream, task, stage, from, to);
    check_launch("multinomial_counts count_tiles");
  };
  if (groups > 1) launch_tiles(Division::Stage::groups, 1, nullptr, of_groups);
  launch_tiles(Division::Stage::tiles, groups, of_groups, of_tiles);
  launch_programmatic(count_items<T>, {tiles, count_threads}, stream, weights.data(), items, task,
                      of_tiles, counts.data());
  check_launch("multinomial_counts count_items");
}

}  // namespace

std::size_t GpuMultinomialCounter::storage_bytes(Index max_items) {
  require_capacity("max_items", max_items);
  std::size_t bytes = 0;
  const auto include = [&]<class T>(T /*type*/) {
    DeviceArena sizes;
    launch_counting(std::span<const T>(static_cast<const T*>(nullptr), max_items), {}, 0, {}, sizes,
                    nullptr);
    bytes = std::max(bytes, sizes.used());
  };
  include(0.F);
  include(0.0);
  return bytes;
}

GpuMultinomialCounter::GpuMultinomialCounter(Index max_items)
    : max_items_(max_items), storage_(storage_bytes(max_items)) {
  // No byte that `finish` copies is undefined.
  WRSGPU_CUDA_CHECK(cudaMemset(storage_.data(), 0, sizeof(DeviceWeightSummary)));
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

GpuMultinomialCounter::GpuMultinomialCounter(Index max_items, std::span<std::byte> storage)
    : max_items_(max_items), storage_(storage) {}

void GpuMultinomialCounter::count(WeightsView weights, std::span<std::uint64_t> counts,
                                  std::uint64_t samples, RandomState state, cudaStream_t stream) {
  launch(weights, counts, samples, state, nullptr, stream);
}

void GpuMultinomialCounter::count(WeightsView weights, std::span<std::uint64_t> counts,
                                  std::uint64_t samples, const RandomState* state,
                                  cudaStream_t stream) {
  require_on_device(state, "state", stream);
  launch(weights, counts, samples, {}, state, stream);
}

void GpuMultinomialCounter::count_and_advance(WeightsView weights, std::span<std::uint64_t> counts,
                                              std::uint64_t samples, RandomState* state,
                                              cudaStream_t stream) {
  count(weights, counts, samples, state, stream);
  random::advance_state(state, 1, stream);
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
  require_on_device(counts.data(), "counts", stream);
  weights.visit([&](auto w) {
    require_on_device(w.data(), "weights", stream);
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
