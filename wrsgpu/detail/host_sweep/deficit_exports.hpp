// Exports of deficits (docs/merge_construction.md) on host threads.
#pragma once

#include <span>

#include "wrsgpu/detail/masses/quantise.hpp"

namespace wrsgpu::detail {

/// Writes the rows of all `weights`, whose masses `tiles` determine, on up to `threads` threads (0:
/// all). Returns false for weights that are not supported, or if no tile has an excess; `rows` are
/// then undefined.
template <class T, class Rows>
[[nodiscard]] bool export_deficits(std::span<const T> weights, const MassTiles& tiles,
                                   const Rows& rows, unsigned threads);

}  // namespace wrsgpu::detail
