#include <cuda_runtime_api.h>

#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/current_device.hpp"
#include "wrsgpu/gpu_without_replacement.cuh"

namespace wrsgpu::python {
namespace {

void gpu_sample_without_replacement(std::uint64_t items, Address out, std::uint64_t size, int bytes,
                                    std::uint64_t seed, std::uint64_t first, int device,
                                    Address stream) {
  const nb::gil_scoped_release release;
  const CurrentDevice current(device);
  with_numbers(out, size, bytes, [&](auto numbers) {
    shuffle::gpu_sample_without_replacement(items, numbers, seed, first, as_stream(stream));
  });
}

/// Makes later work on `later` wait for the work that is now on `earlier`.
void order_streams(Address earlier, Address later, int device) {
  const CurrentDevice current(device);
  cudaEvent_t done = nullptr;
  require_success(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  cudaError_t status = cudaEventRecord(done, as_stream(earlier));
  if (status == cudaSuccess) status = cudaStreamWaitEvent(as_stream(later), done, 0);
  static_cast<void>(cudaEventDestroy(done));  // takes place when the event is done
  require_success(status);
}

void synchronise(Address stream, int device) {
  const nb::gil_scoped_release release;
  const CurrentDevice current(device);
  require_success(cudaStreamSynchronize(as_stream(stream)));
}

/// The device whose memory is at an address.
[[nodiscard]] int device_of(Address memory) {
  cudaPointerAttributes attributes{};
  require_success(cudaPointerGetAttributes(&attributes, reinterpret_cast<const void*>(memory)));
  return attributes.device;
}

[[nodiscard]] bool is_capturing(Address stream) {
  cudaStreamCaptureStatus status{};
  require_success(cudaStreamIsCapturing(as_stream(stream), &status));
  return status != cudaStreamCaptureStatusNone;
}

/// 0 without a driver.
[[nodiscard]] int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  static_cast<void>(cudaGetLastError());  // clears it
  return 0;
}

}  // namespace

void bind_gpu_functions(nb::module_& module) {
  module.def("gpu_sample_without_replacement", &gpu_sample_without_replacement, "items"_a, "out"_a,
             "size"_a, "bytes"_a, "seed"_a, "first"_a, "device"_a, "stream"_a);
  module.def("order_streams", &order_streams, "earlier"_a, "later"_a, "device"_a);
  module.def("synchronise", &synchronise, "stream"_a, "device"_a);
  module.def("device_of", &device_of, "memory"_a);
  module.def("is_capturing", &is_capturing, "stream"_a);
  module.def("device_count", &device_count);
}

}  // namespace wrsgpu::python
