// The partition of PSA+, with and without greedy packing (thesis 3.3 and 4.6).
#include "wrsgpu/construction/partition/custom_partition.cuh"

#include "wrsgpu/core/cuda_check.cuh"

namespace wrsgpu::partition {
namespace {

using Shape = TileShape<256, 16, 64>;

__global__ void clear(TileCounts tile_counts, int tiles) { tile_counts.InitializeStatus(tiles); }

/// For partitions that write no rows.
struct NoRows {};

template <bool greedy, class Source, class Element, class Rows>
void launch_tiles(const Task<Source, Element>& task, const Rows& rows, Index min_items,
                  DeviceArena& arena, cudaStream_t stream) {
  const auto tiles = static_cast<int>((task.size + std::uint64_t{Shape::items} - 1) / Shape::items);
  std::size_t bytes = 0;
  WRSGPU_CUDA_CHECK(TileCounts::AllocationSize(tiles, bytes));
  auto* storage = arena.take<std::byte>(bytes);
  if (!arena.has_block()) return;
  TileCounts tile_counts;
  WRSGPU_CUDA_CHECK(tile_counts.Init(tiles, storage, bytes));
  clear<<<(tiles + 255) / 256 + 1, 256, 0, stream>>>(tile_counts, tiles);
  check_launch("partition::clear");
  using Storage = TileStorage<typename Source::Masses::Mass, Shape>;
  const auto kernel = custom_partition<Shape, greedy, Source, Element, Rows>;
  WRSGPU_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(sizeof(Storage))));
  kernel<<<static_cast<unsigned>(tiles), Shape::threads, sizeof(Storage), stream>>>(
      task, tile_counts, min_items, rows);
  check_launch("partition::custom_partition");
}

struct GreedyLauncher {
  Index min_items;
  DeviceArena& arena;
  cudaStream_t stream;

  template <class Source, class Element, class Rows>
  void operator()(const Task<Source, Element>& task, const Rows& rows) const {
    using Mass = typename Source::Masses::Mass;
    constexpr bool has_mass = !std::is_same_v<Element, Index>;
    constexpr bool holds = !std::is_same_v<Rows, NarrowStoreRows> &&
                           (Rows::layout != Layout::compact_rows || std::is_integral_v<Mass>);
    if constexpr (has_mass && holds) {
      launch_tiles<true>(task, rows, min_items, arena, stream);
    } else {
      throw Error("greedy packing needs elements with masses, and rows that hold these");
    }
  }
};

}  // namespace

[[nodiscard]] Method custom_method() {
  return {"custom", "thesis 4.6", "tiles partitioned in shared memory, as PSA+ does",
          [](const AnyTask& any, DeviceArena& arena, cudaStream_t stream) {
            std::visit(
                [&](const auto& task) { launch_tiles<false>(task, NoRows{}, 0, arena, stream); },
                any);
          }};
}

void greedy_partition(const AnyTask& task, const AnyRows& rows, Index min_items, DeviceArena& arena,
                      cudaStream_t stream) {
  std::visit(GreedyLauncher{min_items, arena, stream}, task, rows);
}

}  // namespace wrsgpu::partition
