// Many consecutive places of a permutation at once, in vector registers.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/core/types.hpp"
#include "wrsgpu/shuffle/lazy_permutation.hpp"
#include "wrsgpu/shuffle/variable_philox.hpp"

namespace wrsgpu::shuffle {

/// Which code computes places: the best that the processor has, or that of all processors, so that
/// tests see both.
enum class BlockCode { best, portable };

/// out[k] = bijection(first + k); first + out.size() <= bijection.size(). One thread.
void images(const VariablePhilox<>& bijection, std::uint64_t first, std::span<std::uint64_t> out,
            BlockCode code = BlockCode::best);

/// out[k] = permutation(first + k); first + out.size() <= permutation.size(). One thread. For
/// 32-bit places the permutation's size is at most 2^32.
void places(const LazyPermutation& permutation, std::uint64_t first, std::span<std::uint64_t> out,
            BlockCode code = BlockCode::best);
void places(const LazyPermutation& permutation, std::uint64_t first, std::span<Index> out,
            BlockCode code = BlockCode::best);

}  // namespace wrsgpu::shuffle
