// The partition of PSA+ (thesis 4.6): a block classifies a tile of items in shared memory,
// optionally packs greedily there, and writes the remaining items to the lists.
#pragma once

#include <cub/block/block_scan.cuh>

#include "construction/pack/packer.hpp"
#include "construction/partition/classify.cuh"
#include "construction/partition/methods.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/look_back.cuh"

namespace wrsgpu::partition {

/// Shape of the tiles. A packer is a thread that packs its part of the tile's light and heavy
/// items; the more items it has, the smaller the fraction that it leaves.
template <int threads_, int thread_items_, int packers_>
struct PartitionTileShape {
  static constexpr int threads = threads_;
  static constexpr int thread_items = thread_items_;
  static constexpr int packers = packers_;
  static constexpr int items = threads * thread_items;
  static constexpr int warps = threads / 32;
  static_assert(packers <= threads && thread_items * warps <= threads && threads % 32 == 0);
  static_assert(items <= 32768 && items % 32 == 0);  // two bytes hold an item and a flag

  /// Slot of a light item, counted from the front, or of a heavy one, counted from the back.
  /// Packers read at equal distances, often multiples of 32; permuting the low bits spreads the
  /// accesses over the memory banks.
  [[nodiscard]] static __device__ int slot(bool is_heavy, Index place) {
    const int at = is_heavy ? items - 1 - static_cast<int>(place) : static_cast<int>(place);
    return at ^ (at >> 5 & 31);
  }
};

/// Numbers of light and of heavy items, added as one integer.
struct Counts {
  std::uint64_t both;  // light items in the low half, heavy ones in the high half

  [[nodiscard]] static __device__ Counts of(Index lights, Index heavies) {
    return {std::uint64_t{lights} | std::uint64_t{heavies} << 32};
  }
  [[nodiscard]] __device__ Index lights() const { return static_cast<Index>(both); }
  [[nodiscard]] __device__ Index heavies() const { return static_cast<Index>(both >> 32); }
};

template <class Mass, class Shape>
struct PartitionTileStorage {
  using CountScan = cub::BlockScan<std::uint64_t, Shape::threads>;

  Mass mass[Shape::items];           // indexed by Shape::slot
  std::uint16_t item[Shape::items];  // their indices in the tile
  std::uint64_t counts[Shape::thread_items * Shape::warps];
  // Items that each packer leaves: light items [light, end), and the heavy ones.
  std::uint16_t light[Shape::packers];
  std::uint16_t heavy[Shape::packers];
  std::uint64_t places[Shape::packers];
  union {
    typename CountScan::TempStorage scan;
    typename LookBack::TempStorage look_back;
  };
  std::uint64_t tile_place;
};

/// The items of the tile in shared memory, as a packer reads them.
template <class Storage, class Shape>
struct TileReader {
  const Storage& storage;
  Index tile_begin;
  Index light_end;
  Index heavy_end;

  [[nodiscard]] __device__ bool has(bool is_heavy, Index light, Index heavy) const {
    return is_heavy ? heavy < heavy_end : light < light_end;
  }
  [[nodiscard]] __device__ auto take(bool is_heavy, Index light, Index heavy) const {
    const int at = Shape::slot(is_heavy, is_heavy ? heavy : light);
    using Mass = std::remove_cvref_t<decltype(storage.mass[0])>;
    return pack::ItemMass<Mass>{tile_begin + storage.item[at], storage.mass[at]};
  }
};

/// Index of the first of `count` elements that packer `packer` gets.
template <class Shape>
[[nodiscard]] __device__ Index share_begin(Index count, Index packer) {
  return count * packer / Shape::packers;
}

/// One block of `Shape::threads` threads per tile of `Shape::items`, with a `PartitionTileStorage`
/// in dynamic shared memory. Classifies the items of the tile, packs greedily (if `greedy`, in
/// tiles with at least `min_items` light and as many heavy items), and appends the remaining items
/// to both lists, at offsets from `tile_counts`, a decoupled look-back scan over the tiles. Blocks
/// wait only for those of earlier tiles.
template <class Shape, bool greedy, class Source, class Element, class Rows>
__global__ void __launch_bounds__(Shape::threads)
    custom_partition(PartitionTask<Source, Element> task, LookBackSums tile_counts, Index min_items,
                     Rows rows) {
  using Mass = typename Source::Masses::Mass;
  using Storage = PartitionTileStorage<Mass, Shape>;
  using CountScan = typename Storage::CountScan;
  extern __shared__ __align__(16) std::byte shared[];
  Storage& storage = *reinterpret_cast<Storage*>(shared);
  const auto masses = task.source.get();
  const Index begin = blockIdx.x * Shape::items;
  const Index thread = threadIdx.x;

  // Classify. Each warp counts the light and heavy items of each of its rounds; a scan of the
  // counts in the order of the rounds gives the places, so that both lists keep the order of the
  // items.
  const Index warp = thread / 32;
  const Index lane = thread % 32;
  const std::uint32_t lanes_before = (1U << lane) - 1;
  Mass mass[Shape::thread_items];
#pragma unroll
  for (int k = 0; k < Shape::thread_items; ++k) {
    const std::uint64_t item = std::uint64_t{begin} + k * Shape::threads + thread;
    mass[k] = item < task.size ? masses[static_cast<Index>(item)] : Mass{0};
  }
  std::uint32_t light_votes[Shape::thread_items];
  std::uint32_t heavy_votes[Shape::thread_items];
#pragma unroll
  for (int k = 0; k < Shape::thread_items; ++k) {
    const std::uint64_t item = std::uint64_t{begin} + k * Shape::threads + thread;
    const bool is_heavy = !(mass[k] <= masses.bucket);
    light_votes[k] = __ballot_sync(0xFFFF'FFFFU, item < task.size && !is_heavy);
    heavy_votes[k] = __ballot_sync(0xFFFF'FFFFU, item < task.size && is_heavy);
    if (lane == 0) {
      storage.counts[k * Shape::warps + warp] =
          Counts::of(__popc(light_votes[k]), __popc(heavy_votes[k])).both;
    }
  }
  __syncthreads();
  constexpr Index groups = Shape::thread_items * Shape::warps;
  std::uint64_t before = thread < groups ? storage.counts[thread] : 0;
  Counts in_tile{};
  CountScan(storage.scan).ExclusiveSum(before, before, in_tile.both);
  if (thread < groups) storage.counts[thread] = before;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < Shape::thread_items; ++k) {
    const Counts first{storage.counts[k * Shape::warps + warp]};
    const bool is_heavy = (heavy_votes[k] >> lane & 1U) != 0;
    const bool is_light = (light_votes[k] >> lane & 1U) != 0;
    const Index place = is_heavy ? first.heavies() + __popc(heavy_votes[k] & lanes_before)
                                 : first.lights() + __popc(light_votes[k] & lanes_before);
    if (is_heavy || is_light) {
      const int at = Shape::slot(is_heavy, place);
      storage.mass[at] = mass[k];
      storage.item[at] = static_cast<std::uint16_t>(k * Shape::threads + thread);
    }
  }
  __syncthreads();

  // Pack: each packer until it runs out of its own items.
  Counts left{};
  const bool attempt = greedy && in_tile.lights() >= min_items && in_tile.heavies() >= min_items;
  if (thread < Shape::packers) {
    const Index light_end = share_begin<Shape>(in_tile.lights(), thread + 1);
    const Index heavy_end = share_begin<Shape>(in_tile.heavies(), thread + 1);
    Index light = share_begin<Shape>(in_tile.lights(), thread);
    Index heavy = share_begin<Shape>(in_tile.heavies(), thread);
    bool open_is_light = false;
    if constexpr (greedy) {
      if (attempt && heavy < heavy_end) {
        TileReader<Storage, Shape> reader{storage, begin, light_end, heavy_end};
        pack::Packer<Mass> packer(reader.take(true, light, heavy), light, heavy, masses.bucket);
        packer.pack(reader, rows);
        light = packer.light();
        heavy = packer.heavy();
        // The open heavy item is classified by its remaining mass.
        storage.mass[Shape::slot(true, heavy)] = packer.left();
        open_is_light = packer.left() <= masses.bucket;
      }
    }
    storage.light[thread] = static_cast<std::uint16_t>(light);
    storage.heavy[thread] = static_cast<std::uint16_t>(heavy << 1 | (open_is_light ? 1 : 0));
    left = Counts::of(light_end - light + (open_is_light ? 1 : 0),
                      heavy_end - heavy - (open_is_light ? 1 : 0));
  }
  __syncthreads();
  Counts place{};
  Counts total{};
  CountScan(storage.scan).ExclusiveSum(left.both, place.both, total.both);
  if (thread < Shape::packers) storage.places[thread] = place.both;
  __syncthreads();

  // Offsets of the tile's items in the lists.
  if (thread < 32) {
    std::uint64_t tile_place = 0;
    if (blockIdx.x == 0) {
      if (thread == 0) tile_counts.SetInclusive(0, total.both);
    } else {
      LookBack look_back(tile_counts, storage.look_back, {}, static_cast<int>(blockIdx.x));
      tile_place = look_back(total.both);
    }
    if (thread == 0) {
      storage.tile_place = tile_place;
      if (blockIdx.x == gridDim.x - 1) {
        const Counts all{tile_place + total.both};
        task.items.counts[0] = all.lights();
        task.items.counts[1] = all.heavies();
      }
    }
  }
  __syncthreads();

  // Write: one warp per packer at a time.
  const Counts tile_place{storage.tile_place};
  for (Index packer = warp; packer < Shape::packers; packer += Shape::warps) {
    const Counts own_place{storage.places[packer]};
    const Index open_is_light = storage.heavy[packer] & 1;
    const Index light = storage.light[packer];
    const Index heavy = storage.heavy[packer] >> 1;
    const Index rest_lights = share_begin<Shape>(in_tile.lights(), packer + 1) - light;
    const Index rest_heavies = share_begin<Shape>(in_tile.heavies(), packer + 1) - heavy;
    const auto element = [&](int at) {
      return make_element<Element>(begin + storage.item[at], storage.mass[at]);
    };
    Element* const light_out = task.items.light + tile_place.lights() + own_place.lights();
    Element* const heavy_out = task.items.heavy + tile_place.heavies() + own_place.heavies();
    if (open_is_light != 0 && lane == 0) {
      light_out[0] = element(Shape::slot(true, heavy));
    }
    for (Index i = lane; i < rest_lights; i += 32) {
      light_out[open_is_light + i] = element(Shape::slot(false, light + i));
    }
    for (Index j = open_is_light + lane; j < rest_heavies; j += 32) {
      heavy_out[j - open_is_light] = element(Shape::slot(true, heavy + j));
    }
  }
}

/// For partitions that write no rows.
struct NoRows {};

template <class Shape, bool greedy, class Source, class Element, class Rows>
void launch_tiles(const PartitionTask<Source, Element>& task, const Rows& rows, Index min_items,
                  DeviceArena& arena, cudaStream_t stream) {
  const auto tiles = static_cast<int>(blocks_for(task.size, Shape::items));
  const LookBackSums tile_counts = take_look_back_sums(tiles, arena, stream);
  if (!arena.has_block()) return;
  using Storage = PartitionTileStorage<typename Source::Masses::Mass, Shape>;
  const auto kernel = custom_partition<Shape, greedy, Source, Element, Rows>;
  WRSGPU_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(sizeof(Storage))));
  kernel<<<static_cast<unsigned>(tiles), Shape::threads, sizeof(Storage), stream>>>(
      task, tile_counts, min_items, rows);
  check_launch("partition::custom_partition");
}

template <class Shape>
struct GreedyLauncher {
  Index min_items;
  DeviceArena& arena;
  cudaStream_t stream;

  template <class Source, class Element, class Rows>
  void operator()(const PartitionTask<Source, Element>& task, const Rows& rows) const {
    using Mass = typename Source::Masses::Mass;
    constexpr bool has_mass = !std::is_same_v<Element, Index>;
    constexpr bool holds = !std::is_same_v<Rows, NarrowStoreRows> &&
                           (Rows::layout != Layout::compact_rows || std::is_integral_v<Mass>);
    if constexpr (has_mass && holds) {
      launch_tiles<Shape, true>(task, rows, min_items, arena, stream);
    } else {
      throw Error("greedy packing needs elements with masses, and rows that hold these");
    }
  }
};

/// PSA+ with another tile shape than `greedy_partition` (thesis 4.8.4).
template <class Shape>
void greedy_partition_of(const AnyPartitionTask& task, const AnyRows& rows, Index min_items,
                         DeviceArena& arena, cudaStream_t stream) {
  std::visit(GreedyLauncher<Shape>{min_items, arena, stream}, task, rows);
}

}  // namespace wrsgpu::partition
