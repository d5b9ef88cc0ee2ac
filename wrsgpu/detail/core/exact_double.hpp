// Integers that a double represents.
#pragma once

#include <bit>
#include <concepts>
#include <limits>
#include <type_traits>

namespace wrsgpu::detail {

/// Returns whether a double represents `number` exactly.
template <std::integral T>
[[nodiscard]] constexpr bool is_exact_double(T number) {
  if constexpr (std::numeric_limits<T>::digits <= std::numeric_limits<double>::digits) {
    return true;
  } else {
    using Unsigned = std::make_unsigned_t<T>;
    const auto bits = static_cast<Unsigned>(number);
    const auto magnitude = static_cast<Unsigned>(number < T{0} ? Unsigned{0} - bits : bits);
    return magnitude == 0 ||
           static_cast<int>(std::bit_width(magnitude)) - std::countr_zero(magnitude) <=
               std::numeric_limits<double>::digits;
  }
}

}  // namespace wrsgpu::detail
