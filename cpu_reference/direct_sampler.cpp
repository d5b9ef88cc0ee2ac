#include "cpu_reference/direct_sampler.hpp"

#include <algorithm>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/sampling/split_word_loops.hpp"

namespace wrsgpu {

DirectSampler::DirectSampler(unsigned threads, int rounds) : threads_(threads), rounds_(rounds) {
  require_philox_rounds(rounds);
}

void DirectSampler::draw(const HostTable& table, std::span<Index> out, RandomState state) const {
  constexpr std::uint64_t block_samples = 1 << 16;
  const std::uint64_t blocks = (out.size() + block_samples - 1) / block_samples;
  with_split_words(rounds_, state.seed, [&](const auto& words) {
    table.visit([&](auto rows) {
      parallel_for(blocks, threads_, [&](std::uint64_t block) {
        const std::uint64_t begin = block * block_samples;
        draw_word_by_word(words, rows, state.offset + begin,
                          out.subspan(begin, std::min(block_samples, out.size() - begin)));
      });
    });
  });
}

}  // namespace wrsgpu
