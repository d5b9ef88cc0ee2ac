// The state of the sweeping construction between two rows (thesis 2.4.4).
#pragma once

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::split {

/// State of the sweep after `light + heavy` rows. Light items (mass <= bucket) and heavy items
/// (mass > bucket) are numbered in index order, unless the pack method requires another
/// (`pack::Order`), each kind from 0. Two neighbouring states bound a section: it owns, that is, it
/// alone writes, the rows of the light items [begin.light, end.light) and of the heavy items
/// [begin.heavy, end.heavy); `end.heavy` is the section's donor too, but its row belongs to a later
/// section.
template <class Mass>
struct State {
  /// Number of light items whose rows are written.
  Index light;
  /// Number of heavy items whose rows are written; also the index of the open heavy item.
  Index heavy;
  /// Remaining mass of the open heavy item; 0 if none is left.
  Mass spill;

  /// Number of rows written.
  [[nodiscard]] WRSGPU_HD Index items() const { return light + heavy; }
};

/// True if `begin` and `end` bound a section: neither number decreases.
template <class Mass>
[[nodiscard]] WRSGPU_HD bool in_order(const State<Mass>& begin, const State<Mass>& end) {
  return begin.light <= end.light && begin.heavy <= end.heavy;
}

}  // namespace wrsgpu::split
