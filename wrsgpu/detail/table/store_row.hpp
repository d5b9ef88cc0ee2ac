// How constructions store a row.
#pragma once

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::pack {

/// Stores the row of `item`, which keeps `own` of its bucket and leaves the rest to `alias`. A full
/// row has its own item as alias, as compact rows require.
template <class Mass, class Rows>
WRSGPU_HD void store_row(const Rows& rows, Mass bucket, Index item, Mass own, Index alias) {
  rows.store(item, own, own == bucket ? item : alias);
}

}  // namespace wrsgpu::pack
