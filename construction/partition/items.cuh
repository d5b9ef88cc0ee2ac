// Light and heavy items on the device.
#pragma once

#include "construction/pack/element.hpp"
#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/types.hpp"

namespace wrsgpu::partition {

/// Output of a partition (device memory). Each list has room for every item; its length is known on
/// the device only, so that nothing waits for the host. PSA+ has fewer than all.
template <class Element>
struct Items {
  Element* light;
  Element* heavy;
  Index* counts;  ///< number of light items, number of heavy items

  [[nodiscard]] static Items take(DeviceArena& arena, Index size, Index* counts) {
    return {arena.take<Element>(size), arena.take<Element>(size), counts};
  }
  /// For kernels.
  [[nodiscard]] WRSGPU_HD pack::Lists<Element> lists() const {
    return {light, heavy, counts[0], counts[1]};
  }
};

}  // namespace wrsgpu::partition
