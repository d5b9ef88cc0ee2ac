// Tables of segments in tests: what their rows give to each item, and the segments they are built
// of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "verification/segment_tables.hpp"
#include "verification/weight_families.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::segments {

/// Segments behind each other.
template <class T>
struct Segmented {
  std::vector<std::uint64_t> offsets{0};
  std::vector<T> weights;

  template <class R>
  void add(const R& segment) {
    for (const auto weight : segment) weights.push_back(static_cast<T>(weight));
    offsets.push_back(weights.size());
  }
  [[nodiscard]] std::uint64_t count() const { return offsets.size() - 1; }
  [[nodiscard]] std::span<const T> segment(std::uint64_t s) const {
    return std::span(weights).subspan(offsets[s], offsets[s + 1] - offsets[s]);
  }
};

/// Segments of all lengths at which the code does something else, of all weight families: short
/// ones among long ones, so that they begin anywhere in a block, and ties.
template <class T>
Segmented<T> adversarial_segments(std::span<const Index> lengths) {
  Segmented<T> all;
  std::uint64_t turn = 0;
  for (const auto& family : verification::weight_families()) {
    if (sizeof(T) == 4 && !family.fits_float) continue;
    for (const Index length : lengths) {
      all.add(family.make(length));
      all.add(family.make(1 + static_cast<Index>(turn++ % 37)));
    }
  }
  return all;
}

/// What is wrong with the rows of any of the segments, or "".
template <class T>
std::string fault_of_segments(const Segmented<T>& segments, std::span<const CompactRow> rows) {
  return verification::fault_of_segments(segments.offsets, segments.weights, rows);
}

}  // namespace wrsgpu::segments
