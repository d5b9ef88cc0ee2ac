// Advances a random state in stream order, after the work that reads it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/random_state.hpp"

namespace wrsgpu::random {

/// A template, so that several files can have it.
template <class State>
__global__ void add_to_offset(State* state, std::uint64_t words) {
  grid_dependency_sync();
  state->offset += words;
}

/// Adds to the offset of a state in device memory.
inline void advance_state(RandomState* state, std::uint64_t words, cudaStream_t stream) {
  launch_programmatic(add_to_offset<RandomState>, {1, 1}, stream, state, words);
  check_launch("advance_state");
}

}  // namespace wrsgpu::random
