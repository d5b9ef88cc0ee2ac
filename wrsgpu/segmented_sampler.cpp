#include "wrsgpu/segmented_sampler.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/detail/sampling/philox_words.hpp"
#include "wrsgpu/detail/sampling/split_word_loops.hpp"
#include "wrsgpu/detail/segments/segment_builder.hpp"
#include "wrsgpu/detail/segments/segment_clocks.hpp"
#include "wrsgpu/detail/segments/segment_draws.hpp"
#include "wrsgpu/detail/segments/segment_masses.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

namespace segments {
namespace {

void require_size_of(const char* argument, std::uint64_t actual, std::uint64_t rows,
                     std::uint64_t columns) {
  const WideInteger wanted = WideInteger{rows} * columns;
  if (actual == wanted) return;
  const std::string of_each = columns == 1 ? "" : " rows of " + std::to_string(columns);
  throw Error("argument '" + std::string(argument) + "' has " + std::to_string(actual) +
              " elements; " + std::to_string(rows) + of_each + " are needed");
}

void require_segments(const char* argument, std::span<const Index> numbers, std::uint64_t count) {
  for (std::size_t t = 0; t < numbers.size(); ++t) {
    if (numbers[t] < count) continue;
    throw Error("argument '" + std::string(argument) + "': element " + std::to_string(t) + " is " +
                std::to_string(numbers[t]) + ", but there are " + std::to_string(count) +
                " segments");
  }
}

/// Samples of a task, between which work can be interrupted.
constexpr std::uint64_t task_samples = std::uint64_t{1} << 14;

/// Calls `f(t)` for all t in [0, count), where each call makes `k` samples.
void for_each_row(std::uint64_t count, std::uint64_t k, unsigned threads, const auto& f) {
  const std::uint64_t rows =
      std::max<std::uint64_t>(1, task_samples / std::max<std::uint64_t>(k, 1));
  parallel_for((count + rows - 1) / rows, threads, [&](std::uint64_t task) {
    const std::uint64_t end = std::min(count, (task + 1) * rows);
    for (std::uint64_t t = task * rows; t < end; ++t) f(t);
  });
}

/// Draws from segments `from(t)`, which exist, for all t in [0, count).
void draw_rows(const CompactRow* rows, const std::uint64_t* offsets, std::uint64_t count,
               const auto& from, std::uint64_t k, std::span<Index> out, RandomState state,
               const SegmentedDrawOptions& options, const SegmentedSamplerOptions& sampler) {
  constexpr std::size_t batch = 256;  // whose rows are in flight at the same time
  if (k == 0) std::ranges::fill(options.counts, 0);
  const ItemNames names{options.local_numbers, options.payload.data()};
  const auto draw_batch = [&](std::uint64_t first, std::span<const std::uint64_t> words) {
    std::array<Segment, batch> segments;
    std::uint64_t t = first / k;
    std::uint64_t j = first % k;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::uint64_t number = from(t);
      const std::uint64_t begin = offsets[number];
      segments[i] = {begin, static_cast<Index>(offsets[number + 1] - begin)};
      __builtin_prefetch(rows + begin + choose_row(words[i], segments[i].items).row);
      if (++j == k) {
        j = 0;
        ++t;
      }
    }
    t = first / k;
    j = first % k;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Index item = draw_item(rows, segments[i], words[i]);
      out[first + i] = names(item, segments[i]);
      // A segment gives an item for each word, or for none.
      if (j == 0 && !options.counts.empty()) {
        options.counts[t] = item == no_item ? 0 : static_cast<Index>(k);
      }
      if (++j == k) {
        j = 0;
        ++t;
      }
    }
  };
  const std::uint64_t samples = count * k;
  parallel_for((samples + task_samples - 1) / task_samples, sampler.threads,
               [&](std::uint64_t task) {
                 const std::uint64_t end = std::min(samples, (task + 1) * task_samples);
                 for (std::uint64_t first = task * task_samples; first < end; first += batch) {
                   std::array<std::uint64_t, batch> memory;
                   const std::span words =
                       std::span(memory).first(std::min<std::uint64_t>(batch, end - first));
                   if (sampler.generator == Generator::philox7) {
                     split_words<7>(state.seed, state.offset + first, words);
                   } else {
                     split_words<10>(state.seed, state.offset + first, words);
                   }
                   draw_batch(first, words);
                 }
               });
}

/// Chooses from segments `from(t)`, which exist, for all t in [0, count).
template <class Offsets>
void choose_rows(const WeightsView& weights, const Offsets& offsets, std::uint64_t count,
                 const auto& from, std::uint64_t k, std::span<Index> out, RandomState state,
                 const SegmentedDrawOptions& options, const SegmentedSamplerOptions& sampler) {
  using Ringing = detail::Ringing;
  const ItemNames names{options.local_numbers, options.payload.data()};
  const auto choose_row_of = [&]<class T, int rounds>(std::span<const T> w, std::uint64_t t,
                                                      const RowWords<rounds>& words) {
    const std::uint64_t begin = offsets[from(t)];
    const auto items = static_cast<Index>(offsets[from(t) + 1] - begin);
    const std::size_t wanted = std::min<std::uint64_t>(k, items);
    std::vector<Ringing> ringing;
    detail::MayRingBefore<T> may_ring(detail::never);
    // Keeps the first clocks, as many as are wanted; later items must ring before the last of them.
    const auto keep_first = [&] {
      if (wanted == 0 || ringing.size() <= wanted) return;
      const auto last = ringing.begin() + static_cast<std::ptrdiff_t>(wanted - 1);
      std::nth_element(ringing.begin(), last, ringing.end());
      may_ring = detail::MayRingBefore<T>(last->key);
      ringing.resize(wanted);
    };
    for (Index first = 0; first < items && wanted > 0; first += 4) {
      const random::PhiloxBlock high = words.high_halves(first / 4);
      std::array<unsigned, 4> may{};
      unsigned passing = 0;
      for (unsigned s = 0; s < 4 && s < items - first; ++s) {
        const T weight = w[begin + first + s];
        may[passing] = s;
        passing += weight > 0 && may_ring(high.word[s], weight) ? 1U : 0U;
      }
      if (passing == 0) continue;
      const random::PhiloxBlock low = words.low_halves(first / 4);
      for (unsigned j = 0; j < passing; ++j) {
        const unsigned s = may[j];
        const std::uint64_t word = random::SplitWords<rounds>::joined(high.word[s], low.word[s]);
        ringing.push_back(
            {detail::clock_key(word, static_cast<double>(w[begin + first + s])), first + s});
      }
      constexpr std::size_t few = 256;
      if (ringing.size() >= 2 * wanted + few) keep_first();
    }
    keep_first();
    const std::size_t chosen = ringing.size();
    std::sort(ringing.begin(), ringing.end());
    Index* const row = out.data() + t * k;
    for (std::size_t j = 0; j < chosen; ++j) {
      row[j] = names(static_cast<Index>(begin + ringing[j].item), {begin, items});
    }
    std::fill(row + chosen, row + k, no_item);
    if (!options.counts.empty()) options.counts[t] = static_cast<Index>(chosen);
  };
  try {
    weights.visit([&](auto w) {
      with_split_words(rounds_of(sampler.generator), state.seed,
                       [&]<int rounds>(const random::SplitWords<rounds>&) {
                         for_each_row(count, k, sampler.threads, [&](std::uint64_t t) {
                           choose_row_of(w, t, RowWords<rounds>(state.seed, state.offset + t));
                         });
                       });
    });
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("choose: out of host memory for the items of a segment");
  }
}

/// Draws from rows of more than one part, without tables.
void search_rows(const SegmentsView& matrix, const WeightsView& weights, std::span<Index> out,
                 RandomState state, const SegmentedSamplerOptions& options) {
  const std::vector<LongSegment> long_rows =
      check_segments(matrix, weights, options.empty_ok, options.threads);
  std::vector<std::uint64_t> words(out.size());
  with_split_words(rounds_of(options.generator), state.seed,
                   [&]<int rounds>(const random::SplitWords<rounds>&) {
                     split_words<rounds>(state.seed, state.offset, words);
                   });
  find_items(weights, matrix.count(), long_rows, words, out, options.threads);
}

}  // namespace

void check_draw(std::uint64_t from, std::uint64_t k, std::uint64_t out, Index items,
                const SegmentedDrawOptions& options) {
  require_size_of("out", out, from, k);
  if (!options.counts.empty()) require_size_of("counts", options.counts.size(), from, 1);
  if (options.payload.empty()) return;
  require_size_of("payload", options.payload.size(), items, 1);
  if (options.local_numbers) {
    throw Error("argument 'payload' is given, but local numbers are asked for: choose one");
  }
}

void check_weights(const WeightsView& weights, Index items, Device device) {
  check_size_and_memory(weights, device);
  require_size_of("weights", weights.size(), items, 1);
}

void check_walk(std::uint64_t starts, std::uint64_t length, std::uint64_t out, Index items,
                std::uint64_t neighbours) {
  if (length == ~std::uint64_t{0}) throw Error("argument 'length' is 2^64 - 1; it must be less");
  require_size_of("out", out, starts, length + 1);
  require_size_of("neighbours", neighbours, items, 1);
}

}  // namespace segments

SegmentedSampler::SegmentedSampler(SegmentsView segments, const AnyWeights& weights,
                                   const SegmentedSamplerOptions& options)
    : options_(options) {
  rebuild(segments, weights);
}

void SegmentedSampler::rebuild(SegmentsView segments, const AnyWeights& any_weights) {
  const WeightsView weights = any_weights.view();
  try {
    const auto long_segments =
        segments::check_segments(segments, weights, options_.empty_ok, options_.threads);
    const std::uint64_t offset_count = segments.count() + 1;
    HostBuffer<CompactRow> more_rows(rows_.size() < weights.size() ? weights.size() : 0);
    HostBuffer<std::uint64_t> more_offsets(offsets_.size() < offset_count ? offset_count : 0);
    if (more_rows.size() > 0) rows_ = std::move(more_rows);
    if (more_offsets.size() > 0) offsets_ = std::move(more_offsets);
    // An interrupted build leaves no tables.
    segments_ = 0;
    size_ = 0;
    segments.visit([&](const auto& begin_of) {
      constexpr std::uint64_t task_offsets = std::uint64_t{1} << 16;
      const std::uint64_t tasks = offset_count / task_offsets + 1;
      parallel_for(tasks, options_.threads, [&](std::uint64_t task) {
        const Range own = slice(offset_count, task, tasks);
        for (std::uint64_t s = own.begin; s < own.end; ++s) offsets_[s] = begin_of[s];
      });
    });
    segments::build_segments(offsets_.span().first(offset_count), weights, long_segments,
                             rows_.data(), options_.threads);
    segments_ = segments.count();
    size_ = static_cast<Index>(weights.size());
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("rebuild: out of host memory for " + std::to_string(weights.size()) +
                      " items of " + std::to_string(segments.count()) + " segments");
  }
}

void SegmentedSampler::draw(std::span<const Index> from, std::uint64_t k, std::span<Index> out,
                            RandomState state, const SegmentedDrawOptions& options) const {
  segments::check_draw(from.size(), k, out.size(), size_, options);
  segments::require_segments("from", from, segments_);
  segments::draw_rows(
      rows_.data(), offsets_.data(), from.size(), [&](std::uint64_t t) { return from[t]; }, k, out,
      state, options, options_);
}

void SegmentedSampler::draw_from_all(std::uint64_t k, std::span<Index> out, RandomState state,
                                     const SegmentedDrawOptions& options) const {
  segments::check_draw(segments_, k, out.size(), size_, options);
  segments::draw_rows(
      rows_.data(), offsets_.data(), segments_, [](std::uint64_t t) { return t; }, k, out, state,
      options, options_);
}

void SegmentedSampler::choose(const AnyWeights& any_weights, std::span<const Index> from,
                              std::uint64_t k, std::span<Index> out, RandomState state,
                              const SegmentedDrawOptions& options) const {
  const WeightsView weights = any_weights.view();
  segments::check_draw(from.size(), k, out.size(), size_, options);
  segments::check_weights(weights, size_, Device::cpu);
  segments::require_segments("from", from, segments_);
  segments::choose_rows(
      weights, detail::ArrayOffsets<std::uint64_t>{offsets_.data()}, from.size(),
      [&](std::uint64_t t) { return from[t]; }, k, out, state, options, options_);
}

void SegmentedSampler::walk(std::span<const Index> starts, std::uint64_t length,
                            std::span<const Index> neighbours, std::span<Index> out,
                            RandomState state) const {
  segments::check_walk(starts.size(), length, out.size(), size_, neighbours.size());
  segments::require_segments("starts", starts, segments_);
  if (starts.empty()) return;
  const auto walk_steps = [&](std::uint64_t first, std::uint64_t steps) {
    with_split_words(
        segments::rounds_of(options_.generator), state.seed,
        [&]<int rounds>(const random::SplitWords<rounds>& words) {
          segments::for_each_row(starts.size(), steps, options_.threads, [&](std::uint64_t t) {
            Index* const row = out.data() + t * (length + 1) + first;
            if (first == 0) row[0] = starts[t];
            segments::walk_from(
                row[0], steps, rows_.data(), detail::ArrayOffsets<std::uint64_t>{offsets_.data()},
                segments_, neighbours.data(),
                segments::ConsecutiveWords<rounds>(words, state.offset + t * length + first), {},
                [row](std::uint64_t step, Index vertex) { row[step] = vertex; });
          });
        });
  };
  std::uint64_t first = 0;
  do {
    const std::uint64_t steps = std::min(segments::task_samples, length - first);
    walk_steps(first, steps);
    first += steps;
  } while (first < length);
}

void multinomial(const AnyWeights& any_weights, std::uint64_t rows, std::uint64_t columns,
                 std::uint64_t k, std::span<Index> out, RandomState state,
                 const SegmentedSamplerOptions& options) {
  const WeightsView weights = any_weights.view();
  const SegmentsView matrix = SegmentsView::equal(rows, columns);
  segments::check_draw(rows, k, out.size(), 0, {});
  if (columns > segments::part_items) {
    if (out.size() > segments::max_searched_samples) {
      return SegmentedSampler(matrix, weights, options)
          .draw_from_all(k, out, state, {.local_numbers = true});
    }
    return segments::search_rows(matrix, weights, out, state, options);
  }
  segments::check_segments(matrix, weights, options.empty_ok, options.threads);
  const auto draw_row = [&](auto own_weights, auto words, std::span<Index> samples) {
    std::array<std::uint64_t, segments::part_items> memory;
    const std::span<std::uint64_t> prefix = std::span(memory).first(columns);
    segments::write_prefix_masses(own_weights, prefix);
    for (Index& sample : samples) {
      sample = segments::find_item(prefix.data(), static_cast<Index>(columns), words.next());
    }
  };
  // Many samples of a row are several tasks.
  const std::uint64_t piece = std::min(k, segments::task_samples);
  const std::uint64_t pieces =
      k / segments::task_samples + (k % segments::task_samples > 0 ? 1 : 0);
  weights.visit([&](auto w) {
    with_split_words(
        segments::rounds_of(options.generator), state.seed,
        [&]<int rounds>(const random::SplitWords<rounds>& words) {
          segments::for_each_row(
              rows * pieces, piece + columns, options.threads, [&](std::uint64_t number) {
                const std::uint64_t t = number / pieces;
                const std::uint64_t first = number % pieces * piece;
                draw_row(w.subspan(t * columns, columns),
                         segments::ConsecutiveWords<rounds>(words, state.offset + t * k + first),
                         out.subspan(t * k + first, std::min(piece, k - first)));
              });
        });
  });
}

void choose_from_rows(const AnyWeights& any_weights, std::uint64_t rows, std::uint64_t columns,
                      std::uint64_t k, std::span<Index> out, RandomState state,
                      const SegmentedSamplerOptions& options) {
  const WeightsView weights = any_weights.view();
  segments::check_draw(rows, k, out.size(), 0, {});
  segments::check_segments(SegmentsView::equal(rows, columns), weights, options.empty_ok,
                           options.threads);
  segments::choose_rows(
      weights, detail::EqualOffsets{columns}, rows, [](std::uint64_t t) { return t; }, k, out,
      state, {.local_numbers = true}, options);
}

}  // namespace wrsgpu
