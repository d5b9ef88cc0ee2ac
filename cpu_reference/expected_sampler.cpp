#include "cpu_reference/expected_sampler.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "construction/alias_table.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"

namespace wrsgpu {
namespace {

// Expected count of each item among `draws`, rounded by largest remainder. Probabilities are first
// rounded to multiples of 2^-61; everything else is exact, so that the counts add up for any N and
// number of draws.
std::vector<std::uint64_t> expected_counts(const std::vector<double>& probabilities,
                                           std::uint64_t draws) {
  using Wide = WideInteger;
  const std::size_t n = probabilities.size();
  std::vector<std::uint64_t> count(n);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    total += count[i] = static_cast<std::uint64_t>(probabilities[i] * 0x1p+61 + 0.5);
  }
  std::vector<std::uint64_t> remainder(n);
  std::uint64_t left = draws;
  for (std::size_t i = 0; i < n; ++i) {
    const Wide share = Wide{count[i]} * draws;
    count[i] = static_cast<std::uint64_t>(share / total);
    remainder[i] = static_cast<std::uint64_t>(share % total);
    left -= count[i];
  }
  if (left == 0) return count;
  // The remainders add up to `left` times `total`, and each is less than `total`, so more than
  // `left` items have one: an item without mass is not drawn.
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  const auto last = order.begin() + static_cast<std::ptrdiff_t>(left);
  std::nth_element(order.begin(), last, order.end(), [&](Index a, Index b) {
    return remainder[a] != remainder[b] ? remainder[a] > remainder[b] : a < b;
  });
  std::for_each(order.begin(), last, [&](Index i) { ++count[i]; });
  return count;
}

}  // namespace

void ExpectedSampler::draw(const HostTable& table, std::span<Index> out,
                           [[maybe_unused]] RandomState state) const {
  const std::vector<std::uint64_t> counts = expected_counts(probabilities_of(table), out.size());
  Index* next = out.data();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    next = std::fill_n(next, counts[i], static_cast<Index>(i));
  }
}

}  // namespace wrsgpu
