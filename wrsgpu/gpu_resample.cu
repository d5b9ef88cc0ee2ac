#include "wrsgpu/gpu_resample.cuh"

#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <string>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/core/device_memory.cuh"
#include "wrsgpu/detail/core/exclusive_scan.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/masses/device_mass_tiles.cuh"
#include "wrsgpu/detail/masses/device_weights.cuh"
#include "wrsgpu/detail/masses/gpu_mass_prefixes.cuh"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/random/advance_state.cuh"
#include "wrsgpu/detail/random/random_source.cuh"
#include "wrsgpu/detail/resampling/ancestors.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

using detail::ResamplingPoints;
using random::RandomSource;

constexpr unsigned resample_threads = few_tiles_threads;
constexpr unsigned resample_thread_items = mass_tile_items / resample_threads;
/// Reads the masses of a tile.
template <class T>
using ResampledMasses = BlockMasses<T, resample_threads>;

/// Tiles of more ancestors than a block should write alone: the second kernel shares them among all
/// blocks.
struct HeavyTiles {
  static constexpr Index min_ancestors = 1 << 13;
  struct Tile {
    Index number;
    Index begin;  ///< of its ancestors
    Index end;
  };

  Index* count;
  Tile* tiles;
  Index* ends;  ///< of the ancestors of each item, `mass_tile_items` a tile

  [[nodiscard]] static std::uint64_t max_count(Index ancestors) {
    return std::uint64_t{ancestors} / min_ancestors + 1;
  }
};

/// Arguments of the kernels.
template <class T>
struct ResamplingTask {
  const T* weights;
  Index items;
  const MassTile* tiles;
  const DeviceWeightSummary* summary;
  Index ancestors;
  detail::ItemDivision division;
  RandomSource source;
  const std::uint64_t* mass_before;  ///< of the items before each tile
  const Index* certain_before;       ///< certain ancestors of them; null unless residual
  const Index* points_before;        ///< see `ResamplingPoints`
  Index tile_count;

  /// Number of points.
  [[nodiscard]] __device__ Index points() const {
    return ancestors - (certain_before == nullptr ? 0 : certain_before[tile_count]);
  }
};

/// Sums the certain ancestors of the items of each tile; the last block writes the 0 at the end.
template <class T>
__global__ void __launch_bounds__(resample_threads)
    sum_certain_ancestors(const ResamplingTask<T> task, Index* certain) {
  __shared__ typename ResampledMasses<T>::Storage storage;
  __shared__ Index sum;
  if (threadIdx.x == 0) sum = 0;
  std::uint64_t masses[resample_thread_items];
  ResampledMasses<T>::read(storage, task.weights, task.items, blockIdx.x, task.tiles[blockIdx.x],
                           task.summary->valid, masses);
  const detail::Strata strata(task.items, task.ancestors);
  Index own = 0;
#pragma unroll
  for (unsigned k = 0; k < resample_thread_items; ++k) own += strata.place(masses[k]).stratum;
  __syncthreads();
  own = warp_sum(own);
  if (threadIdx.x % 32 == 0) atomicAdd(&sum, own);
  __syncthreads();
  if (threadIdx.x > 0) return;
  certain[blockIdx.x] = sum;
  if (blockIdx.x + 1 == task.tile_count) certain[task.tile_count] = 0;
}

/// Counts the points in each stratum.
template <class T>
__global__ void __launch_bounds__(resample_threads)
    count_points_of_strata(const ResamplingTask<T> task, Index* counts) {
  const RandomState state = task.source.get();
  const random::SplitWords<> words(state.seed);
  const Index points = task.points();
  for (std::uint64_t point = std::uint64_t{blockIdx.x} * resample_threads + threadIdx.x;
       point < points; point += std::uint64_t{gridDim.x} * resample_threads) {
    atomicAdd(
        counts + ResamplingPoints::random_stratum(words, state, static_cast<Index>(point), points),
        1U);
  }
}

/// The item of a tile of which ancestor `place` is: the number of items whose ancestors end before.
[[nodiscard]] __device__ Index item_of_tile(const Index* ends, Index place) {
  Index low = 0;
  for (Index step = mass_tile_items / 2; step > 0; step /= 2) {
    if (ends[low + step - 1] <= place) low += step;
  }
  return low;
}
static_assert((mass_tile_items & (mass_tile_items - 1)) == 0);

/// Ancestors of a tile that are collected in shared memory, for coalesced stores.
template <unsigned threads>
struct AncestorWindow {
  static constexpr Index size = detail::ItemDivision::max_small;
  /// A run of more ancestors of one item is written by a warp.
  static constexpr Index max_run = 8;

  struct Run {
    std::uint16_t item;
    std::uint16_t begin;
    std::uint16_t end;
  };

  /// The number of the item in the tile, from the last multiple of 4 before the first ancestor on.
  alignas(8) std::uint16_t items[size + 4];
  Run runs[(size + 4) / max_run];
  unsigned run_count;

  /// Stores items `item`, item + 1, ..., whose ancestors are from ends[0] to ends[1], and so on,
  /// counted from that multiple of 4.
  template <std::size_t size_and_one>
  __device__ void store(unsigned item, const Index (&ends)[size_and_one]) {
    Index longest = 0;
#pragma unroll
    for (unsigned k = 0; k + 1 < size_and_one; ++k) {
      const Index begin = ends[k];
      const Index run = ends[k + 1] - begin;
      if (run > 0) items[begin] = static_cast<std::uint16_t>(item + k);
      if (run > 1) items[begin + 1] = static_cast<std::uint16_t>(item + k);
      longest = run > longest ? run : longest;
    }
    if (longest <= 2) return;
#pragma unroll
    for (unsigned k = 0; k + 1 < size_and_one; ++k) {
      const auto number = static_cast<std::uint16_t>(item + k);
      if (ends[k + 1] - ends[k] > max_run) {
        runs[atomicAdd(&run_count, 1U)] = {number, static_cast<std::uint16_t>(ends[k]),
                                           static_cast<std::uint16_t>(ends[k + 1])};
        continue;
      }
#pragma unroll 1
      for (Index place = ends[k] + 2; place < ends[k + 1]; ++place) items[place] = number;
    }
  }
  /// Stores the long runs. To be called between two barriers.
  __device__ void store_runs() {
    for (unsigned j = threadIdx.x / 32; j < run_count; j += threads / 32) {
      const Run run = runs[j];
      for (Index place = run.begin + threadIdx.x % 32; place < run.end; place += 32) {
        items[place] = run.item;
      }
    }
  }
  /// Writes the ancestors from `first` to `last`, of a tile that begins with item `number`.
  __device__ void write(Index number, Index first, Index last, Index* ancestors) const {
    Index* const out = ancestors + (first & ~Index{3});
    const Index begin = first & 3;
    const Index end = begin + (last - first);
    // Quads of which all are of this tile.
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(ancestors) % 16 == 0;
    const Index quads_begin = begin == 0 ? 0 : 4;
    const Index quads_end = is_aligned ? end & ~Index{3} : 0;
    if (quads_begin < quads_end) {
#pragma unroll 4
      for (Index place = quads_begin + 4 * threadIdx.x; place < quads_end; place += 4 * threads) {
        const auto read = *reinterpret_cast<const uint2*>(items + place);
        *reinterpret_cast<uint4*>(out + place) = {
            number + (read.x & 0xFFFF), number + (read.x >> 16), number + (read.y & 0xFFFF),
            number + (read.y >> 16)};
      }
    }
    const auto write_each = [&](Index from, Index to) {
#pragma unroll 1
      for (Index place = from + threadIdx.x; place < to; place += threads) {
        out[place] = number + items[place];
      }
    };
    if (quads_begin >= quads_end) return write_each(begin, end);
    write_each(begin, quads_begin);
    write_each(quads_end, end);
  }
};

/// Writes the ancestors of a tile, by its block; `ends`, in shared memory, are the ancestors up to
/// each item. Heavy tiles are left to the following kernel.
template <unsigned threads>
__device__ void write_by_search(const Index* ends, Index tile, Index first, Index last,
                                const HeavyTiles& heavy, Index* ancestors) {
  __shared__ Index heavy_number;
  if (last - first <= HeavyTiles::min_ancestors) {
    for (Index place = first + threadIdx.x; place < last; place += threads) {
      ancestors[place] = tile * mass_tile_items + item_of_tile(ends, place);
    }
    return;
  }
  if (threadIdx.x == 0) {
    heavy_number = atomicAdd(heavy.count, 1U);
    heavy.tiles[heavy_number] = {tile, first, last};
  }
  __syncthreads();
  Index* const heavy_ends = heavy.ends + std::size_t{heavy_number} * mass_tile_items;
  for (Index item = threadIdx.x; item < mass_tile_items; item += threads) {
    heavy_ends[item] = ends[item];
  }
}

constexpr unsigned systematic_threads = mass_tile_threads;
constexpr unsigned systematic_thread_items = mass_tile_items / systematic_threads;

/// Shared memory of `write_systematic`: the ancestors up to each item of a tile; counted as in the
/// window, if that has room for them.
template <bool has_bucket_strata>
struct SystematicStorage {
  struct Near {
    /// First those up to the tile.
    alignas(16) std::uint16_t ends[8 + mass_tile_items];
    AncestorWindow<systematic_threads> window;
  };
  struct Far {
    std::uint64_t mass_ends[has_bucket_strata ? 1 : mass_tile_items];
    Index ends[mass_tile_items];
  };
  union {
    Near near;
    Far far;
  };
};

/// Writes the ancestors of a tile by systematic resampling: one block each.
/// `SystematicPoints::has_bucket_strata` has a kernel of its own, with half the arithmetic.
template <class T, bool has_bucket_strata>
__global__ void __launch_bounds__(systematic_threads, 8)
    write_systematic(const ResamplingTask<T> task, const HeavyTiles heavy, Index* ancestors) {
  using Masses = BlockMasses<T, systematic_threads>;
  using Scan = cub::BlockScan<std::uint64_t, systematic_threads, cub::BLOCK_SCAN_WARP_SCANS>;
  using detail::SystematicPoints;
  __shared__ union {
    typename Masses::Storage masses;
    typename Scan::TempStorage scan;
    SystematicStorage<has_bucket_strata> ends;
  } storage;
  __shared__ std::uint64_t before;
  __shared__ Index first_of_tile;
  __shared__ Index last_of_tile;
  // The last tiles first: their weights were read last.
  const Index tile = task.tile_count - 1 - blockIdx.x;
  const std::uint64_t tile_begin = std::uint64_t{tile} * mass_tile_items;
  T weight[systematic_thread_items];
  const NeighbourItems tile_items(tile, task.items);
  load_tile<TileOrder::blocked>(task.weights, tile_items, weight);
  grid_dependency_sync();
  trigger_launch_completion();
  // All at once, or one latency follows another.
  const bool is_valid = task.summary->valid;
  const MassTile mass_tile = task.tiles[tile];
  const std::uint64_t mass_begin = task.mass_before[tile];
  const std::uint64_t mass_end = mass_begin + mass_tile.mass;
  if (!is_valid) return;
  if (threadIdx.x == 32) {  // the first warp has more to do
    const SystematicPoints points(task.division, task.ancestors, task.source.get());
    before = points.before();
    if constexpr (!has_bucket_strata) {
      first_of_tile = points.ancestors_up_to(mass_begin);
      last_of_tile = points.ancestors_up_to(mass_end);
    }
  }
  std::uint64_t masses[systematic_thread_items];
  Masses::of(storage.masses, weight, static_cast<int>(tile_items.size()), mass_tile, true, masses);
  __syncthreads();  // the storage is reused, and the points are there
  std::uint64_t sum = 0;
#pragma unroll
  for (unsigned k = 0; k < systematic_thread_items; ++k) sum += masses[k];
  std::uint64_t mass;
  Scan(storage.scan).ExclusiveSum(sum, mass);
  mass += mass_begin;
  const SystematicPoints points(task.division, task.ancestors, before);
  const auto in_buckets = [&](std::uint64_t end) {
    return static_cast<Index>((end + before) >> 32);
  };
  const Index first = has_bucket_strata ? in_buckets(mass_begin) : first_of_tile;
  const Index last = has_bucket_strata ? in_buckets(mass_end) : last_of_tile;
  const unsigned first_item = threadIdx.x * systematic_thread_items;
  __syncthreads();
  if (last - first <= detail::ItemDivision::max_small &&
      (has_bucket_strata || points.division().has_small())) {
    auto& near = storage.ends.near;
    const Index skipped = first & 3;
    constexpr unsigned pairs = systematic_thread_items / 2;
    std::uint32_t packed[pairs];
    const auto pack_ends = [&](const auto& end_at) {
#pragma unroll
      for (unsigned k = 0; k < pairs; ++k) {
        mass += masses[2 * k];
        const Index low = end_at(mass);
        mass += masses[2 * k + 1];
        packed[k] = low | end_at(mass) << 16;
      }
    };
    if constexpr (has_bucket_strata) {
      mass += before - (std::uint64_t{first - skipped} << 32);
      pack_ends([](std::uint64_t place) { return static_cast<Index>(place >> 32); });
    } else {
      const SystematicPoints::Near near_points(points, first);
      pack_ends([&](std::uint64_t end) { return skipped + near_points.ancestors_up_to(end); });
    }
    auto* const ends = reinterpret_cast<uint4*>(near.ends + 8 + first_item);
#pragma unroll
    for (unsigned k = 0; k < pairs; k += 4) {
      ends[k / 4] = {packed[k], packed[k + 1], packed[k + 2], packed[k + 3]};
    }
    if (threadIdx.x == 0) {
      near.ends[7] = static_cast<std::uint16_t>(skipped);
      near.window.run_count = 0;
    }
    __syncthreads();
#pragma unroll
    for (unsigned item = 4 * threadIdx.x; item < mass_tile_items; item += 4 * systematic_threads) {
      const auto four = *reinterpret_cast<const uint2*>(near.ends + 8 + item);
      near.window.store(item, {near.ends[7 + item], four.x & 0xFFFF, four.x >> 16, four.y & 0xFFFF,
                               four.y >> 16});
    }
    __syncthreads();
    if (near.window.run_count > 0) {
      near.window.store_runs();
      __syncthreads();
    }
    near.window.write(static_cast<Index>(tile_begin), first, last, ancestors);
    return;
  }
  auto& far = storage.ends.far;
#pragma unroll
  for (unsigned k = 0; k < systematic_thread_items; ++k) {
    mass += masses[k];
    if constexpr (has_bucket_strata) {
      far.ends[first_item + k] = in_buckets(mass);
    } else {
      far.mass_ends[first_item + k] = mass;
    }
  }
  if constexpr (!has_bucket_strata) {
    __syncthreads();
#pragma unroll 1
    for (Index item = threadIdx.x; item < mass_tile_items; item += systematic_threads) {
      far.ends[item] = points.ancestors_up_to(far.mass_ends[item]);
    }
  }
  __syncthreads();
  write_by_search<systematic_threads>(far.ends, tile, first, last, heavy, ancestors);
}

/// Writes the ancestors of a tile by another scheme, in which items take different time: one block
/// each.
template <class T>
__global__ void __launch_bounds__(resample_threads, 3)
    write_ancestors(const ResamplingTask<T> task, const HeavyTiles heavy, Index* ancestors) {
  using MassScan = cub::BlockScan<std::uint64_t, resample_threads>;
  using CertainScan = cub::BlockScan<Index, resample_threads>;
  using Window = AncestorWindow<resample_threads>;
  __shared__ union {
    typename ResampledMasses<T>::Storage masses;
    typename MassScan::TempStorage mass_scan;
    typename CertainScan::TempStorage certain_scan;
  } storage;
  __shared__ union {
    std::uint64_t mass_ends[mass_tile_items];
    Window window;
  } shared;
  __shared__ Index certain_ends[mass_tile_items];
  __shared__ Index ends[mass_tile_items];
  __shared__ Index first;
  grid_dependency_sync();
  trigger_launch_completion();
  if (!task.summary->valid) return;
  const Index tile = blockIdx.x;
  const unsigned first_item = threadIdx.x * resample_thread_items;
  std::uint64_t masses[resample_thread_items];
  ResampledMasses<T>::read(storage.masses, task.weights, task.items, tile, task.tiles[tile], true,
                           masses);
  const ResamplingPoints points(task.items, task.ancestors, task.source.get(), task.points_before);
  const bool is_residual = task.certain_before != nullptr;
  std::uint64_t sum = 0;
  Index certain = 0;
#pragma unroll
  for (unsigned k = 0; k < resample_thread_items; ++k) {
    if (is_residual) {
      certain += points.strata().place(masses[k]).stratum;
      certain_ends[first_item + k] = certain;
    }
    sum += masses[k];
    shared.mass_ends[first_item + k] = sum;
  }
  std::uint64_t mass_before = 0;
  Index certain_before = 0;
  __syncthreads();  // before the storage is reused
  MassScan(storage.mass_scan).ExclusiveSum(sum, mass_before);
  mass_before += task.mass_before[tile];
  if (is_residual) {
    __syncthreads();
    CertainScan(storage.certain_scan).ExclusiveSum(certain, certain_before);
    certain_before += task.certain_before[tile];
  }
#pragma unroll
  for (unsigned k = 0; k < resample_thread_items; ++k) {
    shared.mass_ends[first_item + k] += mass_before;
    if (is_residual) certain_ends[first_item + k] += certain_before;
  }
  if (threadIdx.x == 0) first = points.ancestors_up_to(mass_before, certain_before);
  __syncthreads();
#pragma unroll 1
  for (Index item = threadIdx.x; item < mass_tile_items; item += resample_threads) {
    ends[item] =
        points.ancestors_up_to(shared.mass_ends[item], is_residual ? certain_ends[item] : 0);
  }
  __syncthreads();
  const Index last = ends[mass_tile_items - 1];
  if (last - first > Window::size) {
    write_by_search<resample_threads>(ends, tile, first, last, heavy, ancestors);
    return;
  }
  if (threadIdx.x == 0) shared.window.run_count = 0;
  __syncthreads();
  const Index origin = first & ~Index{3};
#pragma unroll 1
  for (Index item = threadIdx.x; item < mass_tile_items; item += resample_threads) {
    shared.window.store(item, {(item == 0 ? first : ends[item - 1]) - origin, ends[item] - origin});
  }
  __syncthreads();
  if (shared.window.run_count > 0) {
    shared.window.store_runs();
    __syncthreads();
  }
  shared.window.write(tile * mass_tile_items, first, last, ancestors);
}

/// Writes the ancestors of the heavy tiles, in pieces that all blocks share.
__global__ void __launch_bounds__(resample_threads)
    write_heavy_ancestors(const HeavyTiles heavy, Index* ancestors) {
  constexpr Index piece = HeavyTiles::min_ancestors / 4;
  __shared__ Index ends[mass_tile_items];
  grid_dependency_sync();
  const Index count = *heavy.count;
  Index before = 0;  // pieces of earlier tiles
  for (Index h = 0; h < count; ++h) {
    const HeavyTiles::Tile tile = heavy.tiles[h];
    const Index pieces = (tile.end - tile.begin - 1) / piece + 1;
    // The pieces are dealt to the blocks in turn.
    Index own = (blockIdx.x + gridDim.x - before % gridDim.x) % gridDim.x;
    before += pieces;
    if (own >= pieces) continue;
    __syncthreads();  // the ends of the tile before are no longer read
    for (Index item = threadIdx.x; item < mass_tile_items; item += resample_threads) {
      ends[item] = heavy.ends[std::size_t{h} * mass_tile_items + item];
    }
    __syncthreads();
    for (; own < pieces; own += gridDim.x) {
      const Index begin = tile.begin + own * piece;
      const Index size = tile.end - begin < piece ? tile.end - begin : piece;
      for (Index place = threadIdx.x; place < size; place += resample_threads) {
        ancestors[begin + place] =
            tile.number * mass_tile_items + item_of_tile(ends, begin + place);
      }
    }
  }
}

/// Launches the kernels with storage from the arena, or computes its size, by the conventions of
/// `DeviceArena`.
template <class T>
void launch_resampling(std::span<const T> weights, std::span<Index> ancestors,
                       ResamplingScheme scheme, const RandomSource& source, DeviceArena& arena,
                       cudaStream_t stream) {
  const auto items = static_cast<Index>(weights.size());
  const auto count = static_cast<Index>(ancestors.size());
  const Index tile_count = mass_tile_count(items);
  // The summary is at the beginning of the storage, where `finish` reads it.
  auto* const summary = arena.take<DeviceWeightSummary>(1);
  const bool is_residual = scheme == ResamplingScheme::residual;
  auto* const certain_before =
      is_residual ? arena.take<Index>(std::size_t{tile_count} + 1) : nullptr;
  auto* const points_before =
      detail::has_random_strata(scheme) ? arena.take<Index>(std::size_t{count} + 1) : nullptr;
  const PrefixedTiles prefixed = find_prefixed_tiles(weights, summary, arena, stream);
  const HeavyTiles heavy{prefixed.counter,
                         arena.take<HeavyTiles::Tile>(HeavyTiles::max_count(count)),
                         arena.take<Index>(HeavyTiles::max_count(count) * mass_tile_items)};
  ResamplingTask<T> task{weights.data(), items,
                         prefixed.tiles, summary,
                         count,          detail::ItemDivision(items),
                         source,         prefixed.mass_before,
                         nullptr,        nullptr,
                         tile_count};
  const bool is_launched = arena.has_block();
  if (is_residual) {
    if (is_launched) {
      sum_certain_ancestors<<<tile_count, resample_threads, 0, stream>>>(task, certain_before);
      check_launch("resample sum_certain_ancestors");
    }
    exclusive_scan(certain_before, std::uint64_t{tile_count} + 1, arena, stream);
    task.certain_before = certain_before;
  }
  if (detail::has_random_strata(scheme)) {
    if (is_launched) {
      WRSGPU_CUDA_CHECK(cudaMemsetAsync(points_before, 0,
                                        (std::size_t{count} + 1) * sizeof *points_before, stream));
      const unsigned blocks =
          capped_blocks_for(count, resample_threads, blocks_that_fill(resample_threads));
      count_points_of_strata<<<blocks, resample_threads, 0, stream>>>(task, points_before);
      check_launch("resample count_points_of_strata");
    }
    exclusive_scan(points_before, std::uint64_t{count} + 1, arena, stream);
    task.points_before = points_before;
  }
  if (!is_launched) return;
  if (scheme == ResamplingScheme::systematic) {
    const auto kernel = count == items ? write_systematic<T, true> : write_systematic<T, false>;
    launch_programmatic(kernel, {tile_count, systematic_threads}, stream, task, heavy,
                        ancestors.data());
  } else {
    launch_programmatic(write_ancestors<T>, {tile_count, resample_threads}, stream, task, heavy,
                        ancestors.data());
  }
  check_launch("resample write_ancestors");
  if (count <= HeavyTiles::min_ancestors) return;
  launch_programmatic(write_heavy_ancestors, {blocks_that_fill(resample_threads), resample_threads},
                      stream, heavy, ancestors.data());
  check_launch("resample write_heavy_ancestors");
}

/// A view of absent weights or ancestors, for computing sizes.
template <class T>
[[nodiscard]] std::span<T> absent(Index size) {
  return {static_cast<T*>(nullptr), size};
}

}  // namespace

std::size_t GpuResampler::storage_bytes(Index max_items, Index max_ancestors) {
  require_capacity("max_items", max_items);
  require_capacity("max_ancestors", max_ancestors);
  std::size_t bytes = 0;
  const auto include = [&]<class T>(T /*type*/) {
    DeviceArena sizes;
    launch_resampling(absent<const T>(max_items), absent<Index>(max_ancestors),
                      ResamplingScheme::residual, {}, sizes, nullptr);
    bytes = std::max(bytes, sizes.used());
  };
  include(0.F);
  include(0.0);
  return bytes;
}

GpuResampler::GpuResampler(Index max_items, Index max_ancestors)
    : max_items_(max_items),
      max_ancestors_(max_ancestors),
      storage_(storage_bytes(max_items, max_ancestors)) {
  // No byte that `finish` copies is undefined.
  WRSGPU_CUDA_CHECK(cudaMemset(storage_.data(), 0, sizeof(DeviceWeightSummary)));
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

GpuResampler::GpuResampler(Index max_items, Index max_ancestors, std::span<std::byte> storage)
    : max_items_(max_items), max_ancestors_(max_ancestors), storage_(storage) {}

void GpuResampler::resample(WeightsView weights, std::span<Index> ancestors,
                            ResamplingScheme scheme, RandomState state, cudaStream_t stream) {
  launch(weights, ancestors, scheme, state, nullptr, stream);
}

void GpuResampler::resample(WeightsView weights, std::span<Index> ancestors,
                            ResamplingScheme scheme, const RandomState* state,
                            cudaStream_t stream) {
  require_on_device(state, "state", stream);
  launch(weights, ancestors, scheme, {}, state, stream);
}

void GpuResampler::resample_and_advance(WeightsView weights, std::span<Index> ancestors,
                                        ResamplingScheme scheme, RandomState* state,
                                        cudaStream_t stream) {
  resample(weights, ancestors, scheme, state, stream);
  random::advance_state(state, ancestors.size(), stream);
}

void GpuResampler::launch(WeightsView weights, std::span<Index> ancestors, ResamplingScheme scheme,
                          RandomState state, const RandomState* state_on_device,
                          cudaStream_t stream) {
  check_size_and_memory(weights, Device::cuda);
  detail::require_ancestors(ancestors.size());
  if (weights.size() > max_items_ || ancestors.size() > max_ancestors_) {
    throw Error("resample: " + std::to_string(ancestors.size()) + " ancestors of " +
                std::to_string(weights.size()) + " items are more than the " +
                std::to_string(max_ancestors_) + " of " + std::to_string(max_items_) +
                " for which memory is reserved");
  }
  require_on_device(ancestors.data(), "ancestors", stream);
  weights.visit([&](auto w) {
    require_on_device(w.data(), "weights", stream);
    DeviceArena arena(storage_.span());
    launch_resampling(w, ancestors, scheme, {state, state_on_device}, arena, stream);
  });
  weights_ = weights;
}

void GpuResampler::finish(cudaStream_t stream) {
  if (!weights_) throw Error("finish: nothing was resampled; call resample() first");
  static_cast<void>(read_summary(
      *weights_, reinterpret_cast<const DeviceWeightSummary*>(storage_.data()), stream));
}

}  // namespace wrsgpu
