// Elements of the lists of light and heavy items (thesis 4.3).
#pragma once

#include <cstdint>
#include <type_traits>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::pack {

/// The items of each kind in index order, unless the pack method requires another `Order`. An
/// `Element` gives an item and its mass: `item_of(element)` and `mass_of(element, masses)`.
template <class Element>
struct Lists {
  const Element* light;
  const Element* heavy;
  Index lights;
  Index heavies;
};

/// An element that is only an index: its mass is looked up in the caller's weights.
[[nodiscard]] WRSGPU_HD inline Index item_of(Index element) { return element; }
template <class Masses>
[[nodiscard]] WRSGPU_HD typename Masses::Mass mass_of(Index element, const Masses& masses) {
  return masses[element];
}

/// An element that includes its mass (thesis 3.2.3). The mass may be less than the weight of the
/// item: PSA+ exports heavy items of which some mass is already used.
template <class Mass>
struct ItemMass {
  /// As wide as the mass, so that the element has no uninitialised padding.
  std::conditional_t<sizeof(Mass) == 8, std::uint64_t, Index> item;
  Mass mass;
};
static_assert(std::has_unique_object_representations_v<ItemMass<std::uint64_t>>, "no padding");
template <class Mass>
[[nodiscard]] WRSGPU_HD Index item_of(const ItemMass<Mass>& element) {
  return static_cast<Index>(element.item);
}
template <class Mass, class Masses>
[[nodiscard]] WRSGPU_HD Mass mass_of(const ItemMass<Mass>& element, const Masses& /*masses*/) {
  return element.mass;
}

}  // namespace wrsgpu::pack
