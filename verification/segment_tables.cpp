#include "verification/segment_tables.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/segments/segment_builder.hpp"
#include "wrsgpu/detail/segments/segment_masses.hpp"

namespace wrsgpu::verification {
namespace {

std::string fault_of_segment(const WeightsView& weights, std::uint64_t first,
                             std::span<const CompactRow> rows) {
  const bool has_weight = weights.visit([](auto w) {
    return std::any_of(w.begin(), w.end(), [](auto weight) { return weight > 0; });
  });
  if (!has_weight) {
    const bool is_right = std::all_of(rows.begin(), rows.end(), [](const CompactRow& row) {
      return row.threshold == 0 && row.alias == no_item;
    });
    return is_right ? "" : "a row of a segment without weight has an item";
  }
  std::vector<std::uint64_t> masses(rows.size());
  segments::write_segment_masses(weights, masses);
  const std::string fault = fault_of_masses(weights, masses);
  return fault.empty() ? fault_of_rows(rows, first, masses) : fault;
}

}  // namespace

std::string fault_of_masses(const WeightsView& weights, std::span<const std::uint64_t> masses) {
  return weights.visit([&](auto w) -> std::string {
    long double total = 0;
    for (const auto weight : w) total += static_cast<long double>(weight);
    const long double unit = static_cast<long double>(w.size()) * 0x1p32L / total;
    const auto item = [](std::size_t i) { return "item " + std::to_string(i); };
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      sum += masses[i];
      if (w[i] == 0 && masses[i] != 0) return item(i) + " has no weight";
      const long double exact = static_cast<long double>(w[i]) * unit;
      const long double bound = segments::segment_mass_bound(static_cast<double>(exact), w.size());
      if (std::abs(static_cast<long double>(masses[i]) - exact) >= bound) {
        return item(i) + " has mass " + std::to_string(masses[i]) + ", not " +
               std::to_string(exact);
      }
    }
    if (sum == std::uint64_t{w.size()} << 32) return "";
    return "the masses add up to " + std::to_string(sum);
  });
}

std::string fault_of_rows(std::span<const CompactRow> rows, std::uint64_t first,
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

std::string fault_of_segments(std::span<const std::uint64_t> offsets, const WeightsView& weights,
                              std::span<const CompactRow> rows) {
  const std::uint64_t count = offsets.size() - 1;
  const std::uint64_t tasks = count / 1024 + 1;
  std::mutex mutex;
  std::string found;
  parallel_for(tasks, 0, [&](std::uint64_t task) {
    const Range range = slice(count, task, tasks);
    for (std::uint64_t s = range.begin; s < range.end; ++s) {
      const std::uint64_t items = offsets[s + 1] - offsets[s];
      const std::string fault = weights.visit([&](auto w) {
        return fault_of_segment(w.subspan(offsets[s], items), offsets[s],
                                rows.subspan(offsets[s], items));
      });
      if (fault.empty()) continue;
      const std::lock_guard lock(mutex);
      found = "segment " + std::to_string(s) + " of " + std::to_string(items) + " items: " + fault;
      return;
    }
  });
  return found;
}

}  // namespace wrsgpu::verification
