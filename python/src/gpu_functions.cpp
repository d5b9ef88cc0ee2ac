#include <cuda_runtime_api.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/current_device.hpp"
#include "python/src/gpu_items.hpp"
#include "wrsgpu/gpu_multinomial_counts.cuh"
#include "wrsgpu/gpu_resample.cuh"
#include "wrsgpu/gpu_segmented_sampler.cuh"
#include "wrsgpu/gpu_weighted_sampler.cuh"
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

/// Returns the number of items chosen.
[[nodiscard]] std::uint64_t gpu_choose(Address weights, std::uint64_t size, const std::string& type,
                                       Address out, std::uint64_t chosen, int bytes,
                                       bool allow_fewer, bool check, std::uint64_t seed,
                                       std::uint64_t offset, Address state, int device,
                                       Address stream) {
  const nb::gil_scoped_release release;
  const CurrentDevice current(device);
  return choose_on_stream(device_weights(weights, size, type),
                          {out, chosen, bytes, check, as_stream(stream)}, allow_fewer,
                          {{seed, offset}, state});
}

void gpu_resample(Address weights, std::uint64_t size, const std::string& type, Address out,
                  std::uint64_t ancestors, int bytes, int scheme, bool check, std::uint64_t seed,
                  std::uint64_t offset, Address state, int device, Address stream) {
  const nb::gil_scoped_release release;
  const CurrentDevice current(device);
  const cudaStream_t on = as_stream(stream);
  static_cast<void>(write_items({out, ancestors, bytes, check, on}, [&](std::span<Index> items) {
    const auto all = static_cast<Index>(size);
    const auto count = static_cast<Index>(ancestors);
    const std::size_t storage_bytes = GpuResampler::storage_bytes(all, count);
    const PoolBuffer<std::byte> storage(storage_bytes, on);
    GpuResampler resampler(all, count, {storage.data(), storage_bytes});
    const WeightsView view = device_weights(weights, size, type);
    const auto by = static_cast<ResamplingScheme>(scheme);
    if (state != 0) {
      resampler.resample_and_advance(view, items, by, as_state(state), on);
    } else {
      resampler.resample(view, items, by, RandomState{seed, offset}, on);
    }
    if (check) resampler.finish(on);
    return ancestors;
  }));
}

/// `items` numbers of 8 bytes.
void gpu_multinomial_counts(Address weights, std::uint64_t size, const std::string& type,
                            Address out, std::uint64_t items, int /*bytes*/, std::uint64_t samples,
                            bool check, std::uint64_t seed, std::uint64_t offset, Address state,
                            int device, Address stream) {
  const nb::gil_scoped_release release;
  const CurrentDevice current(device);
  const cudaStream_t on = as_stream(stream);
  const std::span<std::uint64_t> counts = elements<std::uint64_t>(out, items);
  if (!check) require_success(cudaMemsetAsync(counts.data(), 0xFF, counts.size_bytes(), on));
  const auto all = static_cast<Index>(size);
  const std::size_t storage_bytes = GpuMultinomialCounter::storage_bytes(all);
  const PoolBuffer<std::byte> storage(storage_bytes, on);
  GpuMultinomialCounter counter(all, {storage.data(), storage_bytes});
  const WeightsView view = device_weights(weights, size, type);
  if (state != 0) {
    counter.count_and_advance(view, counts, samples, as_state(state), on);
  } else {
    counter.count(view, counts, samples, RandomState{seed, offset}, on);
  }
  if (check) counter.finish(on);
}

/// A number in page-locked memory, which the thread keeps.
[[nodiscard]] Index& page_locked_number() {
  struct Memory {
    Memory() { require_success(cudaMallocHost(&number, sizeof(Index))); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() { static_cast<void>(cudaFreeHost(number)); }
    void* number = nullptr;
  };
  thread_local const Memory memory;
  return *static_cast<Index*>(memory.number);
}

/// Draws 64-bit numbers from each row of a matrix. Waits for the outcome: whether all are valid.
[[nodiscard]] bool gpu_draw_from_rows(Address weights, std::uint64_t rows, std::uint64_t columns,
                                      const std::string& type, std::uint64_t samples, bool replace,
                                      Address out, std::uint64_t seed, int device, Address stream) {
  using Draw = void (*)(WeightsView, std::uint64_t, std::uint64_t, std::uint64_t,
                        std::span<std::uint64_t>, RandomState, Generator, cudaStream_t, Index*);
  const nb::gil_scoped_release release;
  const CurrentDevice current(device);
  Draw draw = &gpu_multinomial;
  if (!replace) draw = &gpu_choose_from_rows;
  Index& invalid = page_locked_number();
  invalid = 0;
  draw(device_weights(weights, rows * columns, type), rows, columns, samples,
       elements<std::uint64_t>(out, rows * samples), {seed}, Generator::philox, as_stream(stream),
       &invalid);
  require_success(cudaStreamSynchronize(as_stream(stream)));
  return invalid == 0;
}

/// Draws 64-bit numbers from a table that is known by its rows.
void gpu_draw_from_table(Address rows, Index items, Address out, std::uint64_t size, Address state,
                         int device, Address stream) {
  const nb::gil_scoped_release release;
  const CurrentDevice current(device);
  draw_and_advance(SamplerView(CompactRows(elements<CompactRow>(rows, items).data(), items)),
                   elements<std::uint64_t>(out, size), as_state(state), as_stream(stream));
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

/// Versions of the toolkit and of the driver, as 13000 for 13.0; 0 for a missing driver.
[[nodiscard]] std::pair<int, int> cuda_versions() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) static_cast<void>(cudaGetLastError());
  return {CUDART_VERSION, driver};
}

}  // namespace

void bind_gpu_functions(nb::module_& module) {
  module.def("gpu_sample_without_replacement", &gpu_sample_without_replacement, "items"_a, "out"_a,
             "size"_a, "bytes"_a, "seed"_a, "first"_a, "device"_a, "stream"_a);
  module.def("gpu_choose", &gpu_choose, "weights"_a, "size"_a, "type"_a, "out"_a, "chosen"_a,
             "bytes"_a, "allow_fewer"_a, "check"_a, "seed"_a, "offset"_a, "state"_a, "device"_a,
             "stream"_a);
  module.def("gpu_resample", &gpu_resample, "weights"_a, "size"_a, "type"_a, "out"_a, "ancestors"_a,
             "bytes"_a, "scheme"_a, "check"_a, "seed"_a, "offset"_a, "state"_a, "device"_a,
             "stream"_a);
  module.def("gpu_multinomial_counts", &gpu_multinomial_counts, "weights"_a, "size"_a, "type"_a,
             "out"_a, "items"_a, "bytes"_a, "samples"_a, "check"_a, "seed"_a, "offset"_a, "state"_a,
             "device"_a, "stream"_a);
  module.def("gpu_multinomial", &gpu_draw_from_rows, "weights"_a, "rows"_a, "columns"_a, "type"_a,
             "samples"_a, "replace"_a, "out"_a, "seed"_a, "device"_a, "stream"_a);
  module.def("gpu_draw_from_table", &gpu_draw_from_table, "rows"_a, "items"_a, "out"_a, "size"_a,
             "state"_a, "device"_a, "stream"_a);
  module.def("order_streams", &order_streams, "earlier"_a, "later"_a, "device"_a);
  module.def("synchronise", &synchronise, "stream"_a, "device"_a);
  module.def("device_of", &device_of, "memory"_a);
  module.def("is_capturing", &is_capturing, "stream"_a);
  module.def("cuda_versions", &cuda_versions);
  module.def("device_count", &device_count);
}

}  // namespace wrsgpu::python
