#include <cuda_runtime_api.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/current_device.hpp"
#include "python/src/gpu_items.hpp"
#include "wrsgpu/detail/sampling/sampler_support.hpp"
#include "wrsgpu/gpu_weighted_sampler.cuh"

namespace wrsgpu::python {
namespace {

/// A `GpuWeightedSampler` that several Python threads can use: the lock of the interpreter is
/// released in each call, in which the sampler's device is the current one.
class GpuSampler {
 public:
  GpuSampler(int device, const WeightedSamplerOptions& options)
      : device_(device), sampler_(options) {}
  GpuSampler(const GpuSampler&) = delete;
  GpuSampler& operator=(const GpuSampler&) = delete;
  ~GpuSampler() {
    // Waits for draws in flight (cudaFree does), without keeping other threads of Python waiting.
    const nb::gil_scoped_release release;
    const CurrentDevice current(device_, std::nothrow);
    sampler_ = GpuWeightedSampler();
  }

  /// The first time it releases the temporary memory, which most samplers need no more.
  void rebuild(Address weights, std::uint64_t size, const std::string& type, bool on_device) {
    change([&] {
      const bool is_first = sampler_.capacity() == 0;
      if (on_device) {
        sampler_.rebuild(device_weights(weights, size, type));
      } else {
        with_host_weights(weights, size, type,
                          [&](const AnyWeights& values) { sampler_.rebuild(values); });
      }
      if (is_first) sampler_.release_temporary_memory();
    });
  }

  void rebuild_on_stream(Address weights, std::uint64_t size, const std::string& type,
                         Address stream) {
    change([&] { sampler_.rebuild(device_weights(weights, size, type), as_stream(stream)); });
  }

  /// Changes weights; those of `values` have the type of the kept ones.
  void update(Address indices, Address values, std::uint64_t count, const std::string& type,
              Address stream) {
    change([&] {
      with_floats(values, count, type, [&](auto weights) {
        sampler_.update(elements<const Index>(indices, count), weights, as_stream(stream));
      });
    });
  }

  /// `may_be_idle`: that nothing is pending is no error.
  void finish(Address stream, bool may_be_idle) {
    change([&] {
      if (may_be_idle && !sampler_.is_pending(as_stream(stream))) return;
      sampler_.finish(as_stream(stream));
    });
  }

  void load(const std::string& file, const WeightedSamplerOptions& options) {
    change([&] { sampler_ = GpuWeightedSampler::load(file, options); });
  }

  void save(const std::string& file) const {
    use([&] { sampler_.save(file); });
  }

  [[nodiscard]] Index size() const {
    Index items = 0;
    use([&] { items = sampler_.size(); });
    return items;
  }

  [[nodiscard]] Index capacity() const {
    Index items = 0;
    use([&] { items = sampler_.capacity(); });
    return items;
  }

  void draw(Address out, std::uint64_t size, int bytes, std::uint64_t seed, std::uint64_t offset,
            Address stream) const {
    use([&] {
      with_numbers(out, size, bytes, [&](auto samples) {
        sampler_.draw(samples, {seed, offset}, as_stream(stream));
      });
    });
  }

  void draw_and_advance(Address out, std::uint64_t size, int bytes, Address state,
                        Address stream) const {
    use([&] {
      with_numbers(out, size, bytes, [&](auto samples) {
        sampler_.draw_and_advance(samples, as_state(state), as_stream(stream));
      });
    });
  }

  /// Chooses `count` items by the kept weights. Returns the number of items chosen.
  std::uint64_t choose(Address out, std::uint64_t count, int bytes, bool allow_fewer, bool check,
                       std::uint64_t seed, std::uint64_t offset, Address state,
                       Address stream) const {
    std::uint64_t found = 0;
    use([&] {
      found = choose_on_stream(sampler_.weights(), {out, count, bytes, check, as_stream(stream)},
                               allow_fewer, {{seed, offset}, state});
    });
    return found;
  }

  /// Draws `count` different items by the table alone; returns the number of words used, if there
  /// is a check.
  std::uint64_t draw_distinct(Address out, std::uint64_t count, int bytes, bool check,
                              std::uint64_t seed, std::uint64_t offset, Address state,
                              Address stream) const {
    const cudaStream_t on = as_stream(stream);
    std::uint64_t used = 0;
    use([&] {
      static_cast<void>(write_items({out, count, bytes, check, on}, [&](std::span<Index> items) {
        const PoolBuffer<std::uint64_t> words(1, on);
        if (state != 0) {
          sampler_.draw_distinct_and_advance(items, as_state(state), words.data(), on);
        } else {
          sampler_.draw_distinct(items, {seed, offset}, words.data(), on);
        }
        if (check) {
          require_success(
              cudaMemcpyAsync(&used, words.data(), sizeof used, cudaMemcpyDeviceToHost, on));
          require_success(cudaStreamSynchronize(on));
          if (used == 0) detail::throw_too_few_distinct(count);
        }
        return count;
      }));
    });
    return used;
  }

  void histogram(Address counts, std::uint64_t size, std::uint64_t samples, std::uint64_t seed,
                 std::uint64_t offset, Address stream) const {
    use([&] {
      sampler_.histogram(elements<std::uint64_t>(counts, size), samples, {seed, offset},
                         as_stream(stream));
    });
  }

  void histogram_and_advance(Address counts, std::uint64_t size, std::uint64_t samples,
                             Address state, Address stream) const {
    use([&] {
      sampler_.histogram_and_advance(elements<std::uint64_t>(counts, size), samples,
                                     as_state(state), as_stream(stream));
    });
  }

  /// The address of the table's rows.
  [[nodiscard]] Address rows() const {
    Address address = 0;
    use([&] { address = reinterpret_cast<Address>(sampler_.view().rows().data()); });
    return address;
  }

  void probabilities(Address out, std::uint64_t size, Address stream) const {
    use([&] { sampler_.probabilities(elements<float>(out, size), as_stream(stream)); });
  }

  /// Of samples of this many bytes, by the kept weights.
  void probabilities_of(Address samples, std::uint64_t count, int bytes, Address out,
                        Address stream) const {
    use([&] {
      with_numbers(samples, count, bytes, [&]<class Number>(std::span<Number> numbers) {
        sampler_.probabilities_of(std::span<const Number>(numbers), elements<float>(out, count),
                                  as_stream(stream));
      });
    });
  }

 private:
  template <class Work>
  void use(const Work& work) const {
    const nb::gil_scoped_release release;
    const std::shared_lock lock(mutex_);
    const CurrentDevice current(device_);
    work();
  }
  template <class Work>
  void change(const Work& work) {
    const nb::gil_scoped_release release;
    const std::unique_lock lock(mutex_);
    const CurrentDevice current(device_);
    work();
  }

  int device_;
  mutable std::shared_mutex mutex_;  // shared by draws
  GpuWeightedSampler sampler_;
};

}  // namespace

void bind_gpu_sampler(nb::module_& module) {
  nb::class_<GpuSampler>(module, "GpuSampler")
      .def(
          "__init__",
          [](GpuSampler* self, int device, bool any_order, int rounds, unsigned threads,
             bool keep_weights) {
            new (self)
                GpuSampler(device, sampler_options(any_order, rounds, threads, keep_weights));
          },
          "device"_a, "any_order"_a, "rounds"_a, "threads"_a, "keep_weights"_a)
      .def(
          "load",
          [](GpuSampler& self, const std::string& file, bool any_order, int rounds,
             unsigned threads) { self.load(file, sampler_options(any_order, rounds, threads)); },
          "file"_a, "any_order"_a, "rounds"_a, "threads"_a)
      .def("rebuild", &GpuSampler::rebuild, "weights"_a, "size"_a, "type"_a, "on_device"_a)
      .def("rebuild_on_stream", &GpuSampler::rebuild_on_stream, "weights"_a, "size"_a, "type"_a,
           "stream"_a)
      .def("update", &GpuSampler::update, "indices"_a, "values"_a, "count"_a, "type"_a, "stream"_a)
      .def("finish", &GpuSampler::finish, "stream"_a, "may_be_idle"_a)
      .def("save", &GpuSampler::save, "file"_a)
      .def("size", &GpuSampler::size)
      .def("capacity", &GpuSampler::capacity)
      .def("draw", &GpuSampler::draw, "out"_a, "size"_a, "bytes"_a, "seed"_a, "offset"_a,
           "stream"_a)
      .def("draw_and_advance", &GpuSampler::draw_and_advance, "out"_a, "size"_a, "bytes"_a,
           "state"_a, "stream"_a)
      .def("choose", &GpuSampler::choose, "out"_a, "count"_a, "bytes"_a, "allow_fewer"_a, "check"_a,
           "seed"_a, "offset"_a, "state"_a, "stream"_a)
      .def("draw_distinct", &GpuSampler::draw_distinct, "out"_a, "count"_a, "bytes"_a, "check"_a,
           "seed"_a, "offset"_a, "state"_a, "stream"_a)
      .def("histogram", &GpuSampler::histogram, "counts"_a, "size"_a, "samples"_a, "seed"_a,
           "offset"_a, "stream"_a)
      .def("histogram_and_advance", &GpuSampler::histogram_and_advance, "counts"_a, "size"_a,
           "samples"_a, "state"_a, "stream"_a)
      .def("rows", &GpuSampler::rows)
      .def("probabilities", &GpuSampler::probabilities, "out"_a, "size"_a, "stream"_a)
      .def("probabilities_of", &GpuSampler::probabilities_of, "samples"_a, "count"_a, "bytes"_a,
           "out"_a, "stream"_a);
}

}  // namespace wrsgpu::python
