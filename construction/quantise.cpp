#include "wrsgpu/construction/quantise.hpp"

#include <algorithm>
#include <vector>

#include "wrsgpu/core/parallel.hpp"

namespace wrsgpu {

HostBuffer<std::uint64_t> quantise(WeightsView weights, const WeightSummary& summary,
                                   unsigned threads) {
  constexpr std::uint64_t block_items = 1 << 16;
  const std::uint64_t n = summary.size;
  const std::uint64_t blocks = (n + block_items - 1) / block_items;
  const double factor = quantisation_factor(summary.total);
  HostBuffer<std::uint64_t> masses(n);

  weights.visit([&](auto w) {
    std::vector<std::uint64_t> block_start(blocks + 1, 0);
    parallel_for(blocks, threads, [&](std::uint64_t block) {
      std::uint64_t sum = 0;
      const std::uint64_t end = std::min(n, (block + 1) * block_items);
      for (std::uint64_t i = block * block_items; i < end; ++i) {
        sum += masses[i] = integer_weight(static_cast<double>(w[i]), summary.scale, factor);
      }
      block_start[block + 1] = sum;
    });
    for (std::uint64_t block = 0; block < blocks; ++block) {
      block_start[block + 1] += block_start[block];
    }
    const std::uint64_t total = block_start[blocks];
    parallel_for(blocks, threads, [&](std::uint64_t block) {
      std::uint64_t prefix = block_start[block];
      std::uint64_t before = scaled_prefix(prefix, summary.size, total);
      const std::uint64_t end = std::min(n, (block + 1) * block_items);
      for (std::uint64_t i = block * block_items; i < end; ++i) {
        if (masses[i] == 0) continue;
        prefix += masses[i];
        const std::uint64_t after = scaled_prefix(prefix, summary.size, total);
        masses[i] = after - before;
        before = after;
      }
    });
  });
  return masses;
}

}  // namespace wrsgpu
