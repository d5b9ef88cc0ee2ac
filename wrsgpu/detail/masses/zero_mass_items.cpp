#include "wrsgpu/detail/masses/zero_mass_items.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"

namespace wrsgpu {
namespace {

template <class T>
WeightRange range_of(std::span<const T> weights) {
  double minimum = std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const T weight : weights) {
    const auto value = static_cast<double>(weight);
    minimum = value > 0 && value < minimum ? value : minimum;
    sum += value;
  }
  return {minimum, sum};
}

WeightRange range_of(WeightsView weights, unsigned threads) {
  constexpr std::uint64_t block_items = 1 << 16;
  std::vector<WeightRange> blocks((weights.size() + block_items - 1) / block_items);
  weights.visit([&](auto all) {
    parallel_for(blocks.size(), threads, [&](std::uint64_t block) {
      const std::uint64_t begin = block * block_items;
      blocks[block] = range_of(all.subspan(begin, std::min(block_items, all.size() - begin)));
    });
  });
  WeightRange range{std::numeric_limits<double>::infinity(), 0};
  for (const WeightRange& block : blocks) {
    range = {std::min(range.minimum, block.minimum), range.sum + block.sum};
  }
  return range;
}

}  // namespace

bool may_have_zero_mass_items(const WeightRange& range, std::uint64_t items) {
  const auto count = static_cast<double>(items);
  const double mass = range.minimum * (count / range.sum) * 0x1p32;
  return !(mass > 3 + 0x1p-26 * count);  // with a margin for rounding errors
}

ZeroMassItems find_zero_mass_items(WeightsView weights, unsigned threads) {
  ZeroMassItems found;
  if (!may_have_zero_mass_items(range_of(weights, threads), weights.size())) return found;
  const HostBuffer<std::uint64_t> masses = quantise(weights, threads);
  weights.visit([&](auto all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (masses[i] > 0 || all[i] == 0) continue;
      ++found.count;
      if (found.first.size() < ZeroMassItems::max_listed) {
        found.first.push_back(static_cast<Index>(i));
      }
    }
  });
  return found;
}

std::string describe(const ZeroMassItems& items) {
  if (items.count == 0) return {};
  std::string text = std::to_string(items.count);
  text += items.count == 1 ? " item is too light for this table and is never drawn: item "
                           : " items are too light for this table and are never drawn: items ";
  for (std::size_t k = 0; k < items.first.size(); ++k) {
    text += (k == 0 ? "" : ", ") + std::to_string(items.first[k]);
  }
  return items.count > items.first.size() ? text + ", ..." : text;
}

}  // namespace wrsgpu
