// The exact check of whatever a method has built.
#pragma once

#include "construction/sampling_algorithm.hpp"
#include "verification/reconstruction.hpp"

namespace wrsgpu::verification {

/// Verifies whatever has been built: an alias table by its rows, anything else by its
/// `probabilities()`. `weights` lie in host memory.
[[nodiscard]] TableReport verify(const SamplingAlgorithm& built, WeightsView weights,
                                 const VerifyOptions& options = {});

}  // namespace wrsgpu::verification
