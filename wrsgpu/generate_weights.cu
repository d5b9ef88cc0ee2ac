#include <string>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/weights/weight_function.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/generate_weights.cuh"

namespace wrsgpu::weights {
namespace {

constexpr unsigned group_threads = 256;

/// Sets out[i] = function(i); one thread per item.
template <class Function, class T>
__global__ void generate_kernel(Function function, T* out, std::uint64_t n) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * group_threads + threadIdx.x;
  if (i < n) out[i] = static_cast<T>(function(static_cast<Index>(i)));
}

template <class Function, class T>
void launch(const Function& function, std::span<T> out, cudaStream_t stream) {
  generate_kernel<<<blocks_for(out.size(), group_threads), group_threads, 0, stream>>>(
      function, out.data(), out.size());
  check_launch("generate_kernel");
}

template <class Function>
concept ReadsTable = requires(const Function& f) {
  f.with_table(f.table().data());
};

}  // namespace

template <class T>
void generate_on_device(std::string_view name, std::uint64_t n, std::uint64_t seed,
                        std::span<T> out, cudaStream_t stream) {
  const WeightFunction function = make_weight_function(name, n, seed);
  if (out.size() != n) {
    throw Error("generate_on_device: argument 'out' holds " + std::to_string(out.size()) +
                " weights, argument 'n' is " + std::to_string(n));
  }
  std::visit(
      [&]<class Function>(const Function& f) {
        if constexpr (ReadsTable<Function>) {
          DeviceBuffer<std::uint32_t> table(f.table().size());
          copy_to_device(f.table(), table.data());
          launch(f.with_table(table.data()), out, stream);
          WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));  // the kernel reads `table`
        } else {
          launch(f, out, stream);
        }
      },
      function);
}

template <class T>
DeviceBuffer<T> generate_on_device(std::string_view name, std::uint64_t n, std::uint64_t seed) {
  static_cast<void>(make_weight_function(name, n, seed));  // validates before allocating
  DeviceBuffer<T> weights(n);
  generate_on_device(name, n, seed, weights.span(), nullptr);
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
  return weights;
}

template void generate_on_device(std::string_view, std::uint64_t, std::uint64_t, std::span<float>,
                                 cudaStream_t);
template void generate_on_device(std::string_view, std::uint64_t, std::uint64_t, std::span<double>,
                                 cudaStream_t);
template DeviceBuffer<float> generate_on_device(std::string_view, std::uint64_t, std::uint64_t);
template DeviceBuffer<double> generate_on_device(std::string_view, std::uint64_t, std::uint64_t);

}  // namespace wrsgpu::weights
