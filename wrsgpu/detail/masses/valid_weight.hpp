// Which weights are valid.
#pragma once

#include <limits>

#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu {

/// Whether a weight is neither negative nor infinite nor NaN.
template <class T>
[[nodiscard]] WRSGPU_HD bool is_valid_weight(T weight) {
  return weight >= 0 && weight <= std::numeric_limits<T>::max();
}

}  // namespace wrsgpu
