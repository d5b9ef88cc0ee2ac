#include "wrsgpu/detail/sampling/batched_sampler.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/core/target_clones.hpp"
#include "wrsgpu/detail/sampling/philox_words.hpp"
#include "wrsgpu/detail/sampling/split_word_loops.hpp"

namespace wrsgpu {
namespace {

// Number of samples whose rows are in flight at the same time.
constexpr std::size_t batch_samples = 256;

// Prefetches into the L2 cache, which allows more outstanding misses than the L1: twice as fast as
// prefetching into the L1 on a table of 10^7 rows.
inline void prefetch(const void* memory) { __builtin_prefetch(memory, 0, 2); }
inline void prefetch(const WideRows& rows, Index i) { prefetch(rows.data() + i); }
inline void prefetch(const CompactRows& rows, Index i) { prefetch(rows.data() + i); }
inline void prefetch(const ArrayRows& rows, Index i) {
  prefetch(rows.weights() + i);
  prefetch(rows.aliases() + i);
}

// Selected and prefetched rows, and the variates that decide between item and alias.
template <class Rows>
struct Batch {
  alignas(64) std::array<Index, batch_samples> row;
  alignas(64) std::array<decltype(std::declval<Rows>().variate(0)), batch_samples> variate;
};

template <class Rows>
[[gnu::always_inline]] inline void choose(const Rows& rows, const std::uint64_t* words,
                                          Batch<Rows>& batch) {
  for (std::size_t k = 0; k < batch_samples; ++k) {
    const RowChoice choice = choose_row(words[k], rows.size());
    batch.row[k] = choice.row;
    batch.variate[k] = rows.variate(choice.fraction);
  }
  for (std::size_t k = 0; k < batch_samples; ++k) prefetch(rows, batch.row[k]);
}

template <class Rows>
[[gnu::always_inline]] inline void pick(const Rows& rows, const Batch<Rows>& batch, Index* out) {
  for (std::size_t k = 0; k < batch_samples; ++k) {
    const Index i = batch.row[k];
    const auto row = rows.load(i);
    // Branch-free: the outcome is unpredictable.
    const Index own = Index{0} - static_cast<Index>(Rows::accepts(row, batch.variate[k]));
    out[k] = Rows::alias(row) ^ ((Rows::alias(row) ^ i) & own);
  }
}

// Supplies a batch of words of a stream.
template <int rounds>
class StreamWords {
 public:
  explicit StreamWords(RandomState state) : state_(state) {}
  const std::uint64_t* operator()(std::size_t batch) {
    split_words<rounds>(state_.seed, state_.offset + batch * batch_samples, words_);
    return words_.data();
  }

 private:
  RandomState state_;
  alignas(64) std::array<std::uint64_t, batch_samples> words_;
};

// Supplies a batch of words that the caller passes.
class GivenWords {
 public:
  explicit GivenWords(const std::uint64_t* words) : words_(words) {}
  const std::uint64_t* operator()(std::size_t batch) const {
    return words_ + batch * batch_samples;
  }

 private:
  const std::uint64_t* words_;
};

// Computes the words and rows of the next batch while the rows of this one are in flight.
template <class Rows, class Words>
[[gnu::always_inline]] inline void draw_batches(const Rows& rows, std::size_t batches, Index* out,
                                                Words words) {
  std::array<Batch<Rows>, 2> batch;
  for (std::size_t b = 0; b <= batches; ++b) {
    if (b < batches) choose(rows, words(b), batch[b % 2]);
    if (b > 0) pick(rows, batch[(b - 1) % 2], out + (b - 1) * batch_samples);
  }
}
template <class Rows>
[[gnu::always_inline]] inline void draw_with(int rounds, const Rows& rows, std::size_t batches,
                                             Index* out, RandomState state) {
  if (rounds == 7) {
    draw_batches(rows, batches, out, StreamWords<7>(state));
  } else {
    draw_batches(rows, batches, out, StreamWords<10>(state));
  }
}

WRSGPU_TARGET_CLONES void draw_rows(int rounds, WideRows rows, std::size_t batches, Index* out,
                                    RandomState state) {
  draw_with(rounds, rows, batches, out, state);
}
WRSGPU_TARGET_CLONES void draw_rows(int rounds, ArrayRows rows, std::size_t batches, Index* out,
                                    RandomState state) {
  draw_with(rounds, rows, batches, out, state);
}
WRSGPU_TARGET_CLONES void draw_rows(int rounds, CompactRows rows, std::size_t batches, Index* out,
                                    RandomState state) {
  draw_with(rounds, rows, batches, out, state);
}
WRSGPU_TARGET_CLONES void draw_given(CompactRows rows, std::size_t batches, Index* out,
                                     const std::uint64_t* words) {
  draw_batches(rows, batches, out, GivenWords(words));
}

}  // namespace

BatchedSampler::BatchedSampler(unsigned threads, int rounds) : threads_(threads), rounds_(rounds) {
  require_philox_rounds(rounds);
}

void BatchedSampler::draw(const HostTable& table, std::span<Index> out, RandomState state) const {
  constexpr std::uint64_t block_samples = 1 << 16;
  const std::uint64_t blocks = (out.size() + block_samples - 1) / block_samples;
  table.visit([&](auto rows) {
    parallel_for(blocks, threads_, [&](std::uint64_t block) {
      const std::uint64_t begin = block * block_samples;
      const std::uint64_t end = std::min<std::uint64_t>(out.size(), begin + block_samples);
      const std::uint64_t batches = (end - begin) / batch_samples;
      const std::uint64_t rest = begin + batches * batch_samples;
      draw_rows(rounds_, rows, batches, out.data() + begin, {state.seed, state.offset + begin});
      if (rest == end) return;
      with_split_words(rounds_, state.seed, [&](const auto& words) {
        draw_word_by_word(words, rows, state.offset + rest, out.subspan(rest, end - rest));
      });
    });
  });
}

void draw_from_words(const CompactRows& rows, std::span<const std::uint64_t> words, Index* out) {
  const std::size_t batches = words.size() / batch_samples;
  draw_given(rows, batches, out, words.data());
  for (std::size_t k = batches * batch_samples; k < words.size(); ++k) {
    const RowChoice choice = choose_row(words[k], rows.size());
    out[k] = rows.pick(choice.row, choice.fraction);
  }
}

}  // namespace wrsgpu
