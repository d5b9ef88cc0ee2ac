// Owners of alias table rows in host or device memory.
#pragma once

#include <cstddef>

#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/table/rows.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

/// Move-only owner of `size` rows in one of the layouts; `Buffer` (`HostBuffer`, `DeviceBuffer`)
/// determines the memory. Rows are uninitialised.
template <template <class> class Buffer>
class BasicTable {
 public:
  BasicTable() = default;
  BasicTable(Layout layout, Index size, double bucket)
      : layout_(layout), size_(size), bucket_(bucket) {
    switch (layout) {
      case Layout::wide_rows: wide_ = Buffer<WideRow>(size); break;
      case Layout::struct_of_arrays:
        weights_ = Buffer<double>(size);
        aliases_ = Buffer<Index>(size);
        break;
      case Layout::compact_rows:
        if (bucket != static_cast<double>(fixed_bucket)) {
          throw Error("layout compact_rows holds fixed-point tables only (arithmetic fixed_point)");
        }
        compact_ = Buffer<CompactRow>(size);
        break;
    }
  }

  [[nodiscard]] Layout layout() const { return layout_; }
  [[nodiscard]] Index size() const { return size_; }
  /// Mass of one bucket: W/N, or 2^32.
  [[nodiscard]] double bucket() const { return bucket_; }
  /// Sets the bucket of a table whose memory is reused for other weights.
  void set_bucket(double bucket) { bucket_ = bucket; }
  /// Number of rows for which there is memory.
  [[nodiscard]] std::size_t capacity() const {
    return wide_.size() + aliases_.size() + compact_.size();  // one of them
  }
  /// Changes the number of rows without reallocation; the rows become undefined. Throws `Error` for
  /// more than `capacity()`.
  void resize(Index size) {
    if (size > capacity()) throw Error("resize: exceeds the capacity of the table");
    size_ = size;
  }
  /// Size of the rows in bytes.
  [[nodiscard]] std::size_t bytes() const {
    switch (layout_) {
      case Layout::struct_of_arrays: return size_ * (sizeof(double) + sizeof(Index));
      case Layout::compact_rows: return size_ * sizeof(CompactRow);
      case Layout::wide_rows: break;
    }
    return size_ * sizeof(WideRow);
  }

  /// Calls `f` with the view of the rows: `WideRows`, `ArrayRows` or `CompactRows`.
  template <class F>
  decltype(auto) visit(F&& f) {
    switch (layout_) {
      case Layout::struct_of_arrays: return f(array_rows());
      case Layout::compact_rows: return f(compact_rows());
      case Layout::wide_rows: break;
    }
    return f(wide_rows());
  }
  /// Calls `f` with the view of the rows, for reading only: callers must not store through it.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return readable().visit(static_cast<F&&>(f));
  }

  /// The view of one layout; only that of `layout()` has rows. The view of a const table is for
  /// reading only.
  [[nodiscard]] WideRows wide_rows() { return {wide_.data(), size_, bucket_}; }
  [[nodiscard]] ArrayRows array_rows() {
    return {weights_.data(), aliases_.data(), size_, bucket_};
  }
  [[nodiscard]] CompactRows compact_rows() { return {compact_.data(), size_}; }
  [[nodiscard]] WideRows wide_rows() const { return readable().wide_rows(); }
  [[nodiscard]] ArrayRows array_rows() const { return readable().array_rows(); }
  [[nodiscard]] CompactRows compact_rows() const { return readable().compact_rows(); }

 private:
  /// Views are the same for builders and for readers.
  [[nodiscard]] BasicTable& readable() const { return const_cast<BasicTable&>(*this); }

  Layout layout_ = Layout::wide_rows;
  Index size_ = 0;
  double bucket_ = 0;
  Buffer<WideRow> wide_;
  Buffer<double> weights_;
  Buffer<Index> aliases_;
  Buffer<CompactRow> compact_;
};

/// An uninitialised table in the memory of `Buffer`, of the shape of `table`.
template <template <class> class Buffer, template <class> class Other>
[[nodiscard]] BasicTable<Buffer> table_like(const BasicTable<Other>& table) {
  return {table.layout(), table.size(), table.bucket()};
}

/// Copies all rows between tables of one shape; `copy(from, to, count)` copies one array.
template <template <class> class From, template <class> class To, class Copy>
void copy_table(const BasicTable<From>& from, BasicTable<To>& to, Copy&& copy) {
  switch (to.layout()) {
    case Layout::wide_rows: copy(from.wide_rows().data(), to.wide_rows().data(), to.size()); break;
    case Layout::struct_of_arrays:
      copy(from.array_rows().weights(), to.array_rows().weights(), to.size());
      copy(from.array_rows().aliases(), to.array_rows().aliases(), to.size());
      break;
    case Layout::compact_rows:
      copy(from.compact_rows().data(), to.compact_rows().data(), to.size());
      break;
  }
}

using HostTable = BasicTable<HostBuffer>;

}  // namespace wrsgpu
