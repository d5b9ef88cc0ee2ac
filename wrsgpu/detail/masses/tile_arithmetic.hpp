// The per-weight arithmetic of wrsgpu/detail/masses/mass_tiles.hpp, eight weights at a time where
// the processor supports it.
#pragma once

#include <cstddef>
#include <span>

#include "wrsgpu/detail/core/host_code.hpp"
#include "wrsgpu/detail/masses/mass_tiles.hpp"

namespace wrsgpu {

template <class T>
[[nodiscard]] T largest_of(std::span<const T> weights);

/// Step 1: the sum of the v_i, floor(w_i * 2^shift), over at most `mass_tile_items` weights.
template <class T>
[[nodiscard]] WideSum integer_sum(std::span<const T> weights, int shift,
                                  HostCode code = HostCode::best);

/// Step 1 for a tile whose largest weight is `largest`.
template <class T>
[[nodiscard]] TileSum sum_tile(std::span<const T> weights, T largest) {
  if (largest == 0) return {0, 0};
  const int shift = largest_shift(static_cast<double>(largest));
  return normalised(integer_sum(weights, shift), shift);
}

/// Properties of the f_i of step 4.
struct RoundedMasses {
  std::uint64_t sum;
  bool all_have_mass;  ///< none is 0
};

/// Step 4: writes the f_i.
template <class T>
RoundedMasses round_masses(std::span<const T> weights, const MassTile& tile, std::uint64_t* masses,
                           HostCode code = HostCode::best);

}  // namespace wrsgpu
