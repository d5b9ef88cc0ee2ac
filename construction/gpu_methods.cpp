#include "wrsgpu/construction/gpu_methods.hpp"

namespace wrsgpu {

std::vector<Method> gpu_methods() { return {}; }

}  // namespace wrsgpu
