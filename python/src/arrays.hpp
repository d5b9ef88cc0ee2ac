// Arrays of Python, as addresses: the package checks type, size and layout before it calls.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "wrsgpu/any_weights.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/types.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu::python {

/// The address of the first element.
using Address = std::uintptr_t;

/// The `size` elements at an address, which is that of an array of numbers of as many bytes as `T`;
/// signed integers are written as unsigned ones.
template <class T>
[[nodiscard]] std::span<T> elements(Address address, std::uint64_t size) {
  return {reinterpret_cast<T*>(address), static_cast<std::size_t>(size)};
}

/// Calls `use` with the elements of an array of unsigned numbers of 4 or 8 bytes.
template <class Use>
void with_numbers(Address address, std::uint64_t size, int bytes, const Use& use) {
  if (bytes == 8) {
    use(elements<std::uint64_t>(address, size));
  } else {
    use(elements<std::uint32_t>(address, size));
  }
}

/// Calls `write(items)`, which writes item numbers and returns how many, for an array of numbers of
/// 4 or 8 bytes in host memory. Returns the same.
template <class Write>
std::uint64_t write_host_items(Address out, std::uint64_t size, int bytes, const Write& write) {
  if (bytes == 4) return write(elements<Index>(out, size));
  std::vector<Index> items(size);
  const std::uint64_t found = write(std::span(items));
  std::copy_n(items.begin(), found, elements<std::uint64_t>(out, size).begin());
  return found;
}

/// Calls `use` with the elements of an array of floats; `type` is a name that NumPy gives its
/// types.
template <class Use>
void with_floats(Address address, std::uint64_t size, const std::string& type, const Use& use) {
  if (type == "float32") {
    use(elements<const float>(address, size));
  } else {
    use(elements<const double>(address, size));
  }
}

/// Calls `use` with weights in host memory; `type` is a name that NumPy gives its types.
template <class Use>
void with_host_weights(Address address, std::uint64_t size, const std::string& type,
                       const Use& use) {
  if (type == "float32") {
    use(AnyWeights(elements<const float>(address, size)));
  } else if (type == "float64") {
    use(AnyWeights(elements<const double>(address, size)));
  } else if (type == "int64") {
    use(AnyWeights(elements<const std::int64_t>(address, size)));
  } else if (type == "uint64") {
    use(AnyWeights(elements<const std::uint64_t>(address, size)));
  } else {
    throw std::invalid_argument("weights of type " + type);
  }
}

}  // namespace wrsgpu::python
