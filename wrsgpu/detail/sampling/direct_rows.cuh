// The rows that direct draws read: those of the table, or 16-bit rows made of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wrsgpu/detail/core/device_attribute.cuh"
#include "wrsgpu/detail/core/memory_pool.cuh"
#include "wrsgpu/detail/sampling/direct_kernel.cuh"
#include "wrsgpu/detail/sampling/fastest_sampler.hpp"
#include "wrsgpu/detail/sampling/rows16.cuh"

namespace wrsgpu {

/// Loads threshold and alias of a row if `wanted`. The load bypasses the L1 and is the first to be
/// evicted from the L2: both caches are for 16-bit rows. Predicated, so that many loads are in
/// flight at once.
__device__ inline void load_where(bool wanted, const CompactRow* row, Index& threshold,
                                  Index& alias) {
#if __CUDA_ARCH__ >= 800
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm("{ .reg .pred wanted;\n"
      "setp.ne.u32 wanted, %2, 0;\n"
      "@wanted ld.global.nc.L1::no_allocate.L2::cache_hint.v2.u32 {%0, %1}, [%3], %4; }"
      : "+r"(threshold), "+r"(alias)
      : "r"(wanted ? 1U : 0U), "l"(__cvta_generic_to_global(row)), "l"(policy));
#else
  if (wanted) {
    const CompactRow whole = load_constant(row);
    threshold = whole.threshold;
    alias = whole.alias;
  }
#endif
}

/// 16-bit rows, with those of the table for where they do not suffice.
struct QuarterRows {
  Rows16View view;

  [[nodiscard]] __device__ Index size() const { return view.size; }
  template <int quads, int samples>
  __device__ void pick(const RowChoice (&choices)[quads][samples],
                       Index (&items)[quads][samples]) const {
    std::uint16_t packed[quads][samples];
#pragma unroll
    for (int j = 0; j < quads; ++j) {
#pragma unroll
      for (int s = 0; s < samples; ++s) packed[j][s] = __ldg(view.packed + choices[j][s].row);
    }
    // The common aliases stay in the L1, so that they hardly delay the loads of full rows.
    Index alias[quads][samples];
#pragma unroll
    for (int j = 0; j < quads; ++j) {
#pragma unroll
      for (int s = 0; s < samples; ++s) {
        const Index row = choices[j][s].row;
        const Index variate = CompactRows::variate(choices[j][s].fraction);
        alias[j][s] = Row16::alias(packed[j][s], row);
        if (Row16::gives_common(packed[j][s], row, variate)) {
          alias[j][s] = __ldg(view.common + row / Row16::section_rows);
        }
      }
    }
    Index threshold[quads][samples];
#pragma unroll
    for (int j = 0; j < quads; ++j) {
#pragma unroll
      for (int s = 0; s < samples; ++s) {
        const Index row = choices[j][s].row;
        const Index variate = CompactRows::variate(choices[j][s].fraction);
        threshold[j][s] = Row16::threshold(packed[j][s]);
        load_where(Row16::needs_full_row(packed[j][s], row, variate), view.rows + row,
                   threshold[j][s], alias[j][s]);
      }
    }
#pragma unroll
    for (int j = 0; j < quads; ++j) {
#pragma unroll
      for (int s = 0; s < samples; ++s) {
        items[j][s] = CompactRows::variate(choices[j][s].fraction) < threshold[j][s]
                          ? choices[j][s].row
                          : alias[j][s];
      }
    }
  }
};

/// Calls `draw(rows)`, which launches a draw of `samples` samples on `stream`, with the fastest
/// rows for that: `WholeRows` or `QuarterRows`. The samples are the same. Whole rows during a
/// capture, whose graph needs no memory of its own then.
template <class Draw>
void with_fastest_rows(const DeviceTable& table, std::uint64_t samples, cudaStream_t stream,
                       const Draw& draw) {
  const auto l2_bytes = static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize));
  if (!are_worth_packing(table.size(), samples, l2_bytes) || is_captured(stream)) {
    draw(WholeRows{compact_rows(table), table.size()});
    return;
  }
  const PoolBuffer<std::byte> memory(Rows16View::bytes(table.size()), stream);
  draw(QuarterRows{Rows16View::pack(table, memory.data(), stream)});
}

}  // namespace wrsgpu
