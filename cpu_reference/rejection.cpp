#include "cpu_reference/rejection.hpp"

#include "cpu_reference/rejection_cells.hpp"
#include "cpu_reference/sample_words.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"

namespace wrsgpu {
namespace {

using Wide = WideInteger;

// Sum of the acceptance probabilities of all cells, in units of 2^-63: N * 2^63, up to rounding.
template <class Occurrences>
Wide accepted(const Occurrences& list, std::span<const std::uint64_t> first_share) {
  Wide sum = Wide{list.cells() - first_share.size()} * whole_cell;
  for (const std::uint64_t share : first_share) sum += share;
  return sum;
}

}  // namespace

template <class Occurrences>
void BasicRejection<Occurrences>::do_build(WeightsView weights, const WeightSummary& summary) {
  const auto build = [&](auto x) {
    HostBuffer<std::uint64_t> first_share(summary.size);
    std::uint64_t cells = 0;
    for (Index i = 0; i < summary.size; ++i) cells += rejection_cells(x(i)).count;
    Occurrences list(cells);
    std::uint64_t begin = 0;
    for (Index i = 0; i < summary.size; ++i) {
      const RejectionCells item = rejection_cells(x(i));
      first_share[i] = item.first_share;
      list.add(i, begin, begin + item.count);
      begin += item.count;
    }
    list.finish();
    list_ = std::move(list);
    first_share_ = std::move(first_share);
  };
  if (options_.arithmetic == Arithmetic::fixed_point) {
    const HostBuffer<std::uint64_t> masses = quantise(weights, options_.threads);
    build([&](Index i) { return masses[i]; });
  } else {
    weights.visit([&](auto w) {
      build([&](Index i) { return static_cast<double>(w[i]) * summary.scale / summary.bucket(); });
    });
  }
}

template <class Occurrences>
std::vector<double> BasicRejection<Occurrences>::do_probabilities() const {
  const double total = static_cast<double>(accepted(list_, first_share_.span())) * 0x1p-63;
  std::vector<double> p(size(), 0.0);
  for (std::uint64_t cell = 0; cell < list_.cells(); ++cell) {
    if (!list_.is_first(cell)) ++p[list_.item(cell)];
  }
  for (Index i = 0; i < size(); ++i) {
    p[i] = (p[i] + static_cast<double>(first_share_[i]) * 0x1p-63) / total;
  }
  return p;
}

template <class Occurrences>
double BasicRejection<Occurrences>::acceptance() const {
  return static_cast<double>(accepted(list_, first_share_.span())) * 0x1p-63 /
         static_cast<double>(list_.cells());
}

template <class Occurrences>
void BasicRejection<Occurrences>::do_sample(std::span<Index> out, RandomState state) const {
  const std::uint64_t cells = list_.cells();
  sample_accepted_words(out, state, options_.threads, [&](std::uint64_t word, Index& item) {
    // Integer and fractional part of word / 2^64 * cells, as in `choose_row`.
    const Wide product = Wide{word} * cells;
    const auto cell = static_cast<std::uint64_t>(product >> 64);
    const auto fraction = static_cast<std::uint64_t>(product);
    item = list_.item(cell);
    return !list_.is_first(cell) || fraction >> 1 < first_share_[item];
  });
}

template class BasicRejection<OccurrenceArray>;
template class BasicRejection<OccurrenceBits>;

}  // namespace wrsgpu
