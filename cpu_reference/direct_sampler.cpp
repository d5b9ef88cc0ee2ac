#include "cpu_reference/direct_sampler.hpp"

#include <algorithm>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/random/philox.hpp"

namespace wrsgpu {

void DirectSampler::draw(const HostTable& table, std::span<Index> out, RandomState state) const {
  constexpr std::uint64_t block_samples = 1 << 16;
  const std::uint64_t blocks = (out.size() + block_samples - 1) / block_samples;
  table.visit([&](auto rows) {
    parallel_for(blocks, threads_, [&](std::uint64_t block) {
      const std::uint64_t end = std::min<std::uint64_t>(out.size(), (block + 1) * block_samples);
      for (std::uint64_t k = block * block_samples; k < end; ++k) {
        const RowChoice choice =
            choose_row(random::philox_word(state.seed, state.offset + k), rows.size());
        out[k] = rows.pick(choice.row, choice.fraction);
      }
    });
  });
}

}  // namespace wrsgpu
