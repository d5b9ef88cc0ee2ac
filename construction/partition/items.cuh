// Light and heavy items on the device.
#pragma once

#include "construction/pack/element.hpp"
#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/types.hpp"

namespace wrsgpu::partition {

/// Output of a partition (device memory). Each list has room for every item; its length is known
/// only on the device, so that no synchronisation with the host is needed. The lists of PSA+ do not
/// contain all items.
template <class Element>
struct Items {
  Element* light;
  Element* heavy;
  Index* counts;  ///< number of light items, number of heavy items

  [[nodiscard]] static Items take(DeviceArena& arena, Index size, Index* counts) {
    return {arena.take<Element>(size), arena.take<Element>(size), counts};
  }
  /// For device code.
  [[nodiscard]] WRSGPU_HD pack::Lists<Element> lists() const {
    return {light, heavy, counts[0], counts[1]};
  }
};

}  // namespace wrsgpu::partition
