// Warp-parallel pairing (wrsgpu/detail/masses/warp_pairing.hpp) on host threads.
#pragma once

#include <span>

#include "wrsgpu/detail/core/host_code.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/warp_pairing.hpp"

namespace wrsgpu::detail {

/// Writes the rows of all `weights`, whose masses `tiles` determine, on up to `threads` threads (0:
/// all). Returns false for unsupported weights; `rows` are then undefined. `code` selects the code
/// version of the pairing; masses always use the best.
template <class T, class Rows>
[[nodiscard]] bool warp_pairing(std::span<const T> weights, const MassTiles& tiles,
                                const Rows& rows, unsigned threads, HostCode code = HostCode::best);

}  // namespace wrsgpu::detail
