#include "wrsgpu/detail/core/cuda_device.hpp"

#include "wrsgpu/error.hpp"

#ifdef WRSGPU_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

namespace wrsgpu {

#ifdef WRSGPU_WITH_CUDA

namespace {
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}
}  // namespace

std::vector<CudaDevice> cuda_devices() {
  std::vector<CudaDevice> devices;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
    devices.push_back({properties.name, properties.major, properties.minor,
                       properties.multiProcessorCount, properties.totalGlobalMem,
                       static_cast<std::size_t>(properties.l2CacheSize)});
  }
  static_cast<void>(cudaGetLastError());
  return devices;
}

std::string why_no_cuda_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  static_cast<void>(cudaGetLastError());
  if (status != cudaSuccess) return cudaGetErrorString(status);
  return count > 0 ? "" : "no CUDA device found";
}

std::string cuda_driver_version() {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess && version > 0 ? version_text(version) : "";
}

std::string cuda_runtime_version() {
  int version = 0;
  return cudaRuntimeGetVersion(&version) == cudaSuccess ? version_text(version) : "";
}

#else

std::vector<CudaDevice> cuda_devices() { return {}; }
std::string why_no_cuda_device() { return "this build of wrsgpu has no CUDA"; }
std::string cuda_driver_version() { return {}; }
std::string cuda_runtime_version() { return {}; }

#endif

void require_cuda_device() {
  if (const std::string reason = why_no_cuda_device(); !reason.empty()) {
    throw CudaError("device 'cuda' is not available: " + reason);
  }
}

}  // namespace wrsgpu
