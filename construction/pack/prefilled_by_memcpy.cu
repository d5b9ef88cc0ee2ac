// Pre-filled by a two-dimensional copy, whose lines of one weight each are spread over the rows
// (thesis 4.5.5: significantly slower than a kernel).
#include "construction/pack/prefilled.cuh"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::pack {
namespace {

/// Where the own parts of rows begin, and the bytes from one to the next.
struct OwnParts {
  std::byte* begin;
  std::size_t pitch;
};
[[nodiscard]] OwnParts own_parts(const WideRows& rows) {
  return {reinterpret_cast<std::byte*>(rows.data()), sizeof(WideRow)};
}
[[nodiscard]] OwnParts own_parts(const ArrayRows& rows) {
  return {reinterpret_cast<std::byte*>(rows.weights()), sizeof(double)};
}

/// Weights as they were, which are scaled when they are read.
struct WeightInRow {
  OwnParts parts;
  template <class T>
  [[nodiscard]] __device__ double operator()(Index item, const ScaledWeights<T>& masses) const {
    const auto* weight = reinterpret_cast<const T*>(parts.begin + item * parts.pitch);
    return ScaledWeights<T>{weight, masses.scale, masses.bucket}[0];
  }
};

void launch_copied(const AnyPackTask& any, const AnyRows& any_rows, DeviceArena& arena,
                   cudaStream_t stream) {
  launch_prefilled<Form::optimised>(
      any, any_rows, arena, stream, [](const auto& task, const auto& rows, cudaStream_t on) {
        const OwnParts parts = own_parts(rows);
        constexpr std::size_t bytes = sizeof *task.source.weights;
        WRSGPU_CUDA_CHECK(cudaMemcpy2DAsync(parts.begin, parts.pitch, task.source.weights, bytes,
                                            bytes, task.size, cudaMemcpyDeviceToDevice, on));
        return WeightInRow{parts};
      });
}

}  // namespace

[[nodiscard]] PackMethod prefilled_by_memcpy_method() {
  return prefilled("prefilled_by_memcpy", "prefilled, by a copy of lines of one weight each",
                   launch_copied);
}

}  // namespace wrsgpu::pack
