#include <cstdint>

#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/interruptible.hpp"
#include "wrsgpu/shuffle.hpp"
#include "wrsgpu/without_replacement.hpp"

namespace wrsgpu::python {
namespace {

void sample_without_replacement(std::uint64_t items, Address out, std::uint64_t size, int bytes,
                                std::uint64_t seed, std::uint64_t first, unsigned threads) {
  run_interruptibly(size, [&] {
    with_numbers(out, size, bytes, [&](auto numbers) {
      shuffle::sample_without_replacement(items, numbers, seed, first, threads);
    });
  });
}

/// Replaces each of `size` places, all below `items`, by the permutation's value there; or, if
/// `inverse`, each value by its place.
void permute(std::uint64_t items, Address places, std::uint64_t size, std::uint64_t seed,
             bool inverse) {
  const nb::gil_scoped_release release;
  shuffle::require_size(items, "the number of items to sample from");
  const auto permutation = shuffle::lazy_permutation(items, seed);
  for (std::uint64_t& place : elements<std::uint64_t>(places, size)) {
    place = inverse ? permutation.inverse(place) : permutation(place);
  }
}

}  // namespace

void bind_permutation(nb::module_& module) {
  module.def("sample_without_replacement", &sample_without_replacement, "items"_a, "out"_a,
             "size"_a, "bytes"_a, "seed"_a, "first"_a, "threads"_a);
  module.def("permute", &permute, "items"_a, "places"_a, "size"_a, "seed"_a, "inverse"_a);
}

}  // namespace wrsgpu::python
