#include "wrsgpu/detail/sampling/distinct_draws.cuh"

#include <cub/block/block_scan.cuh>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/sampling/direct_rows.cuh"
#include "wrsgpu/detail/sampling/sampler_support.hpp"

namespace wrsgpu {
namespace {

constexpr unsigned distinct_threads = 512;

/// The items that have come, by open addressing with linear probing.
struct ItemTable {
  /// A fifth is free in the worst case.
  static constexpr unsigned slots = 5760;
  static_assert(5 * slots >= 6 * (max_gpu_distinct + distinct_threads));
  static constexpr Index none = ~Index{0};  // more than all items
  /// An order of this and more is that of a draw of the current round.
  static constexpr unsigned current = 1U << 31;

  Index items[slots];
  unsigned orders[slots];  ///< of the items: earlier ones have less

  __device__ void clear() {
    for (unsigned slot = threadIdx.x; slot < slots; slot += distinct_threads) {
      items[slot] = none;
      orders[slot] = ~0U;
    }
  }
  /// The slot of an item, which then has at most this order.
  [[nodiscard]] __device__ unsigned insert(Index item, unsigned order) {
    unsigned slot = __umulhi(item * 0x9E37'79B9U, slots);
    for (;;) {
      const Index there = atomicCAS(items + slot, none, item);
      if (there == none || there == item) break;
      slot = slot + 1 < slots ? slot + 1 : 0;
    }
    atomicMin(orders + slot, order);
    return slot;
  }
};

/// In each round every thread draws; the first draws of items that are new are numbered.
template <int rounds>
__global__ void __launch_bounds__(distinct_threads)
    draw_distinct_items(const WholeRows rows, const random::RandomSource source,
                        RandomState* advanced, Index* out, unsigned count, std::uint64_t max_draws,
                        std::uint64_t* used) {
  using Scan = cub::BlockScan<unsigned, distinct_threads>;
  __shared__ ItemTable items;
  __shared__ typename Scan::TempStorage scan;
  __shared__ std::uint64_t last;  // number of draws up to the last item
  items.clear();
  if (threadIdx.x == 0) last = 0;
  grid_dependency_sync();
  const RandomState state = source.get();
  using Words = random::SplitWords<rounds>;
  const DirectSource<Words, WholeRows> draws{Words(state.seed), rows};
  const unsigned order = ItemTable::current + threadIdx.x;
  unsigned distinct = 0;
  __syncthreads();
  // The host's limit is a multiple of the number of threads.
  for (std::uint64_t begin = 0; distinct < count && begin < max_draws; begin += distinct_threads) {
    const std::uint64_t number = begin + threadIdx.x;
    const unsigned slot = items.insert(draws.one(state.offset + number), order);
    __syncthreads();
    const bool is_new = items.orders[slot] == order;
    unsigned place = 0;
    unsigned all_new = 0;
    Scan(scan).ExclusiveSum(is_new ? 1U : 0U, place, all_new);
    __syncthreads();  // all orders have been read, and the scan can be repeated
    place += distinct;
    if (is_new) items.orders[slot] = place;
    if (is_new && place + 1 == count) last = number + 1;
    distinct += all_new;
    __syncthreads();
  }
  if (last > 0) {
    for (unsigned slot = threadIdx.x; slot < ItemTable::slots; slot += distinct_threads) {
      if (items.orders[slot] < count) out[items.orders[slot]] = items.items[slot];
    }
  }
  if (threadIdx.x > 0) return;
  *used = last;
  if (advanced != nullptr) advanced->offset = state.offset + last;
}

}  // namespace

void draw_distinct(const CompactRows& rows, Generator generator, std::span<Index> out,
                   const random::RandomSource& source, RandomState* advanced, std::uint64_t* used,
                   cudaStream_t stream) {
  const auto kernel =
      generator == Generator::philox7 ? draw_distinct_items<7> : draw_distinct_items<10>;
  launch_programmatic(kernel, {1, distinct_threads}, stream, WholeRows{rows.data(), rows.size()},
                      source, advanced, out.data(), static_cast<unsigned>(out.size()),
                      detail::max_distinct_draws(out.size()), used);
  check_launch("draw_distinct_items");
}

}  // namespace wrsgpu
