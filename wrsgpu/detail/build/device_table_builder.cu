#include "wrsgpu/detail/build/device_table_builder.cuh"

#include <algorithm>
#include <new>
#include <string>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/core/memory_pool.cuh"

namespace wrsgpu {
namespace {

// A view of `size` weights without memory, for computing sizes only.
WeightsView absent_weights(Index size, WeightsView::Type type) {
  if (type == WeightsView::Type::float32) {
    return WeightsView::on_device(std::span<const float>(static_cast<const float*>(nullptr), size));
  }
  return WeightsView::on_device(std::span<const double>(static_cast<const double*>(nullptr), size));
}

[[nodiscard]] std::string name_of(WeightsView::Type type) {
  return type == WeightsView::Type::float32 ? "float32" : "float64";
}

}  // namespace

DeviceTableBuilder::DeviceTableBuilder(TableOptions options) : options_(options) {
  if (const std::string reason = refusal(options); !reason.empty()) throw Error(reason);
  require_cuda_device();
}

const DeviceTable& DeviceTableBuilder::table() const {
  if (is_invalid_) {
    throw Error("table: the last construction failed, its rows are undefined; build it again");
  }
  return table_;
}

HostTable DeviceTableBuilder::to_host() const {
  if (size() == 0) throw Error("to_host: nothing has been built yet; call build() first");
  HostTable copy = table_like<HostBuffer>(table_);
  copy_table(table_, copy, [](const auto* from, auto* to, Index count) {
    WRSGPU_CUDA_CHECK(cudaMemcpy(to, from, count * sizeof *to, cudaMemcpyDeviceToHost));
  });
  return copy;
}

std::size_t DeviceTableBuilder::temporary_bytes(Index size, WeightsView::Type type) const {
  DeviceArena arena;
  DeviceTable no_rows;
  launch_sums(absent_weights(size, type), nullptr, arena, nullptr)(no_rows, arena);
  return arena.used();
}

std::size_t DeviceTableBuilder::bytes_of_sums(WeightsView weights) const {
  DeviceArena arena;
  static_cast<void>(launch_sums(weights, nullptr, arena, nullptr));
  return arena.used();
}

void DeviceTableBuilder::reserve(Index size, WeightsView::Type type) {
  if (reserved_size_ == size && reserved_type_ == type) return;
  const std::size_t bytes = temporary_bytes(size, type);  // throws for invalid sizes
  reserved_size_ = 0;                                     // until all allocations succeed
  if (summary_.size() == 0) summary_ = new_device_summary();
  prepare_table(size);
  if (temporary_.size() < bytes) {
    temporary_ = {};
    temporary_ = DeviceBuffer<std::byte>(bytes);
  }
  reserved_size_ = size;
  reserved_type_ = type;
}

void DeviceTableBuilder::reserve_temporary(Index size) {
  if (size <= temporary_capacity_) return;
  const std::size_t bytes = std::max(temporary_bytes(size, WeightsView::Type::float32),
                                     temporary_bytes(size, WeightsView::Type::float64));
  if (temporary_.size() < bytes) {
    const detail::RelaxedCapture relaxed;
    release_temporary();
    temporary_ = DeviceBuffer<std::byte>(bytes);
  }
  temporary_capacity_ = size;
}

void DeviceTableBuilder::release_temporary() {
  reserved_size_ = 0;
  temporary_capacity_ = 0;
  temporary_ = {};
}

void DeviceTableBuilder::prepare_table(Index size) {
  if (table_.size() == size) return;
  set_size(0);
  if (table_.capacity() >= size) {
    table_.resize(size);
    return;
  }
  table_ = {};  // free first: the new table may need the memory
  const bool fixed = options().arithmetic == Arithmetic::fixed_point;
  table_ = DeviceTable(options().layout, size, fixed ? static_cast<double>(fixed_bucket) : 0.0);
}

void DeviceTableBuilder::assign(const HostTable& table) {
  require_assignable(table, options().layout);
  reserved_size_ = 0;
  prepare_table(table.size());
  table_.set_bucket(table.bucket());
  copy_table(table, table_, [](const auto* from, auto* to, Index count) {
    copy_to_device(std::span(from, count), to);
  });
  set_size(table.size());
  is_invalid_ = false;
}

void DeviceTableBuilder::construct(WeightsView weights, cudaStream_t stream) {
  check_size_and_memory(weights, Device::cuda);
  if (reserved_size_ != weights.size() || reserved_type_ != weights.type()) {
    const std::string reserved = reserved_size_ == 0
                                     ? "no memory is reserved"
                                     : "memory is reserved for " + std::to_string(reserved_size_) +
                                           " of " + name_of(reserved_type_);
    throw Error("construct: argument 'weights' has " + std::to_string(weights.size()) +
                " items of " + name_of(weights.type()) + ", and " + reserved +
                "; call reserve() for these weights first");
  }
  set_size(0);  // until finish(): an exception on the way leaves no table
  is_invalid_ = false;
  DeviceArena arena(temporary_.span());
  launch(weights, table_, summary_.data(), arena, stream);
}

void DeviceTableBuilder::finish(WeightsView weights, cudaStream_t stream) {
  if (weights.size() != table_.size()) {
    throw Error("finish: argument 'weights' has " + std::to_string(weights.size()) +
                " items, and the last construction was called for " +
                std::to_string(table_.size()));
  }
  // Reset once all of the following succeeds. The memory stays allocated: a captured graph may
  // write to it again.
  is_invalid_ = true;
  set_size(0);
  accept(read_summary(weights, summary_.data(), stream));
}

bool DeviceTableBuilder::has_run(cudaStream_t stream) const {
  return summary_.size() > 0 && copy_summary(summary_.data(), stream).summary.size > 0;
}

void DeviceTableBuilder::accept(const WeightSummary& summary) {
  check_outcome();
  if (options().arithmetic == Arithmetic::floating) table_.set_bucket(summary.bucket());
  set_size(summary.size);
  whole_ = summary.whole;
  is_invalid_ = false;
}

void DeviceTableBuilder::build_on_device(WeightsView weights) {
  const auto size = static_cast<Index>(weights.size());
  // Invalid weights must change neither what `finish` reads nor the memory that a graph has
  // captured. This check therefore uses a separate summary, and the temporary storage grows only
  // after it.
  DeviceBuffer<DeviceWeightSummary> summary = new_device_summary();
  const bool grows = temporary_.size() < temporary_bytes(size, weights.type());
  DeviceBuffer<std::byte> storage(grows ? bytes_of_sums(weights) : 0);
  DeviceArena sums(grows ? storage.span() : temporary_.span());
  const WriteRows write_rows = launch_sums(weights, summary.data(), sums, nullptr);
  const WeightSummary found = read_summary(weights, summary.data(), nullptr);
  reserve(size, weights.type());
  is_invalid_ = true;  // until the rows are written
  set_size(0);
  DeviceArena grown(temporary_.span());
  write_rows(table_, grows ? grown : sums);
  WRSGPU_CUDA_CHECK(cudaMemsetAsync(summary_.data(), 0, summary_.bytes()));  // for `has_run`
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
  accept(found);
}

void DeviceTableBuilder::build(WeightsView weights) {
  try {
    check_size_and_memory(weights, weights.device());
    with_weights_on_device(weights, [&](WeightsView on_device) { build_on_device(on_device); });
  } catch (const std::bad_alloc&) {
    size_ = 0;
    throw OutOfMemory("build: out of host memory for " + std::to_string(weights.size()) + " items");
  } catch (const OutOfMemory&) {
    size_ = 0;  // the old table may have been freed already
    throw;
  }
}

}  // namespace wrsgpu
