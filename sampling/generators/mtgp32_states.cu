#include "sampling/generators/mtgp32_states.cuh"

#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

#include <string>

#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::random {

Mtgp32States::Mtgp32States(unsigned blocks, RandomState state) {
  check_shape(blocks, 0);
  parameters_ = DeviceBuffer<mtgp32_kernel_params_t>(1);
  states_ = DeviceBuffer<curandStateMtgp32_t>(blocks);
  const std::uint64_t seed = philox_word(state.seed, state.offset, calls_subsequence);
  if (curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters_.data()) !=
          CURAND_STATUS_SUCCESS ||
      curandMakeMTGP32KernelState(states_.data(), mtgp32dc_params_fast_11213, parameters_.data(),
                                  static_cast<int>(blocks), seed) != CURAND_STATUS_SUCCESS) {
    throw Error("cuRAND could not make " + std::to_string(blocks) + " states of MTGP32");
  }
}

void Mtgp32States::check_shape(unsigned blocks, unsigned block_threads) {
  if (blocks > max_blocks) {
    throw Error("argument 'blocks' is " + std::to_string(blocks) + "; MTGP32 has " +
                std::to_string(max_blocks) + " generators");
  }
  if (block_threads > max_threads) {
    throw Error("argument 'block_threads' is " + std::to_string(block_threads) +
                "; of MTGP32 at most " + std::to_string(max_threads) + " threads share a state");
  }
}

}  // namespace wrsgpu::random
