// Generation of named weight distributions in host memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/weights/weight_function.hpp"

namespace wrsgpu::weights {

/// Generates the weights of a named distribution. They depend only on (name, n, seed), not on the
/// number of threads or the processor.
///
/// @tparam T float or double; a float weight is the double weight, rounded
/// @param name a named distribution; the error for an unknown name lists all
/// @param n number of items
/// @param seed used by distributions that are random
/// @param out the `n` weights, in host memory
/// @param threads host threads, 0 for all hardware threads
/// @throws Error for an unknown name, n = 0, n > max_items, or out.size() != n
template <class T>
void generate(std::string_view name, std::uint64_t n, std::uint64_t seed, std::span<T> out,
              unsigned threads = 0);

/// Generates the weights in new memory.
///
/// @throws Error for an unknown name, n = 0, or n > max_items
/// @throws OutOfMemory if the weights do not fit in memory
template <class T>
[[nodiscard]] HostBuffer<T> generate(std::string_view name, std::uint64_t n, std::uint64_t seed,
                                     unsigned threads = 0);

}  // namespace wrsgpu::weights
