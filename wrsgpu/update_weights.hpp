// Changes of single weights, on the host; gpu_update_weights.cuh is the GPU counterpart.
#pragma once

#include <cstdint>
#include <span>

#include "wrsgpu/error.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Sets weights[indices[j]] = values[j] for all j. Of several values for one item the last one
/// remains. A sampler of the weights is then rebuilt from them.
///
/// @param weights one per item, in host memory
/// @param indices items, in any order
/// @param values their new weights, one per index
/// @throws Error before anything is written, if the numbers of indices and values differ, for an
/// index that is not that of an item, and for a negative, infinite or NaN value
void update_weights(std::span<float> weights, std::span<const Index> indices,
                    std::span<const float> values);
void update_weights(std::span<double> weights, std::span<const Index> indices,
                    std::span<const double> values);

namespace detail {
/// Throws `Error` unless there are as many values as indices.
void require_value_for_each(std::uint64_t indices, std::uint64_t values);

/// Throws the `Error` for update `number`, whose index or value is invalid.
[[noreturn]] void throw_bad_update(std::uint64_t number, Index index, std::uint64_t items,
                                   double value, int digits);

/// Throws again the `Error` that is being handled, of a rebuild from updated weights. If it is
/// about all of them (only zeros, or too large a sum), the message names the values of the update.
[[noreturn]] void rethrow_of_update(const Error& error);
}  // namespace detail

}  // namespace wrsgpu
