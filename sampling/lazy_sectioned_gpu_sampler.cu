#include "wrsgpu/sampling/lazy_sectioned_gpu_sampler.cuh"

#include <cuda_pipeline.h>

#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"
#include "wrsgpu/sampling/lazy_draw.cuh"
#include "wrsgpu/sampling/lazy_row.hpp"

namespace wrsgpu {
namespace {

/// Threads of a block, where the caller has no wish; quads that a thread draws at a time; blocks on
/// a multiprocessor, so that one draws while another one copies.
constexpr unsigned default_threads = 768;
constexpr int quads_together = 2;
constexpr int resident_blocks = 2;
/// Shared memory of a block that its rows cannot have: the driver's, and the kernel's own.
constexpr std::size_t reserved_bytes = 3072;

/// Rows of the table in shared memory.
class SharedRows {
 public:
  /// Bytes of shared memory for `count` rows from any row on: a row before the first keeps the
  /// copies aligned.
  [[nodiscard]] static constexpr std::size_t bytes(Index count) {
    return (std::size_t{count} + 2) / 2 * 2 * sizeof(CompactRow);
  }

  __device__ SharedRows(std::byte* memory, Index first)
      : row_0_(static_cast<std::uint32_t>(__cvta_generic_to_shared(memory)) -
               row_bytes * even(first)) {}

  /// Starts the copies of rows [first, past) of the table, shared out among the threads of the
  /// block.
  __device__ static void copy(const CompactRow* rows, Index first, Index past, std::byte* memory) {
    const Index begin = even(first);
    auto* const to = reinterpret_cast<CompactRow*>(memory);
    for (Index i = 2 * threadIdx.x; i < even(past) - begin; i += 2 * blockDim.x) {
      __pipeline_memcpy_async(to + i, rows + begin + i, 2 * sizeof(CompactRow));
    }
    if (past % 2 != 0 && threadIdx.x == 0) {
      __pipeline_memcpy_async(to + (past - 1 - begin), rows + (past - 1), sizeof(CompactRow));
    }
    __pipeline_commit();
  }

  /// Row number `row` of the table, which is one of those copied.
  [[nodiscard]] __device__ CompactRow load(Index row) const {
    CompactRow loaded;
    // Addresses of shared memory have 32 bits; the compiler would compute with 64.
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(loaded.threshold), "=r"(loaded.alias)
                 : "r"(row_0_ + row_bytes * row));
    return loaded;
  }

 private:
  static constexpr std::uint32_t row_bytes = sizeof(CompactRow);
  [[nodiscard]] __device__ static Index even(Index row) { return row / 2 * 2; }

  std::uint32_t row_0_;  ///< where row 0 of the table would be
};

/// What `draw_quads` draws from.
template <class Words>
struct SectionSource {
  const Words& words;
  SharedRows copies;
  Index first_row;
  Index size;  ///< rows of the section

  template <int quads>
  [[nodiscard]] __device__ bool pick(const std::uint64_t (&numbers)[quads],
                                     Index (&items)[quads][4]) const {
    bool is_open = false;
#pragma unroll
    for (int j = 0; j < quads; ++j) {
      const random::PhiloxBlock high = words.high_halves(numbers[j]);
#pragma unroll
      for (int s = 0; s < 4; ++s) {
        const LeastChoice choice = least_choice(high.word[s], size, first_row);
        const CompactRow row = copies.load(choice.row);
        items[j][s] = CompactRows::keeps(row, choice.coin) ? choice.row : row.alias;
        is_open |= may_tie(choice.coin, row.threshold, size);
      }
    }
    return !is_open;
  }
  [[nodiscard]] __device__ Index one(std::uint64_t word) const {
    const RowChoice choice = choose_row(words.word(word), size);
    const Index row = first_row + choice.row;
    const CompactRow chosen = copies.load(row);
    return CompactRows::keeps(chosen, CompactRows::coin(choice.fraction)) ? row : chosen.alias;
  }
};

/// Finds the section of a sample, and the next one that gives samples; there must be one. Out of
/// line: deviates take more registers than a thread that draws can have.
__device__ __noinline__ void find_section(const SectionTree& tree, std::uint64_t sample,
                                          SectionWalk& walk, SectionNode& node) {
  walk.start_at_sample(tree, sample);
  node = walk.next(tree);
}
__device__ __noinline__ void find_next_section(const SectionTree& tree, SectionWalk& walk,
                                               SectionNode& node) {
  do node = walk.next(tree);
  while (node.share.samples == 0);
}

/// Draws `samples` samples, of which every block has an equal part.
template <class Words, class Output>
__global__ void __maxnreg__(40)
    draw_parts(const CompactRow* rows, const __grid_constant__ SectionTree tree,
               const __grid_constant__ Words words, std::uint64_t offset, std::uint64_t samples,
               Output output) {
  extern __shared__ __align__(16) std::byte memory[];
  __shared__ SectionWalk walk;
  __shared__ SectionNode nodes[2];  // this section and the next one
  // Without overflow for any number of samples.
  const auto border = [&](std::uint64_t part) {
    return samples / gridDim.x * part + samples % gridDim.x * part / gridDim.x;
  };
  const std::uint64_t begin = border(blockIdx.x);
  const std::uint64_t end = border(blockIdx.x + std::uint64_t{1});
  if (begin == end) return;
  if (threadIdx.x == 0) find_section(tree, begin, walk, nodes[0]);
  __syncthreads();
  for (unsigned turn = 0;; turn ^= 1) {
    const SectionNode node = nodes[turn];
    const std::uint64_t past = node.share.first_sample + node.share.samples;
    const Index first_row = tree.sections().start(node.begin);
    const Index past_row = tree.sections().start(node.end);
    SharedRows::copy(rows, first_row, past_row, memory);
    // While the rows are on their way.
    if (threadIdx.x == 0 && past < end) find_next_section(tree, walk, nodes[turn ^ 1]);
    __pipeline_wait_prior(0);
    __syncthreads();
    const SectionSource<Words> source{words, SharedRows(memory, first_row), first_row,
                                      past_row - first_row};
    draw_quads<quads_together>(source, offset, std::max(begin, node.share.first_sample),
                               std::min(end, past), threadIdx.x, blockDim.x, output);
    if (past >= end) break;
    __syncthreads();  // nobody needs these rows any more
  }
  output.finish();
}

[[nodiscard]] std::size_t most_section_bytes() {
  return static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) -
         reserved_bytes;
}

}  // namespace

LazySectionedGpuSampler::LazySectionedGpuSampler(const GpuSamplerOptions& options,
                                                 bool has_one_section)
    : options_(options), has_one_section_(has_one_section) {
  check_lazy_options(options);
}

std::string LazySectionedGpuSampler::refusal(const DeviceTable& table) const {
  if (std::string reason = lazy_refusal(table); !reason.empty()) return reason;
  const Index rows = section_rows(table);
  if (SharedRows::bytes(rows) <= most_section_bytes()) return {};
  return (has_one_section_ ? "it has " + std::to_string(rows) + " rows, and their "
                           : "a section of " + std::to_string(rows) + " rows takes ") +
         std::to_string(SharedRows::bytes(rows)) +
         " bytes do not fit in shared memory, of which they can have " +
         std::to_string(most_section_bytes());
}

Index LazySectionedGpuSampler::section_rows(const DeviceTable& table) const {
  if (has_one_section_) return table.size();
  if (options_.section_rows > 0) return std::min(options_.section_rows, table.size());
  const auto all =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  const std::size_t bytes = std::min(all / resident_blocks - reserved_bytes, most_section_bytes());
  const std::size_t rows = bytes / sizeof(CompactRow) / 2 * 2 - 2;  // see SharedRows::bytes
  return static_cast<Index>(std::min<std::size_t>(rows, table.size()));
}

void LazySectionedGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                                     std::uint64_t samples, RandomState state,
                                     cudaStream_t stream) const {
  const Index rows = section_rows(table);
  const SectionTree tree(split::Sections{table.size(), rows}, samples, state,
                         options_.section_counts);
  const unsigned threads = options_.block_threads > 0 ? options_.block_threads : default_threads;
  const std::size_t bytes = SharedRows::bytes(rows);
  with_lazy_words_and_output(
      options_.generator, state, output, [&](const auto& words, const auto& out) {
        const auto kernel =
            draw_parts<std::remove_cvref_t<decltype(words)>, std::remove_cvref_t<decltype(out)>>;
        allow_all_shared_memory(kernel);
        unsigned blocks = options_.blocks;
        if (blocks == 0) {
          int resident = 0;
          WRSGPU_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &resident, kernel, static_cast<int>(threads), bytes));
          // All that fit on the device at a time, if each thread then has something to do.
          const auto fill = static_cast<std::uint64_t>(
              resident * device_attribute(cudaDevAttrMultiProcessorCount));
          blocks = capped_blocks_for(samples, std::uint64_t{threads} * 4 * quads_together, fill);
        }
        kernel<<<blocks, threads, bytes, stream>>>(compact_rows(table), tree, words, state.offset,
                                                   samples, out);
        check_launch("LazySectionedGpuSampler draw_parts");
      });
}

}  // namespace wrsgpu
