#include "wrsgpu/without_replacement.hpp"

#include <algorithm>
#include <string>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/shuffle/blocks.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::shuffle {
namespace detail {

void require_draws(std::uint64_t items, std::uint64_t first, std::uint64_t draws,
                   std::size_t number_bytes) {
  if (number_bytes == 4 && items > std::uint64_t{1} << 32) {
    throw Error(
        std::to_string(items) +
        " items are to be sampled as 32-bit numbers; 32-bit numbers allow at most 2^32 items");
  }
  require_size(items, "the number of items to sample from");
  if (draws == 0) throw Error("the sample must have at least one item");
  if (first >= items || draws > items - first) {
    throw Error("cannot draw " + std::to_string(draws) + " items after the first " +
                std::to_string(first) + ": only " + std::to_string(items - std::min(first, items)) +
                " remain");
  }
}

}  // namespace detail

namespace {

template <class Number>
void sample(std::uint64_t items, std::span<Number> out, std::uint64_t seed, std::uint64_t first,
            unsigned threads) {
  detail::require_draws(items, first, out.size(), sizeof(Number));
  constexpr std::uint64_t block_items = std::uint64_t{1} << 14;
  const LazyPermutation permutation = lazy_permutation(items, seed);
  parallel_for((out.size() + block_items - 1) / block_items, threads, [&](std::uint64_t block) {
    const std::uint64_t begin = block * block_items;
    const std::uint64_t count = std::min<std::uint64_t>(block_items, out.size() - begin);
    places(permutation, first + begin, out.subspan(begin, count));
  });
}

}  // namespace

void sample_without_replacement(std::uint64_t items, std::span<std::uint64_t> out,
                                std::uint64_t seed, std::uint64_t first, unsigned threads) {
  sample(items, out, seed, first, threads);
}

void sample_without_replacement(std::uint64_t items, std::span<Index> out, std::uint64_t seed,
                                std::uint64_t first, unsigned threads) {
  sample(items, out, seed, first, threads);
}

}  // namespace wrsgpu::shuffle
