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
/// Returns whether [in, in + size) and [out, out + size) overlap. Always false for iterators that
/// are not contiguous, since the addresses of their elements are unknown.
template <class In, class Out>
[[nodiscard]] bool share_memory(In in, Out out, std::ptrdiff_t size) {
  if constexpr (std::contiguous_iterator<In> && std::contiguous_iterator<Out>) {
    const auto start = [](auto at) {
      return reinterpret_cast<const volatile std::byte*>(std::to_address(at));
    };
    const std::less<> before;  // also orders pointers into different arrays
    return before(start(in), start(out + size)) && before(start(out), start(in + size));
  } else {
    return false;
  }
}
}  // namespace detail

/// Copies the values of [first, last) in random order: out[i] = first[p(i)], where p is a
/// permutation that last - first and the seed determine. The values can have any copyable type, in
/// any random-access range.
///
/// @param first, last the range of values: at least one, at most 2^40
/// @param out the output range of last - first values, written from front to back; must not overlap
/// the input
/// @param seed selects the permutation
/// @return the end of the output range
/// @throws Error if there are no values or too many, and if both iterators are contiguous and the
/// ranges overlap; nothing is written then
/// @note No allocation.
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
