// Builds and owns an alias table in device memory; derived classes supply the method.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "wrsgpu/detail/core/device_arena.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/masses/device_weights.cuh"
#include "wrsgpu/detail/table/device_table.cuh"
#include "wrsgpu/detail/table/table_options.hpp"

namespace wrsgpu {

/// Construction in three steps, so that a caller or a benchmark can time or capture the second one
/// alone:
///   reserve(...)     allocates the table and the temporary storage;
///   construct(...)   launches the kernels on a stream: no allocation, no copy, no synchronisation;
///   finish(...)      synchronises, and throws if the weights were invalid.
/// `construct` launches the pass that checks and sums the weights, then the kernels that write the
/// rows, or one kernel for all of it. `build` waits for the sums before it modifies the table, and
/// accepts weights in host memory too. A derived class implements the method, `launch_sums`.
class DeviceTableBuilder {
 public:
  /// Throws `Error` when there is no GPU.
  explicit DeviceTableBuilder(TableOptions options);
  DeviceTableBuilder(const DeviceTableBuilder&) = delete;
  DeviceTableBuilder& operator=(const DeviceTableBuilder&) = delete;
  virtual ~DeviceTableBuilder() = default;

  [[nodiscard]] const TableOptions& options() const { return options_; }
  /// Number of items of the finished table; 0 before the first build, and until `finish`.
  [[nodiscard]] Index size() const { return size_; }
  /// Whether the last construction found invalid weights, so that there is no table.
  [[nodiscard]] bool has_failed() const { return is_invalid_; }
  [[nodiscard]] std::size_t bytes() const { return table_.bytes(); }
  /// The weight of all tiles of the finished table's weights (`WeightSummary`).
  [[nodiscard]] TileSum whole() const { return whole_; }
  /// A copy of the rows. Throws `Error` before the first build.
  [[nodiscard]] HostTable to_host() const;

  /// Checks the weights (host or device memory; errors: see `summarise`), builds the table and
  /// synchronises. If a check fails, the table and all that was reserved, launched or captured are
  /// unchanged; if memory is exhausted (`OutOfMemory`), there is no table.
  void build(WeightsView weights);

  /// Bytes of device memory, besides the table, that `construct` uses for `size` weights.
  [[nodiscard]] std::size_t temporary_bytes(Index size, WeightsView::Type type) const;

  /// Copies rows from host memory. Throws `Error` when there are none, or when their layout
  /// differs.
  void assign(const HostTable& table);

  /// Allocates the memory that `construct` needs for `size` weights of this type; reuses
  /// allocations that are large enough.
  void reserve(Index size, WeightsView::Type type);

  /// Allocates the temporary storage for up to `size` weights of either type, unless there is as
  /// much. May be called during a capture.
  void reserve_temporary(Index size);
  /// Frees the temporary storage; graphs that captured a construction become invalid. The rows
  /// stay.
  void release_temporary();

  /// Launches the construction from `weights` (device memory, of the reserved size) on `stream`. A
  /// graph that captures it must run before the rows are used, and must not run again after
  /// `construct` or `build` was called for another number of weights.
  void construct(WeightsView weights, cudaStream_t stream);

  /// Waits for the last `construct`, or for the last replay of a graph that captured it. Throws the
  /// `Error` for invalid weights (reads the first of them from `weights`), and `Error` if the
  /// replayed graph and the last `construct` differ in the number of weights; the table is then
  /// unusable until the next construction.
  void finish(WeightsView weights, cudaStream_t stream);

  /// Whether a `construct`, or a graph that captured one, has run since the last `build` that
  /// succeeded. Waits for the stream.
  [[nodiscard]] bool has_run(cudaStream_t stream) const;

  /// The rows in device memory; launched work may still be writing them. Throws `Error` after a
  /// failed construction.
  [[nodiscard]] const DeviceTable& table() const;

  /// Launches the kernels that write the rows of the table, with temporary storage from the arena.
  using WriteRows = std::function<void(DeviceTable& table, DeviceArena& arena)>;

 protected:
  /// Launches the pass that checks and sums the weights into `*summary`, and returns a function
  /// that launches the rest of the construction on the same stream. Both follow the conventions of
  /// `DeviceArena`. Weights, summary and the storage of both arenas must outlive this work, until
  /// the rows are written.
  [[nodiscard]] virtual WriteRows launch_sums(WeightsView weights, DeviceWeightSummary* summary,
                                              DeviceArena& arena, cudaStream_t stream) const = 0;
  /// Launches all of the construction, which `construct` does.
  virtual void launch(WeightsView weights, DeviceTable& table, DeviceWeightSummary* summary,
                      DeviceArena& arena, cudaStream_t stream) const {
    launch_sums(weights, summary, arena, stream)(table, arena);
  }
  /// Called after the rows are written. Throws `Error` if the kernels found the weights
  /// unsupported.
  virtual void check_outcome() const {}

 private:
  void set_size(Index size) { size_ = size; }
  /// `build` of weights in device memory.
  void build_on_device(WeightsView weights);
  /// Bytes of device memory that `launch_sums` uses.
  [[nodiscard]] std::size_t bytes_of_sums(WeightsView weights) const;
  /// Publishes the written rows as the table, unless `check_outcome` throws.
  void accept(const WeightSummary& summary);
  /// Allocates memory for `size` rows. Their values are undefined unless the number of rows is
  /// unchanged.
  void prepare_table(Index size);

  TableOptions options_;
  Index size_ = 0;
  TileSum whole_{0, 0};
  DeviceTable table_;
  DeviceBuffer<DeviceWeightSummary> summary_;
  DeviceBuffer<std::byte> temporary_;
  Index temporary_capacity_ = 0;  // weights of either type that it was reserved for
  Index reserved_size_ = 0;       // weights that `construct` has memory for
  WeightsView::Type reserved_type_ = WeightsView::Type::float32;
  bool is_invalid_ = false;  // the last construction failed
};

}  // namespace wrsgpu
