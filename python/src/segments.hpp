// What the module has of `SegmentedSampler` and `GpuSegmentedSampler`.
#pragma once

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>

#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "wrsgpu/segmented_sampler.hpp"

namespace wrsgpu::python {

/// Offsets at an address, of 4 or 8 bytes each; of 0 bytes: segments of equal length.
struct OffsetsArgument {
  Address address;
  std::uint64_t segments;
  int bytes;

  [[nodiscard]] SegmentsView view(std::uint64_t items, bool on_device) const {
    if (bytes == 0) return SegmentsView::equal(segments, segments == 0 ? 0 : items / segments);
    if (bytes == 4) return view_of<std::uint32_t>(on_device);
    return view_of<std::uint64_t>(on_device);
  }

 private:
  template <class T>
  [[nodiscard]] SegmentsView view_of(bool on_device) const {
    const std::span<const T> offsets = elements<const T>(address, segments + 1);
    return on_device ? SegmentsView::on_device(offsets) : SegmentsView(offsets);
  }
};

/// A sampler of segments that several Python threads can use. `Place` has the members
///   Sampler                              the class of the library
///   run(size, work)                      runs long work of `size` numbers
///   end(work)                            runs the last work, without exceptions
///   with_weights(address, size, type, use)
///   on_device                            where arrays are
///   stream(address)                      on a device, the last argument of draws
template <class Place>
class Segments {
 public:
  Segments(const Place& place, int rounds, unsigned threads, bool empty_ok)
      : place_(place),
        options_{.empty_ok = empty_ok,
                 .generator = rounds == 7 ? Generator::philox7 : Generator::philox,
                 .threads = threads} {}
  Segments(const Segments&) = delete;
  Segments& operator=(const Segments&) = delete;
  ~Segments() {
    place_.end([&] { sampler_.reset(); });
  }

  void rebuild(Address offsets, std::uint64_t segments, int offset_bytes, Address weights,
               std::uint64_t size, const std::string& type) {
    place_.run(size, [&] {
      const std::unique_lock lock(mutex_);
      const SegmentsView view =
          OffsetsArgument{offsets, segments, offset_bytes}.view(size, Place::on_device);
      place_.with_weights(weights, size, type, [&](const auto& values) {
        if (sampler_) {
          sampler_->rebuild(view, values);
        } else {
          sampler_.emplace(view, values, options_);
          if constexpr (Place::on_device) sampler_->release_temporary_memory();
        }
      });
    });
  }

  /// On a device, within the capacities.
  void rebuild_on_stream(Address offsets, std::uint64_t segments, int offset_bytes, Address weights,
                         std::uint64_t size, const std::string& type,
                         Address stream) requires(Place::on_device) {
    place_.run(size, [&] {
      const std::unique_lock lock(mutex_);
      place_.with_weights(weights, size, type, [&](const auto& values) {
        sampler_->rebuild(OffsetsArgument{offsets, segments, offset_bytes}.view(size, true), values,
                          Place::stream(stream));
      });
    });
  }

  void finish(Address stream) requires(Place::on_device) {
    place_.run(0, [&] {
      const std::unique_lock lock(mutex_);
      sampler_->finish(Place::stream(stream));
    });
  }

  /// The maximum number of segments and of items of `rebuild_on_stream`.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> capacity() const
      requires(Place::on_device) {
    const std::shared_lock lock(mutex_);
    return {sampler_->segment_capacity(), sampler_->capacity()};
  }
  /// The number of segments and of items.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> sizes() const {
    const std::shared_lock lock(mutex_);
    return {sampler_->segments(), sampler_->size()};
  }

  void draw(Address from, std::uint64_t segments, std::uint64_t k, Address out, bool local,
            Address payload, Address counts, std::uint64_t seed, std::uint64_t offset,
            Address stream) const {
    use(segments * k, [&](const auto& sampler) {
      call(stream, [&](auto... on) {
        sampler.draw(elements<const Index>(from, segments), k, elements<Index>(out, segments * k),
                     {seed, offset}, options(local, payload, counts, segments), on...);
      });
    });
  }

  void choose(Address weights, const std::string& type, Address from, std::uint64_t segments,
              std::uint64_t k, Address out, bool local, Address payload, Address counts,
              std::uint64_t seed, std::uint64_t offset, Address stream) const {
    use(segments * k, [&](const auto& sampler) {
      place_.with_weights(weights, sampler.size(), type, [&](const auto& values) {
        call(stream, [&](auto... on) {
          sampler.choose(values, elements<const Index>(from, segments), k,
                         elements<Index>(out, segments * k), {seed, offset},
                         options(local, payload, counts, segments), on...);
        });
      });
    });
  }

  void walk(Address starts, std::uint64_t walks, std::uint64_t length, Address neighbours,
            Address out, std::uint64_t seed, std::uint64_t offset, Address stream) const {
    use(walks * length, [&](const auto& sampler) {
      call(stream, [&](auto... on) {
        sampler.walk(elements<const Index>(starts, walks), length,
                     elements<const Index>(neighbours, sampler.size()),
                     elements<Index>(out, walks * (length + 1)), {seed, offset}, on...);
      });
    });
  }

 private:
  [[nodiscard]] SegmentedDrawOptions options(bool local, Address payload, Address counts,
                                             std::uint64_t segments) const {
    return {.local_numbers = local,
            .payload = elements<const Index>(payload, payload == 0 ? 0 : sampler_->size()),
            .counts = elements<Index>(counts, counts == 0 ? 0 : segments)};
  }
  template <class Draw>
  void call(Address stream, const Draw& draw) const {
    if constexpr (Place::on_device) {
      draw(Place::stream(stream));
    } else {
      draw();
    }
  }
  template <class Work>
  void use(std::uint64_t size, const Work& work) const {
    place_.run(size, [&] {
      const std::shared_lock lock(mutex_);
      work(*sampler_);
    });
  }

  Place place_;
  SegmentedSamplerOptions options_;
  mutable std::shared_mutex mutex_;  // shared by draws
  std::optional<typename Place::Sampler> sampler_;
};

template <class Place>
nb::class_<Segments<Place>> bind_segments_of(nb::module_& module, const char* name) {
  using Class = Segments<Place>;
  return nb::class_<Class>(module, name)
      .def("rebuild", &Class::rebuild, "offsets"_a, "segments"_a, "offset_bytes"_a, "weights"_a,
           "size"_a, "type"_a)
      .def("draw", &Class::draw, "segments"_a, "count"_a, "k"_a, "out"_a, "local"_a, "payload"_a,
           "counts"_a, "seed"_a, "offset"_a, "stream"_a)
      .def("choose", &Class::choose, "weights"_a, "type"_a, "segments"_a, "count"_a, "k"_a, "out"_a,
           "local"_a, "payload"_a, "counts"_a, "seed"_a, "offset"_a, "stream"_a)
      .def("walk", &Class::walk, "starts"_a, "count"_a, "length"_a, "neighbours"_a, "out"_a,
           "seed"_a, "offset"_a, "stream"_a);
}

}  // namespace wrsgpu::python
