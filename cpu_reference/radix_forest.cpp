#include "cpu_reference/radix_forest.hpp"

#include <algorithm>
#include <atomic>

#include "cpu_reference/intervals.hpp"
#include "cpu_reference/radix_forest_builder.hpp"
#include "cpu_reference/radix_forest_probabilities.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

template <class Mass>
Index list_items_with_mass(std::span<const Mass> ends, HostBuffer<Index>& items) {
  Index count = 0;
  Mass begin = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    // Written also where it does not count, instead of a branch.
    items[count] = static_cast<Index>(i);
    count += ends[i] > begin ? 1U : 0U;
    begin = ends[i];
  }
  return count;
}

/// Calls `use` for 0 to count - 1, on up to `threads` threads.
template <class Use>
void for_each_index(Index count, unsigned threads, const Use& use) {
  constexpr std::uint64_t block_size = 1 << 14;
  const std::uint64_t blocks = (count + block_size - 1) / block_size;
  parallel_for(blocks, threads, [&](std::uint64_t block) {
    const Range range = slice(count, block, blocks);
    for (std::uint64_t i = range.begin; i < range.end; ++i) use(static_cast<Index>(i));
  });
}

template <class T>
void resize(HostBuffer<T>& buffer, std::size_t size) {
  if (buffer.size() != size) buffer = HostBuffer<T>(size);
}

}  // namespace

template <class Mass>
void HostRadixForest<Mass>::build(WeightsView weights, const WeightSummary& summary,
                                  unsigned log2_items_per_cell, unsigned threads) {
  Intervals<Mass> intervals;
  intervals.build(weights, summary, threads);
  total_ = intervals.total();
  cells_ = RadixForestCells<Mass>(total_, summary.size, log2_items_per_cell);
  resize(nodes_, summary.size);
  resize(roots_, count_cells(cells_, total_));
  HostBuffer<Index> items(summary.size);
  const Index leaves = list_items_with_mass(intervals.ends(), items);
  HostBuffer<Index> met(leaves);
  using Builder = RadixForestBuilder<Mass>;
  std::fill(roots_.begin(), roots_.end(), Builder::no_tree);
  std::fill(met.begin(), met.end(), Builder::nobody);
  const Builder builder{intervals.ends().data(), items.data(),  leaves,    cells_,
                        nodes_.data(),           roots_.data(), met.data()};
  for_each_index(leaves, threads, [&](Index leaf) {
    builder.climb(leaf, [](Index* place, Index value) {
      return std::atomic_ref(*place).exchange(value, std::memory_order_relaxed);
    });
  });
  for_each_index(static_cast<Index>(roots_.size()), threads, [&](Index cell) {
    builder.fill(cell, [&](Mass position) { return intervals.bisect(position); });
  });
}

RadixForest::RadixForest(const TableOptions& options, unsigned log2_items_per_cell)
    : MonotoneMethod(options), log2_items_per_cell_(log2_items_per_cell) {
  if (log2_items_per_cell > 31) {
    throw Error("argument 'log2_items_per_cell' is " + std::to_string(log2_items_per_cell) +
                ", more than 31");
  }
  if (options.arithmetic == Arithmetic::fixed_point)
    forest_.emplace<HostRadixForest<std::uint64_t>>();
}

Index RadixForest::find(std::uint64_t word) const {
  return std::visit([&](const auto& forest) { return forest.view().find(word); }, forest_);
}

std::size_t RadixForest::bytes() const {
  return std::visit([](const auto& forest) { return forest.bytes(); }, forest_);
}

std::vector<double> RadixForest::do_probabilities() const {
  return std::visit(
      [&](const auto& forest) { return RadixForestWalk(forest.view(), size()).probabilities(); },
      forest_);
}

void RadixForest::do_build(WeightsView weights, const WeightSummary& summary) {
  require_radix_forest_size(summary.size);
  std::visit(
      [&](auto& forest) {
        forest.build(weights, summary, log2_items_per_cell_, options().threads);
      },
      forest_);
}

}  // namespace wrsgpu
