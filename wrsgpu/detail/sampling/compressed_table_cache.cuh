// Cached compressed rows of a table.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/sampling/lazy_table.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

/// Compressed rows of one table, cached for frequent or small-batch draws, which should not pack
/// them each time. The table must outlive the cache. `View`, for kernels, has
///   owner                          what `CompressedTableCache` of it is called in errors
///   bytes(size)                    the memory that so many rows take
///   pack(table, memory, stream)    the view of rows in `memory` (device), which what it launches
///                                  makes of those of `table` (compact rows)
///   packed                         the first of these, or null
template <class View>
class CompressedTableCache {
 public:
  /// Allocates. Throws `Error` for tables whose rows are not compact.
  explicit CompressedTableCache(const DeviceTable& table) : table_(&table), size_(table.size()) {
    if (const std::string reason = lazy_refusal(table); !reason.empty()) {
      throw Error(std::string(View::owner) + ": " + reason);
    }
    memory_ = DeviceBuffer<std::byte>(View::bytes(size_));
  }

  /// Launches the packing on `stream`. Must be called again after every rebuild of the table,
  /// before the next draw; draws do not detect a rebuild. Throws `Error` for another number of
  /// rows.
  void pack(cudaStream_t stream) {
    view_ = {};  // the table's rows may have been freed
    if (table_->size() != size_) {
      throw Error(std::string(View::owner) + ": the table has " + std::to_string(table_->size()) +
                  " rows now, there is memory for " + std::to_string(size_) +
                  "; make new ones of it");
    }
    view_ = View::pack(*table_, memory_.data(), stream);
  }

  /// Throws `Error` before the first `pack`, after one that threw, and when the table's rows have
  /// moved since.
  [[nodiscard]] const View& view() const {
    if (view_.packed == nullptr)
      throw Error(std::string(View::owner) + ": nothing has been packed; call pack() first");
    if (table_->size() != size_ || compact_rows(*table_) != view_.rows)
      throw Error(std::string(View::owner) + ": the table has been built anew; call pack() first");
    return view_;
  }

 private:
  const DeviceTable* table_;
  Index size_;
  DeviceBuffer<std::byte> memory_;
  View view_{};
};

}  // namespace wrsgpu
