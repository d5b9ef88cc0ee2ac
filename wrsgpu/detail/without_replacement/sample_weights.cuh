// The first kernel of `GpuChooser`: estimates the threshold from some of the weights.
#pragma once

#include <cub/util_type.cuh>
#include <limits>

#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/random/random_source.cuh"
#include "wrsgpu/detail/without_replacement/choose_state.cuh"

namespace wrsgpu::detail {

/// Shared memory of `find_threshold`. The kernel has it: that of a function that is not inlined
/// would count for kernels that never call it.
struct ThresholdStorage {
  OctaveOfClocks filled[WeightOctaves::count];
  unsigned count;
  unsigned first_enough;
};

/// Finds the first threshold before which `wanted` clocks are expected to ring, by a search in
/// which eight lanes each try one.
__device__ inline void find_threshold(const ChoicePlan& plan, ThresholdStorage& storage,
                                      ChooseState* state) {
  constexpr unsigned lanes = 8;
  constexpr unsigned tries = choose_threads / lanes;
  constexpr unsigned rounds = (WeightOctaves::count + choose_threads - 1) / choose_threads;
  auto& [filled, count, first_enough] = storage;
  unsigned long long values[rounds];
#pragma unroll
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned octave = round * choose_threads + threadIdx.x;
    values[round] = octave < WeightOctaves::count ? __ldcg(state->octaves + octave) : 0;
  }
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
#pragma unroll
  for (unsigned round = 0; round < rounds; ++round) {
    const auto octave = static_cast<int>(round * choose_threads + threadIdx.x);
    if (values[round] > 0) filled[atomicAdd(&count, 1U)] = OctaveOfClocks(octave, values[round]);
  }
  const unsigned own = threadIdx.x / lanes;
  ClockKey low = WeightOctaves::first_threshold;
  ClockKey high = WeightOctaves::last_threshold + 1;  // if none is enough
  while (low < high) {
    const ClockKey step = (high - low + tries - 1) / tries;
    const ClockKey mine = low + (own + 1) * step - 1;
    if (threadIdx.x == 0) first_enough = tries;
    __syncthreads();
    float ringing = 0;
    for (unsigned j = threadIdx.x % lanes; j < count; j += lanes) {
      ringing += filled[j].ringing(mine << WeightOctaves::threshold_shift);
    }
#pragma unroll
    for (unsigned distance = lanes / 2; distance > 0; distance /= 2) {
      ringing += __shfl_xor_sync(~0U, ringing, distance);
    }
    const bool is_enough = mine >= high || ringing * plan.stride >= plan.wanted;
    if (is_enough && threadIdx.x % lanes == 0) atomicMin(&first_enough, own);
    __syncthreads();
    const ClockKey found = low + (first_enough + 1) * step - 1;
    low += first_enough * step;
    high = found < high ? found : high;
    __syncthreads();  // before the next round writes first_enough
  }
  if (threadIdx.x == 0) {
    state->outcome.threshold_complement =
        high > WeightOctaves::last_threshold ? 0 : ~(high << WeightOctaves::threshold_shift);
  }
}

/// Adds the weights of the estimate to the octaves, one a thread; the last block finds the
/// threshold.
template <class T>
__global__ void __launch_bounds__(choose_threads)
    sample_weights(const T* weights, Index items, const ChoicePlan plan,
                   const random::RandomSource source, ChooseState* state) {
  // Of a block's weights, 32 bits hold the numbers and the leading bits of the sums.
  constexpr int kept_bits = 12;
  constexpr unsigned one = 1U << 20;
  static_assert(choose_threads << kept_bits <= one);
  __shared__ unsigned octaves[WeightOctaves::count];
  __shared__ bool is_last;
  __shared__ cub::Uninitialized<ThresholdStorage> threshold;
  trigger_launch_completion();
  const Index j = blockIdx.x * choose_threads + threadIdx.x;
  T weight = 0;
  if (j < plan.sampled) {
    weight = weights[sampled_item(plan, items, source.get().seed, j)];
  }
  for (unsigned octave = threadIdx.x; octave < WeightOctaves::count; octave += choose_threads) {
    octaves[octave] = 0;
  }
  __syncthreads();
  if (weight > 0 && weight <= std::numeric_limits<T>::max()) {
    const WeightOctaves::Entry entry = WeightOctaves::entry(static_cast<double>(weight));
    const std::uint64_t fraction = entry.value % WeightOctaves::one;
    atomicAdd(octaves + entry.octave,
              one + static_cast<unsigned>(fraction >> (WeightOctaves::fraction_bits - kept_bits)));
  }
  __syncthreads();
  for (unsigned octave = threadIdx.x; octave < WeightOctaves::count; octave += choose_threads) {
    const unsigned sum = octaves[octave];
    if (sum == 0) continue;
    const std::uint64_t fractions = sum % one << (WeightOctaves::fraction_bits - kept_bits);
    atomicAdd(state->octaves + octave,
              static_cast<unsigned long long>(sum / one * WeightOctaves::one + fractions));
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&state->outcome.arrived, 1U) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  find_threshold(plan, threshold.Alias(), state);
}

}  // namespace wrsgpu::detail
