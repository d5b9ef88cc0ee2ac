// 4-byte rows, for tables whose compact rows do not fit in the cache.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "wrsgpu/detail/sampling/compressed_table_cache.cuh"
#include "wrsgpu/detail/sampling/packed_row.hpp"
#include "wrsgpu/detail/table/device_table.cuh"

namespace wrsgpu {

/// Device view. The full rows are those of the table.
struct PackedRowsView {
  const Index* packed;
  const CompactRow* rows;
  Index size;

  static constexpr const char* owner = "PackedRows";
  /// 4 bytes per row.
  [[nodiscard]] static std::size_t bytes(Index size) { return std::size_t{size} * sizeof(Index); }
  /// Launches the packing of the compact rows of `table` into `memory` on `stream`. The result is
  /// valid until the rows of the table change.
  ///
  /// @param memory in device memory, aligned to 4 bytes
  [[nodiscard]] static PackedRowsView pack(const DeviceTable& table, std::byte* memory,
                                           cudaStream_t stream);
};

using PackedRows = CompressedTableCache<PackedRowsView>;

}  // namespace wrsgpu
