#include "wrsgpu/detail/sampling/lazy_sampler.hpp"

#include <algorithm>
#include <string>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/random/lazy_words.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

/// Calls `use(k, word)` for the words first + k of [0, count).
template <int rounds, class Use>
void for_each_word(const random::LazyWords<rounds>& words, std::uint64_t first, std::uint64_t count,
                   const Use& use) {
  random::PhiloxBlock high{};
  random::PhiloxBlock low{};
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t index = first + k;
    if (k == 0 || index % 4 == 0) {
      high = words.high_halves(index / 4);
      low = words.low_halves(index / 4);
    }
    use(k, words.joined(high.word[index % 4], low.word[index % 4]));
  }
}

template <int rounds>
void draw_with(const HostTable& table, std::span<Index> out, RandomState state, unsigned threads) {
  constexpr std::uint64_t block_samples = 1 << 16;
  const random::LazyWords<rounds> words(state.seed);
  const std::uint64_t blocks = (out.size() + block_samples - 1) / block_samples;
  table.visit([&](auto rows) {
    parallel_for(blocks, threads, [&](std::uint64_t block) {
      const std::uint64_t begin = block * block_samples;
      for_each_word(words, state.offset + begin, std::min(block_samples, out.size() - begin),
                    [&](std::uint64_t k, std::uint64_t word) {
                      const RowChoice choice = choose_row(word, rows.size());
                      out[begin + k] = rows.pick(choice.row, choice.fraction);
                    });
    });
  });
}

}  // namespace

LazySampler::LazySampler(unsigned threads, int rounds) : threads_(threads), rounds_(rounds) {
  if (rounds == 7 || rounds == 10) return;
  throw Error("argument 'rounds' is " + std::to_string(rounds) + "; it must be 7 or 10");
}

void LazySampler::draw(const HostTable& table, std::span<Index> out, RandomState state) const {
  if (rounds_ == 7) {
    draw_with<7>(table, out, state, threads_);
  } else {
    draw_with<10>(table, out, state, threads_);
  }
}

}  // namespace wrsgpu
