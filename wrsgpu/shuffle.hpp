// Shuffling values of any type on the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>

#include "wrsgpu/detail/shuffle/blocks.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::shuffle {

namespace detail {
/// Whether `size` elements from `in` on and as many from `out` on share memory, as far as that can
/// be told: only contiguous iterators say where their elements are.
template <class In, class Out>
[[nodiscard]] bool share_memory(In in, Out out, std::ptrdiff_t size) {
  if constexpr (std::contiguous_iterator<In> && std::contiguous_iterator<Out>) {
    const auto start = [](auto at) {
      return reinterpret_cast<const volatile std::byte*>(std::to_address(at));
    };
    const std::less<> before;  // of pointers to different arrays as well
    return before(start(in), start(out + size)) && before(start(out), start(in + size));
  } else {
    return false;
  }
}
}  // namespace detail

/// Copies the values [first, last) in random order: out[i] = first[p(i)] with p the
/// `lazy_permutation(last - first, seed)`. Values of any type that can be copied, in any container
/// with random access; `out` has room for as many and is written from front to back. Returns the
/// end of what was written.
///
/// Throws `Error` before anything is written when there is no value or more than `max_keys`, and
/// when both iterators are contiguous and the ranges overlap; others must not overlap either.
template <std::random_access_iterator In, std::weakly_incrementable Out>
requires std::indirectly_copyable<In, Out> Out shuffle_copy(In first, In last, Out out,
                                                            std::uint64_t seed) {
  const std::ptrdiff_t size = last - first;
  require_size(static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(size, 0)),
               "the number of values to shuffle");
  if (detail::share_memory(first, out, size)) {
    throw Error("the values to shuffle and the range of the result overlap");
  }
  const LazyPermutation permutation = lazy_permutation(static_cast<std::uint64_t>(size), seed);
  constexpr std::ptrdiff_t batch = 256;
  std::uint64_t place[batch];
  for (std::ptrdiff_t begin = 0; begin < size; begin += batch) {
    const auto count = static_cast<std::size_t>(std::min(batch, size - begin));
    places(permutation, static_cast<std::uint64_t>(begin), std::span(place, count));
    for (std::size_t k = 0; k < count; ++k, ++out) {
      *out = first[static_cast<std::iter_difference_t<In>>(place[k])];
    }
  }
  return out;
}

}  // namespace wrsgpu::shuffle
