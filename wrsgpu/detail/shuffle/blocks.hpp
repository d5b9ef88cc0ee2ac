// Evaluates many consecutive places of a permutation in vector registers.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/detail/core/host_code.hpp"
#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"
#include "wrsgpu/detail/shuffle/variable_philox.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::shuffle {

/// out[k] = bijection(first + k); first + out.size() <= bijection.size(). Single-threaded.
void images(const VariablePhilox<>& bijection, std::uint64_t first, std::span<std::uint64_t> out,
            HostCode code = HostCode::best);

/// out[k] = permutation(first + k); first + out.size() <= permutation.size(). Single-threaded. For
/// 32-bit places the size of the permutation is at most 2^32.
void places(const LazyPermutation& permutation, std::uint64_t first, std::span<std::uint64_t> out,
            HostCode code = HostCode::best);
void places(const LazyPermutation& permutation, std::uint64_t first, std::span<Index> out,
            HostCode code = HostCode::best);

}  // namespace wrsgpu::shuffle
