// Generation of named weight distributions in host memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/weights/weight_function.hpp"

namespace wrsgpu::weights {

/// Writes the `n` weights of the distribution `name` (`distributions()` lists them) to `out`, on up
/// to `threads` threads (0: all). T is float or double; a float weight is the double one, rounded.
/// The weights depend on (name, n, seed) alone, not on the number of threads or the processor.
/// Throws `Error` for an unknown name, n = 0, n > max_items and out.size() != n.
template <class T>
void generate(std::string_view name, std::uint64_t n, std::uint64_t seed, std::span<T> out,
              unsigned threads = 0);

/// The same in new memory.
template <class T>
[[nodiscard]] HostBuffer<T> generate(std::string_view name, std::uint64_t n, std::uint64_t seed,
                                     unsigned threads = 0);

}  // namespace wrsgpu::weights
