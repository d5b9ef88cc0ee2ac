#include "sampling/gpu_monotone_method.cuh"

#include "sampling/gpu_find_items.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

GpuMonotoneMethod::GpuMonotoneMethod(const TableOptions& options) : GpuSamplingAlgorithm(options) {
  if (options.arithmetic != Arithmetic::fixed_point) {
    throw Error("monotone methods on the GPU compute in fixed_point arithmetic only");
  }
}

void GpuMonotoneMethod::find(std::span<const std::uint64_t> words, std::span<Index> out,
                             cudaStream_t stream) const {
  if (size() == 0) throw Error("find: nothing has been built yet; call build() first");
  require_words_for(words, out);
  launch_find(words, out.data(), stream);
}

}  // namespace wrsgpu
