// Cache of the compressed rows of a table.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/sampling/split_word_table.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

/// Compressed rows of one table, cached for frequent or small batches of samples, which should not
/// pack the rows each time. The table must outlive the cache. `View` is a kernel argument with the
/// members
///   owner                          the name of its `CompressedTableCache` in error messages
///   bytes(size)                    memory for `size` rows
///   pack(table, memory, stream)    launches the packing of the compact rows of `table` into
///                                  `memory` (device), and returns the view of the packed rows
///   packed                         pointer to the first packed row, or null
template <class View>
class CompressedTableCache {
 public:
  /// Allocates the memory.
  ///
  /// @throws Error for tables whose rows are not compact
  explicit CompressedTableCache(const DeviceTable& table) : table_(&table), size_(table.size()) {
    if (const std::string reason = split_word_refusal(table); !reason.empty()) {
      throw Error(std::string(View::owner) + ": " + reason);
    }
    memory_ = DeviceBuffer<std::byte>(View::bytes(size_));
  }

  /// Launches the packing on `stream`. Must be called again after every rebuild of the table,
  /// before the next draw; draws do not detect a rebuild.
  ///
  /// @throws Error for another number of rows
  void pack(cudaStream_t stream) {
    view_ = {};  // the table's rows may have been freed
    if (table_->size() != size_) {
      throw Error(std::string(View::owner) + ": the table has " + std::to_string(table_->size()) +
                  " rows now, there is memory for " + std::to_string(size_) +
                  "; make new ones of it");
    }
    view_ = View::pack(*table_, memory_.data(), stream);
  }

  /// @throws Error before the first `pack`, after a `pack` that threw, and if the rows of the table
  ///   have been reallocated since
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
