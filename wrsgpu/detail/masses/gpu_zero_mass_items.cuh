// `find_zero_mass_items` for weights in device memory.
#pragma once

#include "wrsgpu/detail/masses/zero_mass_items.hpp"

namespace wrsgpu {

/// One pass over valid weights in device memory (`WeightsView::on_device`); they are copied to the
/// host only if an item of positive weight may have mass zero.
///
/// @note Synchronises.
[[nodiscard]] ZeroMassItems find_zero_mass_items_on_device(WeightsView weights,
                                                           unsigned threads = 0);

}  // namespace wrsgpu
