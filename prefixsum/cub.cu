#include "prefixsum/cub.hpp"

#include <cstddef>
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>
#include <limits>
#include <string>
#include <type_traits>

#include "prefixsum/device_run.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"

namespace wrsgpu::prefixsum {
namespace {

/// CUB before 2.7 (CUDA 12.8) counts items in an int.
using Length = std::conditional_t<(CUB_VERSION >= 200700), std::uint64_t, int>;

template <class T>
cudaError_t scan(void* temporary, std::size_t& temporary_bytes, const T* in, T* out,
                 std::uint64_t size, Kind kind, cudaStream_t stream) {
  const auto length = static_cast<Length>(size);
  return kind == Kind::inclusive
             ? cub::DeviceScan::InclusiveSum(temporary, temporary_bytes, in, out, length, stream)
             : cub::DeviceScan::ExclusiveSum(temporary, temporary_bytes, in, out, length, stream);
}

template <class T>
void run(void* temporary, std::size_t& temporary_bytes, const T* in, T* out, std::uint64_t size,
         Kind kind, cudaStream_t stream) {
  if (size > static_cast<std::uint64_t>(std::numeric_limits<Length>::max())) {
    throw Error("prefix sum cub: argument 'size' is " + std::to_string(size) +
                "; this CUDA toolkit's CUB takes at most " +
                std::to_string(std::numeric_limits<Length>::max()));
  }
  std::size_t needed = 0;
  WRSGPU_CUDA_CHECK(scan<T>(nullptr, needed, in, out, size, kind, stream));
  if (temporary == nullptr) {
    temporary_bytes = needed;
    return;
  }
  check_arguments(Cub::name, temporary_bytes, needed, in, out, size, Cub::in_place);
  if (size == 0) return;
  WRSGPU_CUDA_CHECK(scan<T>(temporary, temporary_bytes, in, out, size, kind, stream));
}

}  // namespace

template <>
DeviceRuns device_runs<Cub>() {
  return {run<std::uint32_t>, run<std::uint64_t>, run<float>, run<double>};
}

}  // namespace wrsgpu::prefixsum
