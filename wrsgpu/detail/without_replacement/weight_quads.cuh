// Weights as the warps of a grid read them: in quads, whose words one block of Philox gives.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/without_replacement/choose_state.cuh"
#include "wrsgpu/types.hpp"

namespace wrsgpu::detail {

/// Four weights that are aligned to their size.
template <class T>
struct WeightQuad {
  T weight[4];
};
[[nodiscard]] __device__ inline WeightQuad<float> read_quad(const float* weights) {
  const float4 read = __ldcs(reinterpret_cast<const float4*>(weights));
  return {{read.x, read.y, read.z, read.w}};
}
[[nodiscard]] __device__ inline WeightQuad<double> read_quad(const double* weights) {
  const double2 low = __ldcs(reinterpret_cast<const double2*>(weights));
  const double2 high = __ldcs(reinterpret_cast<const double2*>(weights + 2));
  return {{low.x, low.y, high.x, high.y}};
}
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
/// items of words 4 q to 4 q + 3 of the call, counted from the quad of the first word.
template <class T>
class QuadReader {
 public:
  __device__ QuadReader(const T* weights, Index items, std::uint64_t offset)
      : weights_(weights),
        items_(items),
        skipped_(offset & 3),
        quads_((skipped_ + items + 3) / 4),
        stride_(std::uint64_t{gridDim.x} * choose_threads) {
    const unsigned warp = blockIdx.x * choose_warps + threadIdx.x / 32;
    begin_ = std::uint64_t{warp} * 32;
    const bool is_aligned = skipped_ == 0 && reinterpret_cast<std::uintptr_t>(weights) % 16 == 0;
    whole_ = is_aligned ? items / 4 : 0;
    if (reads_whole(0)) next_ = read_quad(weights_ + 4 * quad());
  }

  [[nodiscard]] __device__ bool has_quads() const { return begin_ < quads_; }
  /// The quad of this lane.
  [[nodiscard]] __device__ std::uint64_t quad() const { return begin_ + threadIdx.x % 32; }
  /// The first item of it; if that is before the first one, modulo 2^64.
  [[nodiscard]] __device__ std::uint64_t first_item() const { return 4 * quad() - skipped_; }
  /// Calls `use` with the weights of all quads, by whole warps. Those that a warp reads next are
  /// on their way meanwhile.
  template <class Use>
  __device__ void for_each(const Use& use) {
    for (; reads_whole(0); begin_ += stride_) {
      const WeightQuad<T> now = next_;
      if (reads_whole(1)) next_ = read_quad(weights_ + 4 * (quad() + stride_));
      use(now.weight);
    }
    for (; has_quads(); begin_ += stride_) {
      use(read_partial_quad(weights_, items_, first_item()).weight);
    }
  }

 private:
  /// Whether this warp reads the quads of this number of turns later at once.
  [[nodiscard]] __device__ bool reads_whole(std::uint64_t turns) const {
    return begin_ + turns * stride_ + 32 <= whole_;
  }

  const T* weights_;
  Index items_;
  std::uint64_t skipped_;  // words of the first quad
  std::uint64_t quads_;
  std::uint64_t whole_;  // quads that are read at once
  std::uint64_t stride_;
  std::uint64_t begin_;
  WeightQuad<T> next_;
};

}  // namespace wrsgpu::detail
