// Weights as the warps of a grid read them: in quads, whose words one block of Philox gives.
#pragma once

#include <cuda_pipeline.h>

#include <cstdint>

#include "wrsgpu/detail/without_replacement/choose_state.cuh"
#include "wrsgpu/types.hpp"

namespace wrsgpu::detail {

/// Four weights, aligned for copies to shared memory.
template <class T>
struct alignas(16) WeightQuad {
  T weight[4];
};
/// Four weights from `first` on, 0 for those that are not items.
template <class T>
[[nodiscard]] __device__ WeightQuad<T> read_partial_quad(const T* weights, Index items,
                                                         std::uint64_t first) {
  WeightQuad<T> quad;
#pragma unroll
  for (unsigned j = 0; j < 4; ++j) {
    const std::uint64_t item = first + j;  // of items before the first one, a huge number
    quad.weight[j] = item < items ? weights[item] : T{0};
  }
  return quad;
}

/// The quads of weights that the warps of a grid read in turn, each 32 at a time: quad q has the
/// items of words 4 q to 4 q + 3 of the call, counted from the quad of the first word. Those of the
/// next turns are on their way to shared memory meanwhile, which takes no registers.
template <class T>
class QuadReader {
  static constexpr unsigned slots = 16 / sizeof(T);  // the one in use, and those on their way

 public:
  /// Shared memory of a block, of which each thread uses its own.
  struct Storage {
    WeightQuad<T> quads[slots][choose_threads];
  };

  __device__ QuadReader(Storage& storage, const T* weights, Index items, std::uint64_t offset)
      : storage_(&storage),
        weights_(weights),
        items_(items),
        skipped_(offset & 3),
        quads_(static_cast<unsigned>((std::uint64_t{skipped_} + items + 3) / 4)),
        stride_(gridDim.x * choose_threads) {
    begin_ = (blockIdx.x * choose_warps + threadIdx.x / 32) * 32;
    const bool is_aligned = skipped_ == 0 && reinterpret_cast<std::uintptr_t>(weights) % 16 == 0;
    whole_ = is_aligned ? items / 4 : 0;
  }

  /// Lets the first quads be on their way, for one `for_each`.
  __device__ void prefetch() const {
    const T* from = weights_ + 4 * quad();
#pragma unroll
    for (unsigned turn = 0; turn + 1 < slots; ++turn) {
      read_ahead(turn, turn, from);
      from += 4 * std::uint64_t{stride_};
    }
  }
  [[nodiscard]] __device__ bool has_quads() const { return begin_ < quads_; }
  /// The quad of this lane.
  [[nodiscard]] __device__ std::uint64_t quad() const { return begin_ + threadIdx.x % 32; }
  /// The first item of it; if that is before the first one, modulo 2^64.
  [[nodiscard]] __device__ std::uint64_t first_item() const { return 4 * quad() - skipped_; }
  /// Calls `use` with the weights of all quads, by whole warps, after a `prefetch`.
  template <class Use>
  __device__ void for_each(const Use& use) {
    unsigned before = slots - 1;  // the slot of the turn before
    const T* ahead = weights_ + 4 * (quad() + std::uint64_t{slots - 1} * stride_);
    for (unsigned slot = 0; reads_whole(0); begin_ += stride_) {
      __pipeline_wait_prior(slots - 2);
      const WeightQuad<T> now = storage_->quads[slot][threadIdx.x];
      read_ahead(slots - 1, before, ahead);
      ahead += 4 * std::uint64_t{stride_};
      use(now.weight);
      before = slot;
      slot = slot + 1 < slots ? slot + 1 : 0;
    }
    for (; has_quads(); begin_ += stride_) {
      use(read_partial_quad(weights_, items_, first_item()).weight);
    }
  }

 private:
  /// Whether this warp reads the quads of this number of turns later at once.
  [[nodiscard]] __device__ bool reads_whole(unsigned turns) const {
    return begin_ + turns * stride_ + 32 <= whole_;
  }
  /// Copies the quad of a later turn to a slot.
  __device__ void read_ahead(unsigned turns, unsigned slot, const T* from) const {
    if (reads_whole(turns)) {
      T* const to = storage_->quads[slot][threadIdx.x].weight;
#pragma unroll
      for (unsigned j = 0; j < 4; j += 16 / sizeof(T))
        __pipeline_memcpy_async(to + j, from + j, 16);
    }
    __pipeline_commit();
  }

  Storage* storage_;
  const T* weights_;
  Index items_;
  unsigned skipped_;  // words of the first quad
  unsigned quads_;
  unsigned whole_;  // quads that are read at once
  unsigned stride_;
  unsigned begin_;
};

}  // namespace wrsgpu::detail
