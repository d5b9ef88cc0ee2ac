// Exact verification of any method's structure.
#pragma once

#include "construction/sampling_algorithm.hpp"
#include "verification/reconstruction.hpp"

namespace wrsgpu::verification {

/// Verifies a built structure: an alias table by its rows, any other by its `probabilities()`.
/// `weights` are in host memory.
[[nodiscard]] TableReport verify(const SamplingAlgorithm& built, WeightsView weights,
                                 const VerifyOptions& options = {});

}  // namespace wrsgpu::verification
