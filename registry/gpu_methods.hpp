// The GPU methods that the registry lists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/methods.hpp"

namespace wrsgpu {

/// One entry per split x pack combination, in the order of the thesis.
[[nodiscard]] std::vector<BuildMethod> gpu_methods();

/// The reason that there is no method of this name although its parts exist, or an empty string.
[[nodiscard]] std::string gpu_refusal(std::string_view name);

/// The reasons that other combinations are not in the registry, each once.
[[nodiscard]] std::vector<std::string> gpu_refusals();

}  // namespace wrsgpu
