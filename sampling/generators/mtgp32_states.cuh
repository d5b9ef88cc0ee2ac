// States of cuRAND's MTGP32, the Mersenne Twister for GPUs, one per block of a launch (thesis 1.1.2
// and 4.7.1).
#pragma once

#include <curand_kernel.h>

#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/random_state.hpp"

namespace wrsgpu::random {

/// The threads of a block, at most 256, draw together from the state of the block.
class Mtgp32States {
 public:
  /// Number of independent generators for which cuRAND has parameters.
  static constexpr unsigned max_blocks = 200;
  static constexpr unsigned max_threads = 256;

  /// Computes the states on the host and copies them. They are a function of 32 bits of a hash of
  /// seed and offset, because cuRAND takes no more. Throws `Error` for too many blocks.
  Mtgp32States(unsigned blocks, RandomState state);

  /// Throws `Error` for a launch shape that the generator does not support; 0 means no preference.
  static void check_shape(unsigned blocks, unsigned block_threads);

  [[nodiscard]] curandStateMtgp32_t* data() { return states_.data(); }

 private:
  DeviceBuffer<mtgp32_kernel_params_t> parameters_;
  DeviceBuffer<curandStateMtgp32_t> states_;
};

}  // namespace wrsgpu::random
