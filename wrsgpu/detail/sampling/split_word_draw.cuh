// Common loop of the kernels of the samplers with split words: they draw four samples at a time,
// from the words of one Philox block, and store them together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include "wrsgpu/detail/core/in_register.cuh"
#include "wrsgpu/detail/random/split_words.hpp"
#include "wrsgpu/detail/sampling/gpu_launch.cuh"
#include "wrsgpu/detail/sampling/gpu_output.cuh"
#include "wrsgpu/detail/sampling/gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/split_word_table.cuh"
#include "wrsgpu/error.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Maximum number of threads of a grid that draws together; keeps the index of a thread's quad in
/// 32 bits.
inline constexpr std::uint64_t max_quad_threads = std::uint64_t{1} << 28;

/// Output to samples whose quads are aligned to 16 bytes.
struct ToAlignedSamples : ToSamples {};

/// Destination of quads: quad `quad` is samples first + 4 * quad to first + 4 * quad + 3.
template <class Output>
class QuadsTo {
 public:
  __device__ QuadsTo(Output& output, std::uint64_t first) : output_(output), first_(first) {
    if constexpr (is_aligned) {
      quads_ = reinterpret_cast<uint4*>(output.samples + first);
      asm volatile("" : "+l"(quads_));  // the compiler would recompute it for each quad
    }
  }

  __device__ void put(std::uint32_t quad, const Index (&items)[4]) const {
    if constexpr (is_aligned) {
      // Streaming store: the cache is for rows.
      __stcs(quads_ + quad, make_uint4(items[0], items[1], items[2], items[3]));
    } else if constexpr (requires { output_.put_quad(first_, items); }) {
      output_.put_quad(sample(quad, 0), items);
    } else {
      for (unsigned s = 0; s < 4; ++s) output_.put(sample(quad, s), items[s]);
    }
  }
  __device__ void put(std::uint64_t sample, Index item) const { output_.put(sample, item); }
  /// The index of sample `of_quad` of a quad.
  [[nodiscard]] __device__ std::uint64_t sample(std::uint32_t quad, unsigned of_quad) const {
    return first_ + 4 * std::uint64_t{quad} + of_quad;
  }
  /// Distance in quads from the preceding aligned boundary to the first quad. From that boundary
  /// on, `lanes` neighbouring threads (512 bytes per warp) store without sharing a cache line with
  /// others.
  template <unsigned lanes>
  [[nodiscard]] __device__ unsigned before() const {
    if constexpr (!is_aligned) return 0;
    return reinterpret_cast<std::uintptr_t>(quads_) / sizeof(uint4) % lanes;
  }

 private:
  static constexpr bool is_aligned = std::is_same_v<Output, ToAlignedSamples>;
  Output& output_;
  std::uint64_t first_;
  uint4* quads_ = nullptr;  // for aligned samples
};

/// Draws quads i, i + stride, ... of `to`. Their words are those of quads `first_number` later in
/// the stream; `words_of` holds the high half of these quad numbers.
template <int quads, class Source, class Quads, class Output>
__device__ void draw_some_quads(const Source& source, const Quads& words_of, std::uint64_t offset,
                                std::uint32_t first_number, std::uint32_t i, unsigned stride,
                                const QuadsTo<Output>& to) {
  std::uint32_t numbers[quads];
  Index items[quads][4];
#pragma unroll
  for (unsigned j = 0; j < quads; ++j) numbers[j] = first_number + i + j * stride;
  if (source.pick(words_of, numbers, items)) {
#pragma unroll
    for (unsigned j = 0; j < quads; ++j) to.put(i + j * stride, items[j]);
  } else {
    // Rare, so the code is kept small.
#pragma unroll 1
    for (unsigned s = 0; s < 4 * quads; ++s) {
      const std::uint64_t k = to.sample(i + s / 4 * stride, s % 4);
      to.put(k, source.one(offset + k));
    }
  }
}

/// Draws samples [begin, end), where sample k takes word `offset` + k, by `threads` threads;
/// `thread` is the index of this one. `lanes` neighbouring threads store to consecutive memory;
/// `threads` is a multiple of `lanes`. `source` has the members
///   words                            the `SplitWords`
///   pick(words_of, numbers, items)   sets items[j] to the items of the words of quad numbers[j],
///                                    for `unroll` quads or one, whose rows are in flight together;
///                                    `words_of` holds the high half of the quad numbers. Returns
///                                    false if the whole words are needed
///   one(word)                        the item of word number `word`
template <int unroll, unsigned lanes = 32, class Source, class Output>
__device__ void draw_quads(const Source& source, std::uint64_t offset, std::uint64_t begin,
                           std::uint64_t end, unsigned thread, unsigned threads, Output& output) {
  constexpr std::uint64_t last_quad = ~std::uint64_t{0} >> 2;  // the stream wraps around after it
  // Sample k is word k + skipped, counted from the first word of the quad of word `offset`, and
  // quads are counted likewise: quads [first, past) are whole; the samples before and after them
  // are drawn one by one.
  const std::uint64_t skipped = offset & 3;
  const std::uint64_t first = (begin + skipped + 3) / 4;
  const std::uint64_t past = std::max((end + skipped) / 4, first);
  const std::uint64_t head_end = std::min(first * 4 - skipped, end);
  const std::uint64_t tail = std::min(past * 4 - skipped, end);
  const std::uint64_t heads = head_end - begin;
  for (std::uint64_t j = thread; j < heads + (end - tail); j += threads) {
    const std::uint64_t k = j < heads ? begin + j : tail + (j - heads);
    output.put(k, source.one(offset + k));
  }
  // In pieces whose quad numbers have the same high half.
  for (std::uint64_t q = first; q < past;) {
    const std::uint64_t quad = ((offset >> 2) + q) & last_quad;
    const std::uint64_t room = (std::uint64_t{1} << 32) - (quad & 0xFFFF'FFFFU);
    const auto count = static_cast<std::uint32_t>(
        std::min({past - q, room, std::uint64_t{1} << 31}));  // cannot overflow below
    const std::uint64_t k = 4 * q - skipped;
    const auto first_number = static_cast<std::uint32_t>(quad);
    using Quads = typename std::remove_cvref_t<decltype(source.words)>::Quads;
    const Quads words_of =
        Quads(source.words, static_cast<std::uint32_t>(quad >> 32)).kept(in_register);
    const QuadsTo<Output> to(output, k);
    const unsigned before = to.template before<lanes>();
    std::uint32_t i = (thread < before ? thread + threads : thread) - before;
    for (; i + (unroll - 1) * threads < count; i += unroll * threads) {
      draw_some_quads<unroll>(source, words_of, offset, first_number, i, threads, to);
    }
    for (; i < count; i += threads) {
      draw_some_quads<1>(source, words_of, offset, first_number, i, threads, to);
    }
    q += count;
  }
}

/// Throws `Error` for options that samplers with split words do not support.
inline void check_split_word_options(const GpuSamplerOptions& options) {
  check_block_threads(options);
  if (options.generator != GpuGenerator::philox && options.generator != GpuGenerator::philox7) {
    throw Error("generator " + std::string(to_string(options.generator)) +
                " has no numbered words that can be drawn in halves; use philox or philox7");
  }
  check_seeding(options);
}

/// Calls `launch(words)` with the words of `generator` under `seed`.
template <class Launch>
void with_split_words(GpuGenerator generator, std::uint64_t seed, const Launch& launch) {
  if (generator == GpuGenerator::philox7) {
    launch(random::SplitWords<7>(seed));
  } else {
    launch(random::SplitWords<10>(seed));
  }
}

/// Calls `launch(words, output)` with the types of both. Whether quads are aligned depends on
/// `offset`, that of the draw, and on the address of the samples.
template <class Launch>
void with_split_words_and_output(GpuGenerator generator, RandomState state, const AnyOutput& output,
                                 const Launch& launch) {
  with_split_words(generator, state.seed, [&](const auto& words) {
    const auto* const samples = std::get_if<ToSamples>(&output);
    const bool is_aligned =
        samples != nullptr &&
        (reinterpret_cast<std::uintptr_t>(samples->samples) / sizeof(Index) - state.offset) % 4 ==
            0;
    if (is_aligned) {
      launch(words, ToAlignedSamples{*samples});
    } else {
      std::visit([&](const auto& out) { launch(words, out); }, output);
    }
  });
}

}  // namespace wrsgpu
