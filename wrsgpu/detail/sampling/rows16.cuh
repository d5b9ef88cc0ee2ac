// 16-bit rows, for tables whose compact rows do not fit in the cache.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "wrsgpu/detail/sampling/compressed_table_cache.cuh"
#include "wrsgpu/detail/sampling/row16.hpp"
#include "wrsgpu/detail/table/device_table.cuh"

namespace wrsgpu {

/// Device view. The full rows are those of the table.
struct Rows16View {
  const std::uint16_t* packed;
  const Index* common;  ///< alias of each section
  const CompactRow* rows;
  Index size;

  static constexpr const char* owner = "ShortRows";
  [[nodiscard]] static constexpr Index sections(Index size) {
    return size / Row16::section_rows + (size % Row16::section_rows != 0 ? 1 : 0);
  }
  /// 2 bytes per row and 4 per section; the last section is padded.
  [[nodiscard]] static std::size_t bytes(Index size) {
    return std::size_t{sections(size)} *
           (Row16::section_rows * sizeof(std::uint16_t) + sizeof(Index));
  }
  /// Launches the packing of the compact rows of `table` into `memory` on `stream`. The result is
  /// valid until the rows of the table change. The common alias of a section is that of the middle
  /// one of its rows whose aliases are outside the section: light items take from heavy ones in
  /// order, so this is the alias of more than half of these rows if there is such an alias.
  ///
  /// @param memory in device memory, aligned to 8 bytes
  [[nodiscard]] static Rows16View pack(const DeviceTable& table, std::byte* memory,
                                       cudaStream_t stream);
};

using Rows16 = CompressedTableCache<Rows16View>;

}  // namespace wrsgpu
