#include "wrsgpu/detail/sampling/rows16.cuh"

#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>

#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu {
namespace {

constexpr int threads = 512;
constexpr int thread_rows = Row16::section_rows / threads;
static_assert(thread_rows == 4, "a thread stores its short rows as one ushort4");

/// Each block of 512 threads packs one section into `packed`, including the padding of a short one.
__global__ void __launch_bounds__(threads)
    pack_section(const CompactRow* rows, Index size, ushort4* packed, Index* common) {
  using Load = cub::BlockLoad<CompactRow, threads, thread_rows, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<int, threads>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Scan::TempStorage scan;
  } memory;
  __shared__ Index common_alias;

  const Index first = blockIdx.x * Row16::section_rows;
  const Index left = size - first;
  CompactRow whole[thread_rows];
  // Padding rows have an alias in the section.
  Load(memory.load)
      .Load(rows + first, whole,
            static_cast<int>(left < Row16::section_rows ? left : Row16::section_rows),
            CompactRow{0, first});
  __syncthreads();  // before the storage is reused

  const Index row = first + threadIdx.x * thread_rows;
  int outside = 0;
#pragma unroll
  for (int j = 0; j < thread_rows; ++j) {
    outside += Row16::is_outside(row + j, whole[j].alias) ? 1 : 0;
  }
  int before = 0;
  int all = 0;
  Scan(memory.scan).ExclusiveSum(outside, before, all);
  if (threadIdx.x == 0 && all == 0) common_alias = first;  // unused, but a valid item
  const int middle = all / 2;
#pragma unroll
  for (int j = 0; j < thread_rows; ++j) {
    if (!Row16::is_outside(row + j, whole[j].alias)) continue;
    if (before == middle) common_alias = whole[j].alias;
    ++before;
  }
  __syncthreads();

  if (threadIdx.x == 0) common[blockIdx.x] = common_alias;
  const auto short_row = [&](int j) { return Row16::pack(whole[j], row + j, common_alias); };
  packed[blockIdx.x * threads + threadIdx.x] =
      make_ushort4(short_row(0), short_row(1), short_row(2), short_row(3));
}

}  // namespace

Rows16View Rows16View::pack(const DeviceTable& table, std::byte* memory, cudaStream_t stream) {
  const Index sections = Rows16View::sections(table.size());
  auto* const packed = reinterpret_cast<std::uint16_t*>(memory);
  auto* const common =
      reinterpret_cast<Index*>(packed + std::size_t{sections} * Row16::section_rows);
  const Rows16View view{packed, common, compact_rows(table), table.size()};
  pack_section<<<sections, threads, 0, stream>>>(view.rows, view.size,
                                                 reinterpret_cast<ushort4*>(packed), common);
  check_launch("pack_section");
  return view;
}

}  // namespace wrsgpu
