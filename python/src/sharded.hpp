// Sharded samplers on the CPU and on a GPU.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "wrsgpu/communicator.hpp"
#include "wrsgpu/detail/sharding/shards.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::python {

/// The ranks of an object of Python, which exchanges data: `all_gather(bytes)` returns the bytes of
/// all ranks; `exchange` has the addresses of numbers to send and to receive, their counts, and the
/// stream of the GPU that the exchange is on.
template <class Base>
class PythonRanks : public Base {
 public:
  PythonRanks(nb::object group, unsigned rank, unsigned ranks)
      : Base(rank, ranks), group_(std::move(group)) {}

 protected:
  void exchange(std::span<const std::uint64_t> send, std::span<const std::uint64_t> send_counts,
                std::span<std::uint64_t> receive, std::span<const std::uint64_t> receive_counts,
                Address stream) {
    const nb::gil_scoped_acquire acquire;
    group_.attr("exchange")(reinterpret_cast<Address>(send.data()), list_of(send_counts),
                            reinterpret_cast<Address>(receive.data()), list_of(receive_counts),
                            stream);
  }

 private:
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    const nb::gil_scoped_acquire acquire;
    const nb::object gathered = group_.attr("all_gather")(nb::bytes(mine.data(), mine.size()));
    const auto wrong = [] {
      return std::invalid_argument("all_gather of a group must return the bytes of each rank");
    };
    if (nb::len(gathered) != this->ranks()) throw wrong();
    for (unsigned rank = 0; rank < this->ranks(); ++rank) {
      const auto bytes = nb::cast<nb::bytes>(gathered[rank]);
      if (bytes.size() != mine.size()) throw wrong();
      std::memcpy(all.data() + rank * mine.size(), bytes.c_str(), mine.size());
    }
  }

  [[nodiscard]] static nb::list list_of(std::span<const std::uint64_t> numbers) {
    nb::list list;
    for (const std::uint64_t number : numbers) list.append(number);
    return list;
  }

  nb::object group_;
};

/// A sharded sampler, with the interpreter's lock released in each call. `Where` has the types of
/// sampler and ranks, and calls work where the device is current; streams are ignored on the CPU.
template <class Where>
class Sharded {
 public:
  Sharded(const Where& where, nb::object group, unsigned rank, unsigned ranks, int rounds,
          unsigned threads)
      : where_(where),
        options_(sampler_options(false, rounds, threads)),
        ranks_(std::make_unique<typename Where::Ranks>(std::move(group), rank, ranks)) {}
  Sharded(const Sharded&) = delete;
  Sharded& operator=(const Sharded&) = delete;
  ~Sharded() {
    const nb::gil_scoped_release release;
    where_.end([&] { sampler_.reset(); });
  }

  void rebuild(Address weights, std::uint64_t size, const std::string& type, bool on_device) {
    use([&] {
      bool is_read = false;
      try {
        where_.with_weights(weights, size, type, on_device, [&](WeightsView shard) {
          is_read = true;
          if (sampler_) {
            sampler_->rebuild(shard);
          } else {
            sampler_ = std::make_unique<typename Where::Sampler>(shard, *ranks_, options_);
          }
        });
      } catch (...) {
        if (is_read) throw;
        fail_in_place(std::current_exception(), true);
      }
    });
  }

  /// In place of a collective call on this rank.
  void fail(const std::string& message, bool out_of_memory, bool of_rebuild) {
    use([&] {
      fail_in_place(out_of_memory ? std::make_exception_ptr(OutOfMemory(message))
                                  : std::make_exception_ptr(Error(message)),
                    of_rebuild);
    });
  }

  [[nodiscard]] std::uint64_t size() const { return sampler().size(); }
  [[nodiscard]] std::uint64_t first_item() const { return sampler().first_item(); }
  [[nodiscard]] Index shard_size() const { return sampler().shard_size(); }
  [[nodiscard]] std::uint64_t shard_mass(unsigned rank) const { return sampler().shard_mass(rank); }
  [[nodiscard]] std::uint64_t count_local(std::uint64_t samples, std::uint64_t seed,
                                          std::uint64_t offset) const {
    return sampler().count_local(samples, {seed, offset});
  }
  void shard_histogram(Address counts, std::uint64_t samples, std::uint64_t seed,
                       std::uint64_t offset) const {
    sampler().shard_histogram(elements<std::uint64_t>(counts, ranks_->ranks()), samples,
                              {seed, offset});
  }

  void draw_local(Address out, std::uint64_t size, std::uint64_t samples, std::uint64_t seed,
                  std::uint64_t offset, Address stream) const {
    use([&] {
      where_.on(stream, [&](auto... on) {
        sampler().draw_local(elements<std::uint64_t>(out, size), samples, {seed, offset}, on...);
      });
    });
  }
  void histogram(Address counts, std::uint64_t size, std::uint64_t samples, std::uint64_t seed,
                 std::uint64_t offset, Address stream) const {
    use([&] {
      where_.on(stream, [&](auto... on) {
        sampler().histogram(elements<std::uint64_t>(counts, size), samples, {seed, offset}, on...);
      });
    });
  }
  void draw_scattered(Address out, std::uint64_t size, std::uint64_t seed, std::uint64_t offset,
                      Address stream) {
    use([&] {
      where_.on(stream, [&](auto... on) {
        sampler().draw_scattered(elements<std::uint64_t>(out, size), {seed, offset}, on...);
      });
    });
  }

 private:
  /// There is none if the first build failed, on all ranks.
  [[nodiscard]] typename Where::Sampler& sampler() const {
    if (!sampler_) throw Error(detail::no_tables);
    return *sampler_;
  }
  [[noreturn]] void fail_in_place(const std::exception_ptr& reason, bool of_rebuild) {
    if (of_rebuild && sampler_) sampler_->fail_rebuild(reason);
    fail_on_all_ranks(*ranks_, reason);
  }
  template <class Work>
  void use(const Work& work) const {
    const nb::gil_scoped_release release;
    where_.run(work);
  }

  Where where_;
  WeightedSamplerOptions options_;
  std::unique_ptr<typename Where::Ranks> ranks_;
  std::unique_ptr<typename Where::Sampler> sampler_;
};

template <class Where>
nb::class_<Sharded<Where>> bind_sharded_of(nb::module_& module, const char* name) {
  using Class = Sharded<Where>;
  return nb::class_<Class>(module, name)
      .def("rebuild", &Class::rebuild, "weights"_a, "size"_a, "type"_a, "on_device"_a)
      .def("fail", &Class::fail, "message"_a, "out_of_memory"_a, "of_rebuild"_a)
      .def("size", &Class::size)
      .def("first_item", &Class::first_item)
      .def("shard_size", &Class::shard_size)
      .def("shard_mass", &Class::shard_mass, "rank"_a)
      .def("count_local", &Class::count_local, "samples"_a, "seed"_a, "offset"_a)
      .def("shard_histogram", &Class::shard_histogram, "counts"_a, "samples"_a, "seed"_a,
           "offset"_a)
      .def("draw_local", &Class::draw_local, "out"_a, "size"_a, "samples"_a, "seed"_a, "offset"_a,
           "stream"_a)
      .def("histogram", &Class::histogram, "counts"_a, "size"_a, "samples"_a, "seed"_a, "offset"_a,
           "stream"_a)
      .def("draw_scattered", &Class::draw_scattered, "out"_a, "size"_a, "seed"_a, "offset"_a,
           "stream"_a);
}

}  // namespace wrsgpu::python
