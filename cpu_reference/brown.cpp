#include "cpu_reference/brown.hpp"

#include "cpu_reference/sample_words.hpp"
#include "cpu_reference/tiled_sweep.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

void require_brown_options(const TableOptions& options) {
  if (options.arithmetic == Arithmetic::fixed_point) return;
  throw Error("Brown's method computes in fixed_point arithmetic only");
}

Brown::Brown(const TableOptions& options) : threads_(options.threads) {
  require_brown_options(options);
}

void Brown::do_build(WeightsView weights, const WeightSummary& summary) {
  TiledSweep table({Arithmetic::fixed_point, Layout::compact_rows, threads_});
  table.build(weights);
  // The items are allocated last: where they have this size, so have the thresholds.
  if (items_.size() != 2 * std::size_t{summary.size}) {
    items_ = {};
    thresholds_ = HostBuffer<Index>(summary.size);
    items_ = HostBuffer<Index>(2 * std::size_t{summary.size});
  }
  const CompactRows rows = table.table().compact_rows();
  const BrownWriter writer{thresholds_.data(), items_.data()};
  constexpr std::uint64_t block_size = 1 << 16;
  const std::uint64_t blocks = (summary.size + block_size - 1) / block_size;
  parallel_for(blocks, threads_, [&](std::uint64_t block) {
    const Range range = slice(summary.size, block, blocks);
    for (std::uint64_t i = range.begin; i < range.end; ++i) {
      const auto row = static_cast<Index>(i);
      writer.store(row, rows.load(row));
    }
  });
}

void Brown::do_sample(std::span<Index> out, RandomState state) const {
  sample_words(out, state, threads_,
               [view = view()](std::uint64_t word) { return view.find(word); });
}

std::vector<double> Brown::do_probabilities() const {
  return brown_probabilities(thresholds_.span(), items_.span());
}

std::vector<double> brown_probabilities(std::span<const Index> thresholds,
                                        std::span<const Index> items) {
  std::vector<std::uint64_t> masses(thresholds.size(), 0);
  for (std::size_t row = 0; row < thresholds.size(); ++row) {
    masses[items[2 * row]] += thresholds[row];
    masses[items[2 * row + 1]] += fixed_bucket - thresholds[row];
  }
  const double total = static_cast<double>(fixed_bucket) * static_cast<double>(masses.size());
  std::vector<double> p(masses.size());
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = static_cast<double>(masses[i]) / total;
  return p;
}

}  // namespace wrsgpu
