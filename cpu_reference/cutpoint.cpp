#include "cpu_reference/cutpoint.hpp"

#include "cpu_reference/cutpoint_segments.hpp"

namespace wrsgpu {
Index Cutpoint::find(std::uint64_t word) const {
  const Index segment = choose_row(word, static_cast<Index>(first_item_.size())).row;
  return visit(
      [&](const auto& all) { return all.find_from(first_item_[segment], all.position(word)); });
}

void Cutpoint::do_build(WeightsView weights, const WeightSummary& summary) {
  const std::uint64_t segments = segments_ == 0 ? summary.size : segments_;
  HostBuffer<Index> fresh(first_item_.size() == segments ? 0 : segments);
  IntervalMethod::do_build(weights, summary);
  if (fresh.size() != 0) first_item_ = std::move(fresh);
  visit([&](const auto& all) {
    // `choose_row` divides the words into segments. Positions are monotone in the words, so no word
    // of a segment selects an item before that of its first word.
    Index item = 0;
    for (std::uint64_t segment = 0; segment < segments; ++segment) {
      item = all.find_from(item, all.position(first_word_of_segment(segment, segments)));
      first_item_[segment] = item;
    }
  });
}

}  // namespace wrsgpu
