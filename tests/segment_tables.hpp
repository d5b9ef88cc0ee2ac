// Tables of segments in tests: what their rows give to each item, and the segments they are built
// of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "verification/weight_families.hpp"
#include "wrsgpu/detail/segments/segment_builder.hpp"
#include "wrsgpu/detail/segments/segment_masses.hpp"
#include "wrsgpu/segmented_sampler.hpp"

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

/// Exact reconstruction: what is wrong with the rows of a segment that begins with item `first` and
/// has these masses, or "".
inline std::string fault_of_rows(std::span<const CompactRow> rows, std::uint64_t first,
                                 std::span<const std::uint64_t> masses) {
  std::vector<std::uint64_t> given(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CompactRow row = rows[i];
    const std::uint64_t alias = row.alias - first;
    if (row.alias < first || alias >= rows.size()) {
      return "the alias of item " + std::to_string(i) + " is not in its segment";
    }
    given[i] += row.threshold;
    given[alias] += fixed_bucket - row.threshold;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (given[i] == masses[i]) continue;
    return "item " + std::to_string(i) + " has " + std::to_string(given[i]) + " instead of " +
           std::to_string(masses[i]);
  }
  return "";
}

/// What is wrong with the masses of weights of which some are positive, or "".
template <class T>
std::string fault_of_masses(std::span<const T> weights, std::span<const std::uint64_t> masses) {
  long double total = 0;
  for (const T weight : weights) total += static_cast<long double>(weight);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += masses[i];
    if (weights[i] == 0 && masses[i] != 0) return "item " + std::to_string(i) + " has no weight";
    const long double exact = static_cast<long double>(weights[i]) / total *
                              static_cast<long double>(weights.size()) * 0x1p32L;
    const auto mass = static_cast<long double>(masses[i]);
    if (std::abs(mass - exact) < segment_mass_bound(static_cast<double>(exact), weights.size())) {
      continue;
    }
    return "item " + std::to_string(i) + " has mass " + std::to_string(masses[i]) + ", not " +
           std::to_string(exact);
  }
  if (sum == std::uint64_t{weights.size()} << 32) return "";
  return "the masses add up to " + std::to_string(sum);
}

/// What is wrong with the rows of any of the segments, all of which have weight, or "".
template <class T>
std::string fault_of_segments(const Segmented<T>& segments, std::span<const CompactRow> rows) {
  for (std::uint64_t s = 0; s < segments.count(); ++s) {
    const std::span<const T> weights = segments.segment(s);
    std::vector<std::uint64_t> masses(weights.size());
    write_segment_masses(weights, masses);
    std::string fault = fault_of_masses(weights, masses);
    if (fault.empty()) {
      fault = fault_of_rows(rows.subspan(segments.offsets[s], weights.size()), segments.offsets[s],
                            masses);
    }
    if (!fault.empty()) {
      return "segment " + std::to_string(s) + " of " + std::to_string(weights.size()) +
             " items: " + fault;
    }
  }
  return "";
}

}  // namespace wrsgpu::segments
