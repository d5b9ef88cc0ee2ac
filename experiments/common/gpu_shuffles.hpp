// Shuffles on the GPU, for the experiments of the shuffling paper's section 6.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/common/experiment.hpp"

namespace wrsgpu::experiments {

/// The series shuffle/<method>/<n> over all sizes n: 64-bit keys in device memory. The result for
/// numbered keys is checked once before the method is timed: it must be a permutation, unless the
/// method is the gather. `percent_of_gather` compares with the random gather measured in the same
/// run.
[[nodiscard]] Series gpu_shuffle_series(const std::string& method);

/// 2^8 to 2^29 and each of them plus 1: the best and the worst case of a padded range.
[[nodiscard]] std::vector<std::uint64_t> shuffle_sizes();

}  // namespace wrsgpu::experiments
