// 4-byte rows, for tables whose compact rows would not stay in the cache.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "wrsgpu/detail/sampling/compressed_table_cache.cuh"
#include "wrsgpu/detail/sampling/packed_row.hpp"
#include "wrsgpu/detail/table/device_table.cuh"

namespace wrsgpu {

/// The device view. The full rows are those of the table.
struct PackedRowsView {
  const Index* packed;
  const CompactRow* rows;
  Index size;

  static constexpr const char* owner = "PackedRows";
  /// 4 bytes per row.
  [[nodiscard]] static std::size_t bytes(Index size) { return std::size_t{size} * sizeof(Index); }
  /// Launches on `stream` what packs the rows of `table` (compact rows) into `memory`, device
  /// memory aligned to 4 bytes. They hold until the rows of the table change.
  [[nodiscard]] static PackedRowsView pack(const DeviceTable& table, std::byte* memory,
                                           cudaStream_t stream);
};

using PackedRows = CompressedTableCache<PackedRowsView>;

}  // namespace wrsgpu
