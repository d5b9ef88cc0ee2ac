// The registry entries of the GPU methods that are not alias tables.
#pragma once

#include <vector>

#include "registry/methods.hpp"

namespace wrsgpu {

[[nodiscard]] std::vector<BuildMethod> gpu_structures();

}  // namespace wrsgpu
