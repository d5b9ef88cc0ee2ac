// Exports of deficits, for weights most of which are heavy: the rules common to host and device
// (docs/merge_construction.md, "Exports of deficits").
#pragma once

#include "wrsgpu/types.hpp"

namespace wrsgpu::deficit_exports {

/// Maximum number of items that a tile that lacks mass may export.
inline constexpr Index max_exported = 256;
/// Maximum number of exported items in which a tile with an excess may have a part.
inline constexpr Index max_received = 192;
/// Maximum excess of a tile, in buckets.
inline constexpr Index max_buckets = 2048;

}  // namespace wrsgpu::deficit_exports
