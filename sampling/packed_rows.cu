#include "wrsgpu/sampling/packed_rows.cuh"

#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"
#include "wrsgpu/core/error.hpp"
#include "wrsgpu/sampling/lazy_draw.cuh"

namespace wrsgpu {
namespace {

__global__ void pack_each_row(const CompactRow* rows, Index size, Index* packed) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) packed[i] = PackedRow::pack(rows[i], PackedRow::alias_mask(size));
}

}  // namespace

PackedRowsView pack_rows(const DeviceTable& table, Index* packed, cudaStream_t stream) {
  constexpr unsigned threads = 512;
  const PackedRowsView view{packed, compact_rows(table), table.size()};
  pack_each_row<<<blocks_for(table.size(), threads), threads, 0, stream>>>(view.rows, view.size,
                                                                           packed);
  check_launch("pack_each_row");
  return view;
}

PackedRows::PackedRows(const DeviceTable& table) : table_(&table) {
  if (const std::string reason = lazy_refusal(table); !reason.empty()) {
    throw Error("PackedRows: " + reason);
  }
  packed_ = DeviceBuffer<Index>(table.size());
}

void PackedRows::pack(cudaStream_t stream) {
  if (table_->size() != packed_.size()) {
    throw Error("pack: the table has " + std::to_string(table_->size()) +
                " rows now, there is memory for " + std::to_string(packed_.size()));
  }
  view_ = pack_rows(*table_, packed_.data(), stream);
}

const PackedRowsView& PackedRows::view() const {
  if (view_.packed == nullptr)
    throw Error("PackedRows: nothing has been packed; call pack() first");
  return view_;
}

}  // namespace wrsgpu
