// The baseline pack: writes the rows of one section from complete lists (thesis 2.4.4, 3.2.1 and
// 4.5.1). construction/pack/packer.hpp defines how a section ends.
#pragma once

#include "construction/pack/element.hpp"
#include "construction/pack/packer.hpp"
#include "construction/split/state.hpp"
#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu::pack {

/// Writes the rows of the section from `begin` to `end`. The states must be in order
/// (`split::in_order`). `rows` and `lists` are those of the whole table.
template <Form form = Form::optimised, class Element, class Masses, class Rows>
WRSGPU_HD void pack(const Lists<Element>& lists, const Masses& masses, const Rows& rows,
                    const split::State<typename Masses::Mass>& begin,
                    const split::State<typename Masses::Mass>& end) {
  const ListReader<Element, Masses> reader{lists, masses};
  Packer<typename Masses::Mass>(reader, lists.heavies, masses.bucket, begin, end)
      .template pack<form>(reader, rows);
}

}  // namespace wrsgpu::pack
