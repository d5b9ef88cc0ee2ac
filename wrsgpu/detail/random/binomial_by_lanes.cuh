// Exact binomial deviates at lower latency: several lanes of a warp make attempts for the same
// deviate.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/random/binomial.hpp"

namespace wrsgpu::random {

namespace detail {

/// `btrs_deviate` for all lanes of `team`, which have the same arguments. Lane r makes attempts r,
/// r + lanes, ... with separate words; the first successful attempt determines the result.
template <Generator G>
[[nodiscard]] __device__ std::uint64_t btrs_deviate_by_lanes(G generator, std::uint64_t n, double p,
                                                             unsigned team) {
  static_assert(gives_64_bits<G>);
  constexpr std::uint64_t words_of_attempt = 2;
  const auto lanes = static_cast<unsigned>(__popc(team));
  const unsigned self = 1U << threadIdx.x % 32;
  const auto attempt = static_cast<unsigned>(__popc(team & (self - 1)));
  const Btrs btrs(n, p);
  for (generator.discard(attempt * words_of_attempt);;
       generator.discard((lanes - 1) * words_of_attempt)) {
    const double u = uniform_double(generator) - 0.5;
    const double v = uniform_positive_double(generator);
    const double j = btrs.proposal(u);
    bool accepts = v <= btrs.squeeze(u);
    unsigned successes = __ballot_sync(team, accepts);
    // Only attempts before the first certain success are worth the logarithms.
    const unsigned open = team & ((successes & -successes) - 1);
    if (open != 0) {
      if ((open & self) != 0) accepts = btrs.accepts(u, v, j);
      successes = __ballot_sync(team, accepts);
    }
    if (successes != 0) {
      return btrs.outcome(__shfl_sync(team, j, __ffs(static_cast<int>(successes)) - 1));
    }
  }
}

}  // namespace detail

/// Returns the result of `binomial` for a copy of `generator` to all lanes of `team`, a mask of
/// lanes of one warp, all of which must call it with the same arguments. The lanes make attempts of
/// BTRS in parallel. `G` has 64-bit words and supports `discard`.
template <Generator G>
[[nodiscard]] __device__ std::uint64_t binomial_by_lanes(const G& generator, std::uint64_t n,
                                                         double p, unsigned team) {
  if (is_inverted(n, p)) {
    G own = generator;
    return binomial_inversion(own, n, p);
  }
  return p > 0.5 ? n - detail::btrs_deviate_by_lanes(generator, n, 1.0 - p, team)
                 : detail::btrs_deviate_by_lanes(generator, n, p, team);
}

}  // namespace wrsgpu::random
