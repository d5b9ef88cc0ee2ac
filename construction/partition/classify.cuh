// Classification of items as light or heavy.
#pragma once

#include "construction/pack/element.hpp"
#include "wrsgpu/detail/masses/device_weights.cuh"

namespace wrsgpu::partition {

/// The element of item `item` of this mass.
template <class Element, class Mass>
[[nodiscard]] WRSGPU_HD Element make_element(Index item, Mass mass) {
  if constexpr (std::is_same_v<Element, Index>) {
    return item;
  } else {
    return {item, mass};
  }
}

template <class Source, class Element>
struct ToElement {
  Source source;
  __device__ Element operator()(Index item) const {
    return make_element<Element>(item, source.get()[item]);
  }
};
template <class Source>
struct IsLight {
  Source source;
  template <class Element>
  __device__ bool operator()(const Element& element) const {
    const auto masses = source.get();
    return pack::mass_of(element, masses) <= masses.bucket;
  }
};
template <class Source>
struct IsHeavy {
  Source source;
  template <class Element>
  __device__ bool operator()(const Element& element) const {
    return !IsLight<Source>{source}(element);
  }
};

}  // namespace wrsgpu::partition
