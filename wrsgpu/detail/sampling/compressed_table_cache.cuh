// Owner of the rows of a table in another format.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/sampling/lazy_table.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

/// Rows of one table, packed for those who draw from it so often, or so little at a time, that they
/// do not want them packed for each draw. The table must outlive them. `View`, for kernels, has
///   owner                          what `CompressedTableCache` of it is called in errors
///   bytes(size)                    the memory that so many rows take
///   pack(table, memory, stream)    the view of rows in `memory` (device), which what it launches
///                                  makes of those of `table` (compact rows)
///   packed                         the first of these, or null
template <class View>
class CompressedTableCache {
 public:
  /// Allocates. Throws `Error` for tables of other than compact rows.
  explicit CompressedTableCache(const DeviceTable& table) : table_(&table), size_(table.size()) {
    if (const std::string reason = lazy_refusal(table); !reason.empty()) {
      throw Error(std::string(View::owner) + ": " + reason);
    }
    memory_ = DeviceBuffer<std::byte>(View::bytes(size_));
  }

  /// Launches the packing on `stream`. To be called again whenever the table has been built anew,
  /// before the next draw: draws know nothing of that. Throws `Error` for another number of rows.
  void pack(cudaStream_t stream) {
    view_ = {};  // its table's rows may be gone
    if (table_->size() != size_) {
      throw Error(std::string(View::owner) + ": the table has " + std::to_string(table_->size()) +
                  " rows now, there is memory for " + std::to_string(size_) +
                  "; make new ones of it");
    }
    view_ = View::pack(*table_, memory_.data(), stream);
  }

  /// Throws `Error` before the first `pack`, behind one that threw, and where the table has its
  /// rows elsewhere since.
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
