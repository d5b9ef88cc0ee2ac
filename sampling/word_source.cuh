// Dispatch from run-time options to the sources of random words of the thesis's samplers, and
// checks of the options.
#pragma once

#include <string>

#include "sampling/gpu_words.cuh"
#include "wrsgpu/detail/sampling/gpu_launch.cuh"

namespace wrsgpu {

/// Calls `launch(words)` with the source of random words that `options` select, except MTGP32,
/// whose state is computed on the host.
template <class Launch>
void with_words(const GpuSamplerOptions& options, RandomState state, const Launch& launch) {
  switch (options.generator) {
    case GpuGenerator::philox: launch(PhiloxWords{state}); return;
    case GpuGenerator::xorwow: launch(ThreadWords<XorwowStream>{state, options.seeding}); return;
    case GpuGenerator::mrg32k3a:
      launch(ThreadWords<Mrg32k3aStream>{state, options.seeding});
      return;
    case GpuGenerator::mtgp32:
    case GpuGenerator::philox7: break;  // rejected by the samplers' checks of their options
  }
  throw Error("generator " + std::string(to_string(options.generator)) +
              " is not supported by this sampler");
}

/// For samplers whose blocks process several sections.
inline void check_states_of_threads(const GpuSamplerOptions& options) {
  if (options.generator == GpuGenerator::mtgp32) {
    throw Error(
        "generator mtgp32 has one state for each block, which sections cannot share; use it "
        "with sampler baseline");
  }
}

/// All checks for the samplers of the thesis.
inline void check_options(const GpuSamplerOptions& options) {
  check_block_threads(options);
  check_seeding(options);
  if (options.generator == GpuGenerator::philox7) {
    throw Error(
        "generator philox7 is for the samplers that draw words in halves, such as direct and "
        "sectioned");
  }
}

}  // namespace wrsgpu
