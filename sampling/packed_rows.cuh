// Rows of half the size, for tables that would else not stay in the cache.
#pragma once

#include <cuda_runtime_api.h>

#include "wrsgpu/construction/gpu_alias_table.cuh"
#include "wrsgpu/sampling/packed_row.hpp"

namespace wrsgpu {

/// For kernels. The whole rows are those of the table.
struct PackedRowsView {
  const Index* packed;
  const CompactRow* rows;
  Index size;
};

/// Launches on `stream` what packs the rows of `table` (compact rows) into `packed`, device memory
/// of as many elements. They hold until the rows of the table change.
PackedRowsView pack_rows(const DeviceTable& table, Index* packed, cudaStream_t stream);

/// Owner of packed rows of one table, for those who draw from it so often, or so little at a time,
/// that they do not want the rows packed for each draw. The table must outlive them.
class PackedRows {
 public:
  /// Allocates 4 bytes a row. Throws `Error` for tables of other than compact rows.
  explicit PackedRows(const DeviceTable& table);

  /// Launches the packing on `stream`. To be called again whenever the table has been built anew,
  /// before the next draw: draws know nothing of that.
  void pack(cudaStream_t stream);

  /// Throws `Error` before the first `pack`.
  [[nodiscard]] const PackedRowsView& view() const;

 private:
  const DeviceTable* table_;
  DeviceBuffer<Index> packed_;
  PackedRowsView view_{};
};

}  // namespace wrsgpu
