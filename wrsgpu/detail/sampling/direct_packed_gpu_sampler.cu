#include "wrsgpu/detail/sampling/direct_packed_gpu_sampler.cuh"

#include "wrsgpu/detail/sampling/direct_kernel.cuh"

namespace wrsgpu {
namespace {

struct HalfRows {
  PackedRowsView view;
  Index mask;

  [[nodiscard]] __device__ Index size() const { return view.size; }
  template <int quads, int samples>
  __device__ void pick(const RowChoice (&choices)[quads][samples],
                       Index (&items)[quads][samples]) const {
    Index packed[quads][samples];
#pragma unroll
    for (int j = 0; j < quads; ++j) {
#pragma unroll
      for (int s = 0; s < samples; ++s) packed[j][s] = __ldg(view.packed + choices[j][s].row);
    }
    // If the leading bits decide, they replace the threshold. The full thresholds needed otherwise
    // are loaded together, too.
    Index threshold[quads][samples];
#pragma unroll
    for (int j = 0; j < quads; ++j) {
#pragma unroll
      for (int s = 0; s < samples; ++s) {
        const Index variate = CompactRows::variate(choices[j][s].fraction);
        threshold[j][s] = packed[j][s];
        if (PackedRow::is_tie(packed[j][s], variate, mask)) {
          threshold[j][s] = __ldg(&view.rows[choices[j][s].row].threshold);
        }
      }
    }
#pragma unroll
    for (int j = 0; j < quads; ++j) {
#pragma unroll
      for (int s = 0; s < samples; ++s) {
        items[j][s] = CompactRows::variate(choices[j][s].fraction) < threshold[j][s]
                          ? choices[j][s].row
                          : PackedRow::alias(packed[j][s], mask);
      }
    }
  }
};

}  // namespace

void DirectPackedGpuSampler::launch_from(const PackedRowsView& rows, const AnyOutput& output,
                                         std::uint64_t samples, RandomState state,
                                         cudaStream_t stream) const {
  launch_draw_directly(HalfRows{rows, PackedRow::alias_mask(rows.size)}, options(), output, samples,
                       state, stream);
}

}  // namespace wrsgpu
