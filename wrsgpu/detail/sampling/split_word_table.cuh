// The tables that samplers with split words support.
#pragma once

#include <string>

#include "wrsgpu/detail/table/device_table.cuh"

namespace wrsgpu {

/// The reason that samplers with split words cannot draw from `table`, or an empty string.
[[nodiscard]] inline std::string split_word_refusal(const DeviceTable& table) {
  return table.layout() == Layout::compact_rows
             ? std::string()
             : "layout " + std::string(to_string(table.layout())) +
                   " has no integer thresholds; the sampler takes compact_rows";
}

/// The rows of a supported table, read-only.
[[nodiscard]] inline const CompactRow* compact_rows(const DeviceTable& table) {
  return table.compact_rows().data();
}

}  // namespace wrsgpu
