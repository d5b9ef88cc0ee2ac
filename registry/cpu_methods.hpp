// The CPU methods that the registry lists.
#pragma once

#include <vector>

#include "registry/methods.hpp"

namespace wrsgpu {

/// One entry per method, in the order of the thesis.
[[nodiscard]] std::vector<BuildMethod> cpu_methods();

}  // namespace wrsgpu
