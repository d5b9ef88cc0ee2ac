// Rearranges the lists on the device.
#pragma once

#include "construction/pack/reorder.hpp"
#include "construction/partition/items.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/sampling/sections.hpp"

namespace wrsgpu::pack {

namespace detail {

/// Copies both lists in another order (thesis 4.5.5). One thread per item; a random order has one
/// permutation for each list, which the first two threads of a block compute.
template <class Element>
__global__ void reorder(partition::Items<Element> from, partition::Items<Element> to, Order order,
                        Index section_items) {
  __shared__ std::aligned_storage_t<sizeof(shuffle::Permutation), 8> storage[2];
  const auto* permutations = reinterpret_cast<const shuffle::Permutation*>(storage);
  if (order == Order::random && threadIdx.x < 2) {
    const Index count = from.counts[threadIdx.x];
    new (storage + threadIdx.x) shuffle::Permutation(count == 0 ? 1 : count, threadIdx.x);
  }
  __syncthreads();
  const std::uint64_t position = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const Index lights = from.counts[0];
  const Index heavies = from.counts[1];
  if (position >= std::uint64_t{lights} + heavies) return;
  const int kind = position < lights ? 0 : 1;
  const auto place = static_cast<Index>(kind == 0 ? position : position - lights);
  Index target = place;
  if (order == Order::round_robin) {
    const Index sections = split::Sections{lights + heavies, section_items}.count();
    target = dealt_place(place, from.counts[kind], sections);
  } else if (order == Order::random) {
    target = permutations[kind](place);
  }
  (kind == 0 ? to.light : to.heavy)[target] = (kind == 0 ? from.light : from.heavy)[place];
}

}  // namespace detail

/// The items of both lists in another order. Follows the conventions of `DeviceArena`.
template <class Element>
[[nodiscard]] partition::Items<Element> reorder(const partition::Items<Element>& items, Index size,
                                                Order order, Index section_items,
                                                DeviceArena& arena, cudaStream_t stream) {
  if (order == Order::by_index) return items;
  const auto reordered = partition::Items<Element>::take(arena, size, items.counts);
  if (!arena.has_block()) return reordered;
  constexpr unsigned threads = 256;
  detail::reorder<<<blocks_for(size, threads), threads, 0, stream>>>(items, reordered, order,
                                                                     section_items);
  check_launch("pack::reorder");
  return reordered;
}

}  // namespace wrsgpu::pack
