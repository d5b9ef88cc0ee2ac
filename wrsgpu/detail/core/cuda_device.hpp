// Detection of GPUs; available in CPU-only builds, too.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace wrsgpu {

struct CudaDevice {
  std::string name;
  int compute_capability_major = 0;
  int compute_capability_minor = 0;
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
};

/// The usable GPUs; empty if this build has no CUDA, or if there is no driver or no GPU.
[[nodiscard]] std::vector<CudaDevice> cuda_devices();

/// The reason that `cuda_devices()` is empty, or an empty string.
[[nodiscard]] std::string why_no_cuda_device();

/// Versions of driver and runtime as "13.0", empty without CUDA.
[[nodiscard]] std::string cuda_driver_version();
[[nodiscard]] std::string cuda_runtime_version();

/// Throws `CudaError` with the reason if there is no usable GPU.
void require_cuda_device();

}  // namespace wrsgpu
