#include <nanobind/stl/string.h>

#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>

#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/interruptible.hpp"
#include "wrsgpu/choose.hpp"
#include "wrsgpu/detail/sampling/sampler_support.hpp"
#include "wrsgpu/weighted_sampler.hpp"

namespace wrsgpu::python {
namespace {

/// A `WeightedSampler` that several Python threads can use: the lock of the interpreter is released
/// in each call.
class HostSampler {
 public:
  explicit HostSampler(const WeightedSamplerOptions& options) : sampler_(options) {}

  void rebuild(Address weights, std::uint64_t size, const std::string& type) {
    run_interruptibly(size, [&] {
      const std::unique_lock lock(mutex_);
      with_host_weights(weights, size, type,
                        [&](const AnyWeights& values) { sampler_.rebuild(values); });
    });
  }

  /// Changes weights; those of `values` have the type of the kept ones.
  void update(Address indices, Address values, std::uint64_t count, const std::string& type) {
    run_interruptibly(count, [&] {
      const std::unique_lock lock(mutex_);
      with_floats(values, count, type, [&](auto weights) {
        sampler_.update(elements<const Index>(indices, count), weights);
      });
    });
  }

  void load(const std::string& file, const WeightedSamplerOptions& options) {
    const nb::gil_scoped_release release;
    const std::unique_lock lock(mutex_);
    sampler_ = WeightedSampler::load(file, options);
  }

  void save(const std::string& file) const {
    const nb::gil_scoped_release release;
    const std::shared_lock lock(mutex_);
    sampler_.save(file);
  }

  [[nodiscard]] Index size() const {
    const nb::gil_scoped_release release;
    const std::shared_lock lock(mutex_);
    return sampler_.size();
  }

  void draw(Address out, std::uint64_t size, int bytes, std::uint64_t seed,
            std::uint64_t offset) const {
    run_interruptibly(size, [&] {
      const std::shared_lock lock(mutex_);
      with_numbers(out, size, bytes, [&](auto samples) { sampler_.draw(samples, {seed, offset}); });
    });
  }

  /// Chooses `count` items by the kept weights.
  /// Returns the number of items chosen.
  std::uint64_t choose(Address out, std::uint64_t count, int bytes, bool allow_fewer,
                       std::uint64_t seed, std::uint64_t offset) const {
    std::uint64_t found = 0;
    run_interruptibly(size(), [&] {
      const std::shared_lock lock(mutex_);
      found = write_host_items(out, count, bytes, [&](std::span<Index> items) {
        return wrsgpu::choose(sampler_.weights(), items, {seed, offset},
                              {.allow_fewer = allow_fewer});
      });
    });
    return found;
  }

  /// Draws `count` different items by the table alone; returns the number of words used.
  std::uint64_t draw_distinct(Address out, std::uint64_t count, int bytes, std::uint64_t seed,
                              std::uint64_t offset) const {
    // Most draws take few samples, and less time than to begin a thread; how many they take is
    // known only afterwards. Those that need more begin again.
    constexpr std::uint64_t few = 1 << 14;
    std::optional<std::uint64_t> used;
    if (count < few) {
      const nb::gil_scoped_release release;
      const std::shared_lock lock(mutex_);
      write_host_items(out, count, bytes, [&](std::span<Index> items) {
        used = detail::distinct_draws(
            items, {seed, offset}, few,
            [&](std::span<Index> drawn, RandomState state) { sampler_.draw(drawn, state); });
        return used ? count : 0;
      });
    }
    if (used) return *used;
    run_interruptibly(detail::max_distinct_draws(count), [&] {
      const std::shared_lock lock(mutex_);
      write_host_items(out, count, bytes, [&](std::span<Index> items) {
        used = sampler_.draw_distinct(items, {seed, offset});
        return count;
      });
    });
    return *used;
  }

  void histogram(Address counts, std::uint64_t size, std::uint64_t samples, std::uint64_t seed,
                 std::uint64_t offset) const {
    run_interruptibly(samples, [&] {
      const std::shared_lock lock(mutex_);
      sampler_.histogram(elements<std::uint64_t>(counts, size), samples, {seed, offset});
    });
  }

  /// The address of the table's rows.
  [[nodiscard]] Address rows() const {
    const nb::gil_scoped_release release;
    const std::shared_lock lock(mutex_);
    return reinterpret_cast<Address>(sampler_.view().rows().data());
  }

  void probabilities(Address out, std::uint64_t size) const {
    const nb::gil_scoped_release release;
    const std::shared_lock lock(mutex_);
    sampler_.probabilities(elements<float>(out, size));
  }

 private:
  mutable std::shared_mutex mutex_;  // shared by draws
  WeightedSampler sampler_;
};

/// Draws 64-bit numbers from a table that is known by its rows; single-threaded.
void draw_from_table(Address rows, Index items, Address out, std::uint64_t size, std::uint64_t seed,
                     std::uint64_t offset) {
  const SamplerView view(CompactRows(elements<CompactRow>(rows, items).data(), items));
  const RandomWords words(seed);
  run_interruptibly(size, [&] {
    std::uint64_t number = offset;
    for (std::uint64_t& item : elements<std::uint64_t>(out, size))
      item = view(words[number++]).item;
  });
}

}  // namespace

void bind_host_sampler(nb::module_& module) {
  nb::class_<HostSampler>(module, "HostSampler")
      .def(
          "__init__",
          [](HostSampler* self, bool any_order, int rounds, unsigned threads, bool keep_weights) {
            new (self) HostSampler(sampler_options(any_order, rounds, threads, keep_weights));
          },
          "any_order"_a, "rounds"_a, "threads"_a, "keep_weights"_a)
      .def(
          "load",
          [](HostSampler& self, const std::string& file, bool any_order, int rounds,
             unsigned threads) { self.load(file, sampler_options(any_order, rounds, threads)); },
          "file"_a, "any_order"_a, "rounds"_a, "threads"_a)
      .def("rebuild", &HostSampler::rebuild, "weights"_a, "size"_a, "type"_a)
      .def("update", &HostSampler::update, "indices"_a, "values"_a, "count"_a, "type"_a)
      .def("save", &HostSampler::save, "file"_a)
      .def("size", &HostSampler::size)
      .def("draw", &HostSampler::draw, "out"_a, "size"_a, "bytes"_a, "seed"_a, "offset"_a)
      .def("choose", &HostSampler::choose, "out"_a, "count"_a, "bytes"_a, "allow_fewer"_a, "seed"_a,
           "offset"_a)
      .def("draw_distinct", &HostSampler::draw_distinct, "out"_a, "count"_a, "bytes"_a, "seed"_a,
           "offset"_a)
      .def("histogram", &HostSampler::histogram, "counts"_a, "size"_a, "samples"_a, "seed"_a,
           "offset"_a)
      .def("rows", &HostSampler::rows)
      .def("probabilities", &HostSampler::probabilities, "out"_a, "size"_a);
  module.def("draw_from_table", &draw_from_table, "rows"_a, "items"_a, "out"_a, "size"_a, "seed"_a,
             "offset"_a);
}

}  // namespace wrsgpu::python
