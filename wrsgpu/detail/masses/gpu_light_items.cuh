// `find_light_items` for weights in device memory.
#pragma once

#include "wrsgpu/detail/masses/light_items.hpp"

namespace wrsgpu {

/// One pass over valid weights in device memory (`WeightsView::on_device`); they are copied to the
/// host only if an item may be too light.
///
/// @note Synchronises.
[[nodiscard]] LightItems find_light_items_on_device(WeightsView weights, unsigned threads = 0);

}  // namespace wrsgpu
