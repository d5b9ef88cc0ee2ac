// The methods on the GPU that are no alias tables, as the registry lists them.
#pragma once

#include <vector>

#include "registry/methods.hpp"

namespace wrsgpu {

[[nodiscard]] std::vector<BuildMethod> gpu_structures();

}  // namespace wrsgpu
