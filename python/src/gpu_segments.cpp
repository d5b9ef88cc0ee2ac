#include <cuda_runtime_api.h>

#include "python/src/current_device.hpp"
#include "python/src/segments.hpp"
#include "wrsgpu/gpu_segmented_sampler.cuh"

namespace wrsgpu::python {
namespace {

/// A GPU, for `Segments`.
struct Gpu {
  using Sampler = GpuSegmentedSampler;
  static constexpr bool on_device = true;
  int device;

  template <class Work>
  void run(std::uint64_t /*size*/, const Work& work) const {
    const nb::gil_scoped_release release;
    const CurrentDevice current(device);
    work();
  }
  template <class Work>
  void end(const Work& work) const {
    const nb::gil_scoped_release release;
    const CurrentDevice current(device, std::nothrow);
    work();
  }
  template <class Use>
  void with_weights(Address weights, std::uint64_t size, const std::string& type,
                    const Use& use) const {
    use(device_weights(weights, size, type));
  }
  [[nodiscard]] static cudaStream_t stream(Address address) { return as_stream(address); }
};

}  // namespace

void bind_gpu_segments(nb::module_& module) {
  bind_segments_of<Gpu>(module, "GpuSegments")
      .def(
          "__init__",
          [](Segments<Gpu>* self, int device, int rounds, bool empty_ok) {
            new (self) Segments<Gpu>({device}, rounds, 0, empty_ok);
          },
          "device"_a, "rounds"_a, "empty_ok"_a)
      .def("rebuild_on_stream", &Segments<Gpu>::rebuild_on_stream, "offsets"_a, "segments"_a,
           "offset_bytes"_a, "weights"_a, "size"_a, "type"_a, "stream"_a)
      .def("finish", &Segments<Gpu>::finish, "stream"_a)
      .def("capacity", &Segments<Gpu>::capacity)
      .def("sizes", &Segments<Gpu>::sizes);
}

}  // namespace wrsgpu::python
