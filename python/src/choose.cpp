#include "wrsgpu/choose.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/interruptible.hpp"
#include "wrsgpu/detail/segments/segment_draws.hpp"
#include "wrsgpu/multinomial_counts.hpp"
#include "wrsgpu/resample.hpp"
#include "wrsgpu/segmented_sampler.hpp"

namespace wrsgpu::python {
namespace {

/// Returns the number of items chosen.
[[nodiscard]] std::uint64_t choose_items(Address weights, std::uint64_t size,
                                         const std::string& type, Address out, std::uint64_t chosen,
                                         int bytes, bool allow_fewer, std::uint64_t seed,
                                         std::uint64_t offset) {
  std::uint64_t found = 0;
  run_interruptibly(size, [&] {
    with_host_weights(weights, size, type, [&](const AnyWeights& values) {
      found = write_host_items(out, chosen, bytes, [&](std::span<Index> items) {
        return choose(values, items, {seed, offset}, {.allow_fewer = allow_fewer});
      });
    });
  });
  return found;
}

/// Draws 64-bit numbers from each row of a matrix. Returns whether all rows have enough items.
[[nodiscard]] bool draw_from_rows(Address weights, std::uint64_t rows, std::uint64_t columns,
                                  const std::string& type, std::uint64_t samples, bool replace,
                                  Address out, std::uint64_t seed) {
  const auto draw = replace ? &multinomial : &choose_from_rows;
  bool complete = false;
  run_interruptibly(std::max(rows * columns, rows * samples), [&] {
    std::vector<Index> drawn(rows * samples);
    with_host_weights(weights, rows * columns, type, [&](const AnyWeights& values) {
      draw(values, rows, columns, samples, drawn, {seed}, SegmentedSamplerOptions{});
    });
    complete = std::ranges::find(drawn, no_item) == drawn.end();
    if (complete) std::ranges::copy(drawn, elements<std::uint64_t>(out, drawn.size()).begin());
  });
  return complete;
}

void resample_items(Address weights, std::uint64_t size, const std::string& type, Address out,
                    std::uint64_t ancestors, int bytes, int scheme, std::uint64_t seed,
                    std::uint64_t offset) {
  run_interruptibly(std::max(size, ancestors), [&] {
    with_host_weights(weights, size, type, [&](const AnyWeights& values) {
      write_host_items(out, ancestors, bytes, [&](std::span<Index> items) {
        resample(values, items, static_cast<ResamplingScheme>(scheme), {seed, offset});
        return ancestors;
      });
    });
  });
}

/// `items` numbers of 8 bytes.
void count_items(Address weights, std::uint64_t size, const std::string& type, Address out,
                 std::uint64_t items, int /*bytes*/, std::uint64_t samples, std::uint64_t seed,
                 std::uint64_t offset) {
  run_interruptibly(size, [&] {
    with_host_weights(weights, size, type, [&](const AnyWeights& values) {
      multinomial_counts(values, elements<std::uint64_t>(out, items), samples, {seed, offset});
    });
  });
}

}  // namespace

void bind_choose(nb::module_& module) {
  module.def("choose", &choose_items, "weights"_a, "size"_a, "type"_a, "out"_a, "chosen"_a,
             "bytes"_a, "allow_fewer"_a, "seed"_a, "offset"_a);
  module.attr("max_searched_samples") = segments::max_searched_samples;
  module.def("multinomial", &draw_from_rows, "weights"_a, "rows"_a, "columns"_a, "type"_a,
             "samples"_a, "replace"_a, "out"_a, "seed"_a);
  module.def("resample", &resample_items, "weights"_a, "size"_a, "type"_a, "out"_a, "ancestors"_a,
             "bytes"_a, "scheme"_a, "seed"_a, "offset"_a);
  module.def("multinomial_counts", &count_items, "weights"_a, "size"_a, "type"_a, "out"_a,
             "items"_a, "bytes"_a, "samples"_a, "seed"_a, "offset"_a);
}

}  // namespace wrsgpu::python
