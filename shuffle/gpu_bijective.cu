// The bijective shuffle (Mitchell and others 2021, section 4): a bijection of a padded range, whose
// images that are places of keys are compacted. The variants need decreasing memory traffic:
// Bijective0 in three passes, Bijective1 in a scan of two passes, Bijective2 in one pass.
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "shuffle/gpu_methods.cuh"
#include "shuffle/linear_congruential.hpp"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/look_back.cuh"
#include "wrsgpu/detail/shuffle/gpu_gather.cuh"
#include "wrsgpu/detail/shuffle/gpu_keys.cuh"
#include "wrsgpu/detail/shuffle/variable_philox.hpp"

namespace wrsgpu::shuffle {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned warps = threads / 32;
constexpr unsigned thread_items = 8;
constexpr unsigned tile_items = threads * thread_items;
constexpr std::uint32_t whole_warp = 0xFFFF'FFFFU;

// --- Bijective0 ---------------------------------------------------------------------------------

/// Sets images[i] to the image of i, for all i < bijection.size(). One thread for each.
template <class Bijection, class Place>
__global__ void __launch_bounds__(threads)
    transform(const __grid_constant__ Bijection bijection, Place* images) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < bijection.size()) images[i] = static_cast<Place>(bijection(i));
}

template <class Place>
struct IsBelow {
  std::uint64_t size;
  [[nodiscard]] __device__ bool operator()(Place place) const { return place < size; }
};

template <class Place>
void bijective0(const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream) {
  const auto bijection = VariablePhilox<>::of_at_least(task.size, task.seed);
  const auto padded = static_cast<std::int64_t>(bijection.size());
  auto* images = arena.take<Place>(bijection.size());
  auto* places = arena.take<Place>(task.size);
  auto* count = arena.take<std::uint64_t>(1);
  const auto compact = [&](void* storage, std::size_t& bytes) {
    WRSGPU_CUDA_CHECK(cub::DeviceSelect::If(storage, bytes, images, places, count, padded,
                                            IsBelow<Place>{task.size}, stream));
  };
  std::size_t bytes = 0;
  compact(nullptr, bytes);
  auto* storage = arena.take<std::byte>(bytes);
  if (!arena.has_block()) return;
  transform<<<blocks_for(bijection.size(), threads), threads, 0, stream>>>(bijection, images);
  check_launch("shuffle::transform");
  compact(storage, bytes);
  visit_keys(task, [&](const auto& keys, auto* out) {
    launch_gather(PlacesFrom<Place>{places}, 0, keys, out, task.size, stream);
  });
}

// --- Bijective1 and Bijective2 ------------------------------------------------------------------

/// The images of a tile. A warp processes the next 32 numbers in each step, so that the images that
/// it keeps in a step go to consecutive places.
template <class Bijection>
struct TileImages {
  std::uint64_t image[thread_items];
  std::uint32_t kept[thread_items];  // masks of lanes
  std::uint32_t warp_count = 0;

  __device__ TileImages(const Bijection& bijection, std::uint64_t size) {
    const std::uint64_t begin = std::uint64_t{blockIdx.x} * tile_items +
                                threadIdx.x / 32 * (32 * thread_items) + threadIdx.x % 32;
#pragma unroll
    for (unsigned k = 0; k < thread_items; ++k) {
      const std::uint64_t i = begin + k * 32;
      image[k] = bijection(i);
      kept[k] = __ballot_sync(whole_warp, i < bijection.size() && image[k] < size);
      warp_count += __popc(kept[k]);
    }
  }
};

/// Stores the number of images that each warp keeps in shared memory and returns the sum; `before`
/// is the exclusive prefix sum of the calling warp.
__device__ std::uint32_t add_up_warps(std::uint32_t warp_count, std::uint32_t& before) {
  __shared__ std::uint32_t counts[warps];
  const unsigned warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) counts[warp] = warp_count;
  __syncthreads();
  std::uint32_t sum = 0;
  before = 0;
#pragma unroll
  for (unsigned w = 0; w < warps; ++w) {
    if (w < warp) before += counts[w];
    sum += counts[w];
  }
  return sum;
}

/// Counts the images that each tile keeps.
template <class Bijection>
__global__ void __launch_bounds__(threads)
    count_kept(const __grid_constant__ Bijection bijection, std::uint64_t size,
               std::uint64_t* tile_counts) {
  const TileImages<Bijection> tile(bijection, size);
  std::uint32_t before = 0;
  const std::uint32_t count = add_up_warps(tile.warp_count, before);
  if (threadIdx.x == 0) tile_counts[blockIdx.x] = count;
}

/// Output offset of a tile's keys, from the prefix sums of an earlier pass.
struct ScannedTiles {
  const std::uint64_t* tile_begin;
  struct Storage {};

  [[nodiscard]] __device__ std::uint64_t begin(std::uint32_t /*count*/, Storage& /*storage*/) {
    return tile_begin[blockIdx.x];
  }
};

/// Output offset of a tile's keys by decoupled look-back over the preceding tiles.
struct LookBackTiles {
  struct Storage {
    typename LookBack::TempStorage look_back;
    std::uint64_t begin;
  };
  LookBackSums tile_counts;

  [[nodiscard]] __device__ std::uint64_t begin(std::uint32_t count, Storage& storage) {
    if (threadIdx.x < 32) {
      std::uint64_t found = 0;
      if (blockIdx.x == 0) {
        if (threadIdx.x == 0) tile_counts.SetInclusive(0, count);
      } else {
        LookBack look_back(tile_counts, storage.look_back, {}, static_cast<int>(blockIdx.x));
        found = look_back(count);
      }
      if (threadIdx.x == 0) storage.begin = found;
    }
    __syncthreads();
    return storage.begin;
  }
};

/// Writes the keys of the images that a tile keeps, after those of preceding tiles. One block of
/// `threads` threads per tile. `tiles` provides the output offset, and may wait for earlier blocks.
template <class Bijection, class Tiles, class Keys>
__global__ void __launch_bounds__(threads)
    compact_and_gather(const __grid_constant__ Bijection bijection, Tiles tiles, Keys keys,
                       typename Keys::Key* out, std::uint64_t size) {
  __shared__ typename Tiles::Storage storage;
  const TileImages<Bijection> tile(bijection, size);
  std::uint32_t before = 0;
  const std::uint32_t count = add_up_warps(tile.warp_count, before);
  const unsigned lane = threadIdx.x % 32;
  // The loads of the keys are in flight while the block waits for its offset.
  typename Keys::Key key[thread_items];
#pragma unroll
  for (unsigned k = 0; k < thread_items; ++k) {
    if ((tile.kept[k] >> lane & 1U) != 0) key[k] = keys(tile.image[k]);
  }
  std::uint64_t place = tiles.begin(count, storage) + before;
#pragma unroll
  for (unsigned k = 0; k < thread_items; ++k) {
    if ((tile.kept[k] >> lane & 1U) != 0) {
      out[place + __popc(tile.kept[k] & ((1U << lane) - 1))] = key[k];
    }
    place += __popc(tile.kept[k]);
  }
}

template <class Bijection, class Tiles>
void launch_compact_and_gather(const GpuShuffleTask& task, const Bijection& bijection,
                               const Tiles& tiles, cudaStream_t stream) {
  visit_keys(task, [&](const auto& keys, auto* out) {
    compact_and_gather<<<blocks_for(bijection.size(), tile_items), threads, 0, stream>>>(
        bijection, tiles, keys, out, task.size);
    check_launch("shuffle::compact_and_gather");
  });
}

template <class Bijection>
void bijective1(const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream) {
  const auto bijection = Bijection::of_at_least(task.size, task.seed);
  const unsigned tiles = blocks_for(bijection.size(), tile_items);
  auto* counts = arena.take<std::uint64_t>(tiles);
  auto* begins = arena.take<std::uint64_t>(tiles);
  const auto scan = [&](void* storage, std::size_t& bytes) {
    WRSGPU_CUDA_CHECK(
        cub::DeviceScan::ExclusiveSum(storage, bytes, counts, begins, std::int64_t{tiles}, stream));
  };
  std::size_t bytes = 0;
  scan(nullptr, bytes);
  auto* storage = arena.take<std::byte>(bytes);
  if (!arena.has_block()) return;
  count_kept<<<tiles, threads, 0, stream>>>(bijection, task.size, counts);
  check_launch("shuffle::count_kept");
  scan(storage, bytes);
  launch_compact_and_gather(task, bijection, ScannedTiles{begins}, stream);
}

template <class Bijection>
void bijective2(const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream) {
  const auto bijection = Bijection::of_at_least(task.size, task.seed);
  const auto tiles = static_cast<int>(blocks_for(bijection.size(), tile_items));
  const LookBackSums tile_counts = take_look_back_sums(tiles, arena, stream);
  if (!arena.has_block()) return;
  launch_compact_and_gather(task, bijection, LookBackTiles{tile_counts}, stream);
}

}  // namespace

GpuShuffleMethod bijective0_method() {
  return {.name = "bijective0_varphilox",
          .source = "section 6, Bijective0",
          .summary = "bijection, compaction and gather in passes of their own",
          .launch = [](const GpuShuffleTask& task, DeviceArena& arena, cudaStream_t stream) {
            if (task.size <= std::uint64_t{1} << 32) {
              bijective0<std::uint32_t>(task, arena, stream);
            } else {
              bijective0<std::uint64_t>(task, arena, stream);
            }
          }};
}

GpuShuffleMethod bijective1_method() {
  return {.name = "bijective1_varphilox",
          .source = "section 6, Bijective1",
          .summary = "all in a scan of two passes, which evaluate the bijection twice",
          .launch = bijective1<VariablePhilox<>>};
}

GpuShuffleMethod bijective2_method() {
  return {.name = "bijective2_varphilox",
          .source = "section 6, Bijective2",
          .summary = "all in a scan of one pass with decoupled look-back",
          .launch = bijective2<VariablePhilox<>>};
}

GpuShuffleMethod bijective2_lcg_method() {
  return {.name = "bijective2_lcg",
          .source = "sections 3.1 and 6",
          .summary = "the same with the linear congruential bijection, not a good shuffle",
          .launch = bijective2<LinearCongruential>};
}

}  // namespace wrsgpu::shuffle
