#include "wrsgpu/detail/sampling/direct_sectioned_gpu_sampler.cuh"

#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/memory_pool.cuh"
#include "wrsgpu/detail/sampling/sections.hpp"
#include "wrsgpu/detail/sampling/shared_rows.cuh"
#include "wrsgpu/detail/sampling/shared_rows_bytes.hpp"
#include "wrsgpu/detail/sampling/split_word_draw.cuh"
#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"

namespace wrsgpu {
namespace {

constexpr unsigned count_threads = 1024;
constexpr unsigned default_draw_threads = 1024;
/// Number of neighbouring threads that draw the samples of one block from one section, mostly at
/// least 32 samples.
constexpr unsigned group_threads = 8;
constexpr unsigned order_threads = 256;
/// Maximum number of samples in a block, so that the index of the next sample of a thread or a
/// thread block fits in 32 bits.
constexpr Index max_block_samples = 1U << 31;
/// Number of samples of a block that a thread block permutes. Small, so that the resident thread
/// blocks work on few blocks of samples, which fit in the L2.
constexpr Index order_samples = 4096;
/// Rounds of the permutation of a large whole block, and of any other, for which they are those of
/// all shuffles here. Ten rounds do not mix few samples: some orders of 8 and of 12 samples are too
/// frequent.
constexpr unsigned large_rounds = 10;
constexpr unsigned other_rounds = 24;
constexpr Index large_block = 1U << 18;
/// Shared memory per block reserved for purposes other than rows and counts.
constexpr std::size_t direct_reserved_bytes = 2048;

/// One draw: blocks of samples from sections of rows.
struct Blocks {
  split::Sections sections;
  std::uint64_t samples;  ///< of the draw
  Index block_samples;
  Index count;

  [[nodiscard]] WRSGPU_HD std::uint64_t first(Index block) const {
    return std::uint64_t{block} * block_samples;
  }
  [[nodiscard]] WRSGPU_HD Index size(Index block) const {
    const std::uint64_t left = samples - first(block);
    return left < block_samples ? static_cast<Index>(left) : block_samples;
  }
};

/// The section of a row, without a division.
class SectionOf {
 public:
  explicit SectionOf(Index section_rows)
      : rows_(section_rows),
        reciprocal_(static_cast<Index>((std::uint64_t{1} << 32) / section_rows -
                                       (section_rows == 1 ? 1 : 0))) {}
  [[nodiscard]] __device__ Index operator()(Index row) const {
    const Index section = __umulhi(row, reciprocal_);  // exact, or one too small
    return row - section * rows_ < rows_ ? section : section + 1;
  }
  [[nodiscard]] __device__ bool is_last(Index row, Index section) const {
    return row - section * rows_ == rows_ - 1;
  }

 private:
  Index rows_;
  Index reciprocal_;
};

/// Counts the samples of each block in each section. begins[s * blocks.count + b] becomes the index
/// within block b, grouped by section, at which its samples of section s begin; the entry after the
/// last section is the size of the block. One thread block per block of samples; dynamic shared
/// memory: one `Index` per section.
template <class Words>
__global__ void __launch_bounds__(count_threads)
    count_sections(const Blocks blocks, const SectionOf section_of, Index rows,
                   const __grid_constant__ Words words, Index* begins) {
  extern __shared__ Index counts[];  // per section
  const Index sections = blocks.sections.count();
  const std::uint64_t first = blocks.first(blockIdx.x);
  const Index size = blocks.size(blockIdx.x);
  for (Index section = threadIdx.x; section < sections; section += blockDim.x) counts[section] = 0;
  __syncthreads();
  for (Index begin = 4 * threadIdx.x; begin < size; begin += 4 * blockDim.x) {
    const random::PhiloxBlock high = words.high_halves((first + begin) / 4);
#pragma unroll
    for (unsigned s = 0; s < 4; ++s) {
      const FirstChoice choice = first_choice(high.word[s], rows);
      Index section = section_of(choice.row);
      // Words with equal high halves may select two adjacent rows, here of two sections. Rare.
      if (choice.variate > Index{0} - rows && section_of.is_last(choice.row, section)) {
        section = section_of(choose_row(words.word(first + begin + s), rows).row);
      }
      if (begin + s < size) atomicAdd(counts + section, 1U);
    }
  }
  __syncthreads();
  using Scan = cub::BlockScan<Index, count_threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Scan::TempStorage memory;
  Index before = 0;
  for (Index begin = 0; begin < sections; begin += count_threads) {
    const Index section = begin + threadIdx.x;
    Index place = 0;
    Index all = 0;
    Scan(memory).ExclusiveSum(section < sections ? counts[section] : 0, place, all);
    if (section < sections) {
      begins[std::size_t{section} * blocks.count + blockIdx.x] = before + place;
    }
    before += all;
    __syncthreads();
  }
  if (threadIdx.x == 0) begins[std::size_t{sections} * blocks.count + blockIdx.x] = before;
}

/// Destinations of the samples of each block: the first `buffered_count` blocks are stored in a
/// separate buffer, and each later block in the place of the block `buffered_count` before it.
template <class To>
struct ToBlocks {
  Index* buffered;
  Index* samples;
  Index buffered_count;
  Index block_samples;

  [[nodiscard]] __device__ To of(Index block) const {
    To to;
    to.samples = block < buffered_count
                     ? buffered + std::uint64_t{block} * block_samples
                     : samples + (std::uint64_t{block} - buffered_count) * block_samples;
    return to;
  }
  __device__ void finish() const {}
};
/// Adapter for outputs that do not store samples.
template <class Output>
struct Unplaced {
  Output output;

  [[nodiscard]] __device__ Output& of(Index /*block*/) { return output; }
  __device__ void finish() const { output.finish(); }
};

/// Draws the samples of several blocks from one section. A thread block is assigned a section and a
/// range of blocks; each group of its threads draws for one block at a time. `parts` thread blocks
/// per section, all of whose threads reach `output.finish()`; `begins` is the result of
/// `count_sections`. Dynamic shared memory: `shared_rows_bytes` of the largest section.
template <class Words, class Output>
__global__ void __launch_bounds__(max_block_threads)
    draw_sections_of_blocks(const CompactRow* rows, const Blocks blocks, unsigned parts,
                            const Index* begins, const __grid_constant__ Words words,
                            std::uint64_t offset, Output output) {
  extern __shared__ __align__(16) std::byte memory[];
  // Concurrent thread blocks have adjacent sections, because their output is adjacent.
  const Index section = blockIdx.x % blocks.sections.count();
  const Index part = blockIdx.x / blocks.sections.count();
  const Index first_row = blocks.sections.start(section);
  const Index past_row = blocks.sections.start(section + 1);
  SharedRows::copy(rows, first_row, past_row, memory, threadIdx.x, blockDim.x);
  __pipeline_wait_prior(0);
  __syncthreads();
  const SectionSource<Words> source{words, SharedRows(memory, first_row), first_row,
                                    past_row - first_row};
  const Index* const from = begins + std::size_t{section} * blocks.count;
  const Index* const to = from + blocks.count;
  const auto border = [&](Index of) {
    return static_cast<Index>(std::uint64_t{blocks.count} * of / parts);
  };
  const unsigned groups = blockDim.x / group_threads;
  for (Index block = border(part) + threadIdx.x / group_threads; block < border(part + 1);
       block += groups) {
    auto&& out = output.of(block);
    draw_quads<1, group_threads>(source, offset + blocks.first(block), __ldg(from + block),
                                 __ldg(to + block), threadIdx.x % group_threads, group_threads,
                                 out);
  }
  output.finish();
}

/// The permutation of a block that begins with sample number `first` of the draw; computed by one
/// thread for the whole thread block.
template <unsigned rounds>
class BlockOrder {
 public:
  using Order = shuffle::CycleWalk<shuffle::ProductFeistel<rounds>>;

  __device__ const Order& make(RandomState state, std::uint64_t first, Index size) {
    auto* const order = reinterpret_cast<Order*>(memory_);
    if (threadIdx.x == 0) {
      const std::uint64_t seed =
          random::philox_word(state.seed, state.offset + first, random::orders_subsequence);
      new (order) Order(size, shuffle::ProductFeistel<rounds>(size, seed));
    }
    __syncthreads();
    return *order;
  }

 private:
  alignas(16) std::byte memory_[sizeof(Order)];
};

/// Permutes blocks from `first_block` on, from where `from` stores them to their place in the
/// output; several thread blocks per block.
template <unsigned rounds>
__global__ void __launch_bounds__(order_threads)
    order_blocks(const Blocks blocks, Index first_block, RandomState state,
                 const ToBlocks<ToSamples> from, Index* samples) {
  __shared__ BlockOrder<rounds> block_order;
  const Index parts = (blocks.block_samples + order_samples - 1) / order_samples;
  const Index block = first_block + blockIdx.x / parts;
  const Index begin = blockIdx.x % parts * order_samples;
  const Index size = blocks.size(block);
  const Index end = begin + order_samples < size ? begin + order_samples : size;
  const Index* const unordered = from.of(block).samples;
  const auto order = block_order.make(state, blocks.first(block), size);
  Index* const of_block = samples + blocks.first(block);
#pragma unroll 4
  for (Index i = begin + threadIdx.x; i < end; i += order_threads) {
    __stcs(of_block + i, __ldcg(unordered + order(i)));
  }
}

template <unsigned rounds>
void launch_order_blocks(const Blocks& blocks, Index first, Index count, RandomState state,
                         const ToBlocks<ToSamples>& from, cudaStream_t stream) {
  const unsigned parts = blocks_for(blocks.block_samples, order_samples);
  order_blocks<rounds><<<blocks_for(std::uint64_t{count} * parts, 1), order_threads, 0, stream>>>(
      blocks, first, state, from, from.samples);
  check_launch("DirectSectionedGpuSampler order_blocks");
}

void order_all_blocks(const Blocks& blocks, RandomState state, const ToBlocks<ToSamples>& from,
                      cudaStream_t stream) {
  Index past = blocks.count;
  if (blocks.size(past - 1) < blocks.block_samples) {
    launch_order_blocks<other_rounds>(blocks, --past, 1, state, from, stream);
  }
  // In reverse: the places of the last blocks in the output are unused, and moving blocks there
  // frees others.
  const auto launch = blocks.block_samples < large_block ? launch_order_blocks<other_rounds>
                                                         : launch_order_blocks<large_rounds>;
  while (past > 0) {
    const Index first = (past - 1) / from.buffered_count * from.buffered_count;
    launch(blocks, first, past - first, state, from, stream);
    past = first;
  }
}

}  // namespace

DirectSectionedGpuSampler::DirectSectionedGpuSampler(const GpuSamplerOptions& options,
                                                     const std::optional<SampleBlocks>& blocks)
    : options_(options), blocks_(blocks) {
  check_split_word_options(options);
  check_no_sections(options);
  if (options.blocks > 0) {
    throw Error("argument 'blocks' is " + std::to_string(options.blocks) +
                "; this sampler derives the number of blocks from the sections");
  }
  if (!blocks.has_value()) return;
  if (blocks->section_rows == 0 || blocks->buffered_blocks == 0) {
    throw Error("argument 'blocks': section_rows and buffered_blocks must be positive");
  }
  if (blocks->samples == 0 || blocks->samples % 4 != 0 || blocks->samples > max_block_samples) {
    throw Error("argument 'blocks': samples is " + std::to_string(blocks->samples) +
                "; it must be a positive multiple of 4, at most 2^31");
  }
}

std::string DirectSectionedGpuSampler::refusal(const DeviceTable& table) const {
  if (std::string reason = split_word_refusal(table); !reason.empty()) return reason;
  const SampleBlocks cut = sample_blocks();
  const std::size_t maximum = max_shared_bytes(direct_reserved_bytes);
  const auto too_much = [maximum](const char* what, std::size_t bytes) {
    return bytes <= maximum
               ? std::string()
               : std::string(what) + " takes " + std::to_string(bytes) + " bytes, more than the " +
                     std::to_string(maximum) + " bytes of shared memory available";
  };
  const split::Sections sections{table.size(), std::min(cut.section_rows, table.size())};
  std::string reason =
      too_much("a count for each of its sections", sizeof(Index) * sections.count());
  if (reason.empty()) reason = too_much("a section", shared_rows_bytes(sections.section_items));
  return reason;
}

SampleBlocks DirectSectionedGpuSampler::sample_blocks() const {
  if (blocks_.has_value()) return *blocks_;
  constexpr Index max_samples = 1U << 21;
  constexpr Index buffered_samples = 1U << 26;
  // A few blocks are permuted at a time, and reads from them must hit the cache.
  const auto cache = static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize));
  Index samples = large_block;
  while (samples < max_samples && 12 * sizeof(Index) * samples <= cache) samples *= 2;
  const auto section_rows = max_shared_rows(max_shared_bytes(direct_reserved_bytes));
  return {section_rows, samples, buffered_samples / samples};
}

void DirectSectionedGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                                       std::uint64_t samples, RandomState state,
                                       cudaStream_t stream) const {
  const SampleBlocks cut = sample_blocks();
  const Blocks blocks{{table.size(), std::min(cut.section_rows, table.size())},
                      samples,
                      cut.samples,
                      blocks_for(samples, cut.samples)};
  const Index sections = blocks.sections.count();
  const PoolBuffer<Index> begins((std::size_t{sections} + 1) * blocks.count, stream);
  const std::uint64_t count_seed =
      random::philox_word(state.seed, state.offset, random::sections_subsequence);
  with_split_words(options_.generator, count_seed, [&]<class Words>(const Words& words) {
    const auto kernel = count_sections<Words>;
    allow_all_shared_memory(kernel);
    kernel<<<blocks.count, count_threads, sizeof(Index) * sections, stream>>>(
        blocks, SectionOf(blocks.sections.start(1)), table.size(), words, begins.data());
    check_launch("DirectSectionedGpuSampler count_sections");
  });

  const unsigned threads =
      options_.block_threads > 0 ? options_.block_threads : default_draw_threads;
  // Enough thread blocks to keep the device busy to the end, each with work for all its groups.
  const auto wanted = static_cast<unsigned>(
      8 * device_attribute(cudaDevAttrMultiProcessorCount) / static_cast<int>(sections) + 1);
  const unsigned parts = std::max(std::min(wanted, blocks.count / (threads / group_threads)), 1U);
  const auto draw = [&](const auto& words, const auto& out) {
    const auto kernel = draw_sections_of_blocks<std::remove_cvref_t<decltype(words)>,
                                                std::remove_cvref_t<decltype(out)>>;
    allow_all_shared_memory(kernel);
    kernel<<<blocks_for(std::uint64_t{sections} * parts, 1), threads,
             shared_rows_bytes(blocks.sections.start(1)), stream>>>(
        compact_rows(table), blocks, parts, begins.data(), words, state.offset, out);
    check_launch("DirectSectionedGpuSampler draw_sections_of_blocks");
  };
  const auto* const to_samples = std::get_if<ToSamples>(&output);
  const Index buffered = to_samples == nullptr ? 0 : std::min(cut.buffered_blocks, blocks.count);
  // Shifted by the same amount as the words, so that their quads are aligned.
  const std::uint64_t shift = state.offset & 3;
  const PoolBuffer<Index> apart(
      std::min(std::uint64_t{buffered} * cut.samples, samples) + shift + 1, stream);
  with_split_words_and_output(
      options_.generator, state, output, [&]<class Out>(const auto& words, const Out& out) {
        if constexpr (std::is_base_of_v<ToSamples, Out>) {
          draw(words, ToBlocks<Out>{apart.data() + shift, out.samples, buffered, cut.samples});
        } else {
          draw(words, Unplaced<Out>{out});
        }
      });
  if (to_samples == nullptr) return;
  order_all_blocks(blocks, state,
                   {apart.data() + shift, to_samples->samples, buffered, cut.samples}, stream);
}

}  // namespace wrsgpu
