// The GPU methods that the registry lists.
#pragma once

#include <vector>

#include "wrsgpu/construction/registry.hpp"

namespace wrsgpu {

/// One entry per split x pack combination, in the order of the thesis.
[[nodiscard]] std::vector<Method> gpu_methods();

}  // namespace wrsgpu
