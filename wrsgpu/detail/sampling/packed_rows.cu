#include "wrsgpu/detail/sampling/packed_rows.cuh"

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu {
namespace {

/// One thread per row.
__global__ void pack_each_row(const CompactRow* rows, Index size, Index* packed) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) packed[i] = PackedRow::pack(rows[i], PackedRow::alias_mask(size));
}

}  // namespace

PackedRowsView PackedRowsView::pack(const DeviceTable& table, std::byte* memory,
                                    cudaStream_t stream) {
  constexpr unsigned threads = 512;
  auto* const packed = reinterpret_cast<Index*>(memory);
  const PackedRowsView view{packed, compact_rows(table), table.size()};
  pack_each_row<<<blocks_for(table.size(), threads), threads, 0, stream>>>(view.rows, view.size,
                                                                           packed);
  check_launch("pack_each_row");
  return view;
}

}  // namespace wrsgpu
