// Weighted sampling without replacement on the host; gpu_choose.cuh is the GPU counterpart, and
// without_replacement.hpp draws uniformly.
#pragma once

#include <span>

#include "wrsgpu/any_weights.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Options of `choose` and `GpuChooser`.
struct ChooseOptions {
  /// If fewer items than requested have a positive weight: returns them all, where it is an `Error`
  /// otherwise.
  bool allow_fewer = false;
  /// Number of host threads, 0 for all hardware threads; ignored on a GPU. The result does not
  /// depend on it.
  unsigned threads = 0;
};

/// Chooses out.size() different items, as `torch.multinomial(replacement=False)` does: the first is
/// item i with probability w_i / W, the next one item j with probability w_j / (W - w_i), and so
/// on, in the order in which they are drawn. Items of weight 0 are never chosen.
///
/// Word `offset` + i of the stream `seed` decides about item i, so a shorter draw is the beginning
/// of a longer one, on the CPU and on every GPU, and a draw uses weights.size() words: add that
/// number to the offset to choose anew. Probabilities are those of the weights as given, up to
/// roundings of a relative 2^-49, for weights from 10^-323 to 10^308, whose sum may overflow.
///
/// @param weights one per item, in host memory: 1 to 2^32 - 2 weights, not necessarily normalised
/// @param out the items chosen, in host memory: at least one, at most as many as there are weights
/// @param state seed, and offset into the stream of random words: one word per weight
/// @param options see `ChooseOptions`
/// @returns the number of items chosen: out.size(), or fewer if that is allowed
/// @throws Error before anything is written, for invalid weights (none or too many, a negative,
/// infinite or NaN weight, only zeros), for an `out` of other sizes, and if fewer items than
/// out.size() have a positive weight, unless that is allowed
/// @throws OutOfMemory
/// @note Reads the weights once, in O(N + k log k) time; some 36 bytes of memory per chosen item.
Index choose(const AnyWeights& weights, std::span<Index> out, RandomState state,
             const ChooseOptions& options = {});

namespace detail {
/// Throws the `Error` of `choose` for an `out` of `chosen` items of `items`.
void require_choice(std::uint64_t items, std::uint64_t chosen);

/// Throws the `Error` for too few items of positive weight.
[[noreturn]] void throw_too_few_positive(std::uint64_t positive, std::uint64_t chosen);
}  // namespace detail

}  // namespace wrsgpu
