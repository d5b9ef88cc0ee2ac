// 10^11 samples of a table, each examined.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Whether any sample is no item, or one without weight.
inline __global__ void find_misdrawn(const Index* samples, std::uint64_t count,
                                     const float* weights, Index items, int* any) {
  bool misdrawn = false;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < count;
       k += stride) {
    misdrawn = misdrawn || samples[k] >= items || weights[samples[k]] == 0;
  }
  if (misdrawn) *any = 1;
}

/// Of which a third are zero.
inline std::vector<float> weights_with_zeros(Index items) {
  std::vector<float> weights(items);
  for (Index i = 0; i < items; ++i) {
    const std::uint64_t word = random::philox_word(35, i);
    weights[i] = word % 3 == 0 ? 0 : static_cast<float>(1 + (word >> 32));
  }
  return weights;
}

/// Expects that 10^11 samples, which `draw(out, state)` draws of a table of `weights` as a program
/// does, billions, one after the other, are items that have weight.
template <class Draw>
void expect_items_with_weight(std::vector<float> weights, const Draw& draw) {
  constexpr std::uint64_t piece = 1'000'000'000;
  constexpr std::uint64_t pieces = 100;
  DeviceBuffer<Index> out(piece);
  DeviceBuffer<int> any(1);
  DeviceBuffer<float> on_gpu(weights.size());
  copy_to_device(std::span<const float>(weights), on_gpu.data());
  const auto is_misdrawn = [&] {
    WRSGPU_CUDA_CHECK(cudaMemset(any.data(), 0, any.bytes()));
    find_misdrawn<<<1024, 1024>>>(out.data(), piece, on_gpu.data(),
                                  static_cast<Index>(weights.size()), any.data());
    check_launch("find_misdrawn");
    int found = 0;
    copy_to_host(std::as_const(any).data(), std::span(&found, 1));
    return found != 0;
  };
  for (std::uint64_t i = 0; i < pieces; ++i) {
    // Anything that is not overwritten is out of range.
    WRSGPU_CUDA_CHECK(cudaMemsetAsync(out.data(), 0xFF, out.bytes()));
    draw(out.span(), RandomState{36, i * piece});
    ASSERT_FALSE(is_misdrawn());
  }
  // The check itself: one item that is drawn has no weight any more.
  *std::max_element(weights.begin(), weights.end()) = 0;
  copy_to_device(std::span<const float>(weights), on_gpu.data());
  EXPECT_TRUE(is_misdrawn()) << "the heaviest item is never drawn";
}

}  // namespace wrsgpu
