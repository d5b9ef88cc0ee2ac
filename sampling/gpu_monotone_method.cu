#include "sampling/gpu_monotone_method.cuh"

#include <string>

#include "wrsgpu/error.hpp"

namespace wrsgpu {

GpuMonotoneMethod::GpuMonotoneMethod(const TableOptions& options) : GpuSamplingAlgorithm(options) {
  if (options.arithmetic != Arithmetic::fixed_point) {
    throw Error("scan and cutpoint methods on the GPU compute in fixed_point arithmetic only");
  }
}

void GpuMonotoneMethod::find(std::span<const std::uint64_t> words, std::span<Index> out,
                             cudaStream_t stream) const {
  if (size() == 0) throw Error("find: nothing has been built yet; call build() first");
  if (words.empty()) throw Error("find: argument 'words' is empty");
  if (words.size() != out.size()) {
    throw Error("find: argument 'words' has " + std::to_string(words.size()) +
                " elements, argument 'out' " + std::to_string(out.size()));
  }
  launch_find(words, out.data(), stream);
}

}  // namespace wrsgpu
