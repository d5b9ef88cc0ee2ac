// The weights that the experiments run on.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace wrsgpu::experiments {

/// The seed of all weights.
inline constexpr std::uint64_t weights_seed = 1;

/// `n` double weights of the distribution `name`; valid until other ones are asked for.
[[nodiscard]] std::span<const double> workload(const std::string& name, std::uint64_t n);

}  // namespace wrsgpu::experiments
