// Resampling on the host: ancestors in ascending order, as particle filters and the bootstrap need
// them; gpu_resample.cuh is the GPU counterpart.
#pragma once

#include <span>

#include "wrsgpu/any_weights.hpp"
#include "wrsgpu/random_state.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// How M ancestors are drawn from N items. Item i is drawn e_i = M w_i / W times on average in all
/// schemes (Douc, Cappé and Moulines, "Comparison of resampling schemes for particle filtering",
/// 2005). All of them take points on a line on which each item has a segment of its weight.
enum class ResamplingScheme {
  /// One random offset for points at equal distances: floor(e_i) or ceil(e_i) times each.
  systematic,
  /// A random point in each of M segments of equal length, independently: at least floor(e_i) - 1
  /// and at most ceil(e_i) + 1 times each.
  stratified,
  /// floor(e_i) times each; the others independently, with the fractions as weights.
  residual,
  /// M independent draws, sorted: the binomial distribution for each.
  multinomial,
};

/// Draws ancestors.size() items in ascending order, without searching.
///
/// Weights are rounded to integer masses, as by `WeightedSampler`, and the line is that of the
/// masses; points are compared with its ends digit by digit, so that the law of the masses is exact
/// and so are the bounds above. An item of weight zero is never drawn. Equal arguments give equal
/// ancestors on the CPU and on every GPU.
///
/// @param weights one per item, in host memory: 1 to 2^32 - 2 weights, not necessarily normalised
/// @param ancestors the items drawn, in host memory: 1 to 2^32 - 2
/// @param scheme see `ResamplingScheme`
/// @param state seed, and offset into the stream of random words: ancestors.size() words
/// @param threads host threads, 0 for all hardware threads; the result does not depend on it
/// @throws Error before anything is written, for invalid weights, as `WeightedSampler` does, and
/// for no or too many ancestors
/// @throws OutOfMemory
/// @note Reads the weights twice, `residual` three times; 4 bytes of memory for each ancestor of
/// `residual` and `multinomial`.
void resample(const AnyWeights& weights, std::span<Index> ancestors, ResamplingScheme scheme,
              RandomState state, unsigned threads = 0);

namespace detail {
/// Throws `Error` for no or too many ancestors.
void require_ancestors(std::uint64_t ancestors);

/// Whether the points of a scheme are in random strata.
[[nodiscard]] constexpr bool has_random_strata(ResamplingScheme scheme) {
  return scheme == ResamplingScheme::residual || scheme == ResamplingScheme::multinomial;
}
}  // namespace detail

}  // namespace wrsgpu
