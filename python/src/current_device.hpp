// The device that is current in a call, and streams.
#pragma once

#include <cuda_runtime_api.h>

#include <new>
#include <string>

#include "python/src/arrays.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::python {

inline void require_success(cudaError_t status) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // clears it
  throw CudaError(std::string("CUDA: ") + cudaGetErrorString(status));
}

/// Makes a device current while the instance lives.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) { require_success(make_current(device)); }
  /// For destructors: stays silent if it fails, as after the driver has shut down.
  CurrentDevice(int device, std::nothrow_t /*tag*/) { static_cast<void>(make_current(device)); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() {
    if (changed_) static_cast<void>(cudaSetDevice(before_));
  }

 private:
  cudaError_t make_current(int device) {
    if (const cudaError_t status = cudaGetDevice(&before_); status != cudaSuccess) return status;
    changed_ = before_ != device;
    return changed_ ? cudaSetDevice(device) : cudaSuccess;
  }

  int before_ = 0;
  bool changed_ = false;
};

/// Weights in device memory, of type float32 or float64.
[[nodiscard]] inline WeightsView device_weights(Address weights, std::uint64_t size,
                                                const std::string& type) {
  if (type == "float32") return WeightsView::on_device(elements<const float>(weights, size));
  return WeightsView::on_device(elements<const double>(weights, size));
}

/// A random state in device memory.
[[nodiscard]] inline RandomState* as_state(Address state) {
  return reinterpret_cast<RandomState*>(state);
}

[[nodiscard]] inline cudaStream_t as_stream(Address stream) {
  return reinterpret_cast<cudaStream_t>(stream);
}

}  // namespace wrsgpu::python
