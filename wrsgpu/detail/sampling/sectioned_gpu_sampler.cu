#include "wrsgpu/detail/sampling/sectioned_gpu_sampler.cuh"

#include <algorithm>
#include <type_traits>

#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/core/memory_pool.cuh"
#include "wrsgpu/detail/core/programmatic_launch.cuh"
#include "wrsgpu/detail/core/resident_blocks.cuh"
#include "wrsgpu/detail/sampling/output_parts.hpp"
#include "wrsgpu/detail/sampling/section_borders.cuh"
#include "wrsgpu/detail/sampling/section_feeder.cuh"
#include "wrsgpu/detail/sampling/shared_rows.cuh"
#include "wrsgpu/detail/sampling/shared_rows_bytes.hpp"
#include "wrsgpu/detail/sampling/split_word_draw.cuh"

namespace wrsgpu {
namespace {

/// Quads per thread and iteration.
constexpr int quads_per_thread = 1;
/// Maximum number of registers per thread: a multiprocessor with 65,536 registers then has room for
/// two blocks of a table of one section, or for one block of several sections besides blocks of
/// `find_borders` that still run.
constexpr int max_registers = 40;
/// Shared memory per block not available to rows; `draw_parts` uses some of it.
constexpr std::size_t reserved_bytes = 1024;

/// Threads per block for a table of one section: two blocks per multiprocessor, so that one draws
/// while the other copies.
constexpr unsigned table_threads = 768;

/// Drawing threads per block for several sections, besides the warp that copies: one block per
/// multiprocessor. Two blocks were slower, in particular with Philox of 7 rounds. Memory limits the
/// kernel: for 10^9 samples of 10^8 rows it takes 1.30 ms on an H200, and a kernel that only reads
/// so many rows and writes so many numbers takes 1.26. More registers or quads per thread, warps
/// that go on to the next section without waiting for others, other cache policies of the stores,
/// and parts in the order of the output were no faster.
constexpr unsigned drawing_threads = 896;
constexpr unsigned feeding_threads = 32;
/// Number of rows per section; a block has room for two sections. Longer sections cause more bank
/// conflicts, but are fewer, which is better if each has few samples.
[[nodiscard]] constexpr Index section_rows_for(Index table_rows, std::uint64_t samples) {
  return samples / table_rows < 8 ? 14'336 : 7168;
}

/// `__syncthreads` that warps may reach at different places in the code.
__device__ inline void wait_for_block() {
  asm volatile("barrier.sync 1, %0;" : : "r"(blockDim.x) : "memory");
}

/// Draws all samples, the first from word `offset`. The grid has as many blocks as `parts`, each of
/// a multiple of 32 drawing threads followed by one warp that copies. Launched after
/// `find_borders`. Dynamic shared memory: twice `buffer_bytes`, which is `shared_rows_bytes` of the
/// largest section.
template <class Words, class Output>
__global__ void __maxnreg__(max_registers)
    draw_parts(const CompactRow* rows, const __grid_constant__ SectionBorders borders,
               const __grid_constant__ OutputParts parts, unsigned buffer_bytes,
               const __grid_constant__ Words argument, std::uint64_t offset, Output output) {
  extern __shared__ __align__(16) std::byte memory[];
  __shared__ SectionStep steps[2];
  const unsigned threads = blockDim.x - feeding_threads;
  // The rows are complete: the kernel of find_borders started after all earlier ones had ended.
  const Index likely = likely_section(borders.sections, parts);
  SharedRows::copy(rows, borders.sections.start(likely), borders.sections.start(likely + 1), memory,
                   threadIdx.x, blockDim.x);
  __pipeline_wait_prior(0);
  __syncthreads();
  // Warp-uniform by a shuffle, so that the compiler can keep loop invariants in uniform registers.
  // Two loops, because in a single one each warp would need registers for both roles.
  const bool feeds = __shfl_sync(~0U, threadIdx.x, 0) >= threads;
  if (feeds) {
    grid_dependency_sync();
    SectionFeeder feeder(rows, borders, parts);
    SectionStep step = feeder.next(memory, likely);
    for (unsigned now = 0;;) {
      if (threadIdx.x == threads) steps[now] = step;
      wait_for_block();
      if (step.begin == step.end) break;
      now ^= 1;
      step = feeder.next(memory + now * buffer_bytes);
    }
  } else {
    const Words words = argument.kept(in_register);  // loads took a tenth of the loop
    for (unsigned now = 0;; now ^= 1) {
      wait_for_block();  // this step's rows have arrived
      const SectionStep step = steps[now];
      if (step.begin == step.end) break;
      const Index first_row = borders.sections.start(step.section);
      const SectionSource<Words> source{words, SharedRows(memory + now * buffer_bytes, first_row),
                                        first_row,
                                        borders.sections.start(step.section + 1) - first_row};
      draw_quads<quads_per_thread>(source, offset, step.begin, step.end, threadIdx.x, threads,
                                   output);
    }
  }
  output.finish();
}

/// Draws all samples from a table of `size` rows in one section; all threads of the grid draw
/// together. Dynamic shared memory: `shared_rows_bytes` of the table.
template <class Words, class Output>
__global__ void __maxnreg__(max_registers)
    draw_from_copies(const CompactRow* rows, Index size, std::uint64_t samples,
                     const __grid_constant__ Words argument, std::uint64_t offset, Output output) {
  const Words words = argument.kept(in_register);
  extern __shared__ __align__(16) std::byte memory[];
  SharedRows::copy(rows, 0, size, memory, threadIdx.x, blockDim.x);
  __pipeline_wait_prior(0);
  __syncthreads();
  const SectionSource<Words> source{words, SharedRows(memory, 0), 0, size};
  draw_quads<quads_per_thread>(source, offset, 0, samples, blockIdx.x * blockDim.x + threadIdx.x,
                               gridDim.x * blockDim.x, output);
  output.finish();
}

/// Number of blocks of `threads` threads for `samples` samples: as many as are resident at once,
/// but no more than have work for their drawing threads.
template <class Kernel>
[[nodiscard]] unsigned blocks_that_draw(Kernel kernel, std::uint64_t samples, unsigned threads,
                                        unsigned drawing, std::size_t shared_bytes) {
  return capped_blocks_for(samples, std::uint64_t{drawing} * 4 * quads_per_thread,
                           blocks_that_fill(kernel, threads, shared_bytes));
}

void launch_draw_from_copies(const CompactRow* rows, Index size, std::uint64_t samples,
                             const GpuSamplerOptions& options, const AnyOutput& output,
                             RandomState state, cudaStream_t stream) {
  const unsigned threads = options.block_threads > 0 ? options.block_threads : table_threads;
  const std::size_t bytes = shared_rows_bytes(size);
  with_split_words_and_output(
      options.generator, state, output, [&](const auto& words, const auto& out) {
        const auto kernel = draw_from_copies<std::remove_cvref_t<decltype(words)>,
                                             std::remove_cvref_t<decltype(out)>>;
        allow_all_shared_memory(kernel);
        const unsigned fill = blocks_that_draw(kernel, samples, threads, threads, bytes);
        const auto maximum = static_cast<unsigned>(max_quad_threads / threads);
        const unsigned blocks = options.blocks > 0 ? std::min(options.blocks, maximum) : fill;
        kernel<<<blocks, threads, bytes, stream>>>(rows, size, samples, words, state.offset, out);
        check_launch("SectionedGpuSampler draw_from_copies");
      });
}

void launch_draw_parts(const CompactRow* rows, const SectionBorders& borders, std::uint64_t samples,
                       const GpuSamplerOptions& options, const AnyOutput& output, RandomState state,
                       cudaStream_t stream) {
  const unsigned wanted = options.block_threads > 0 ? options.block_threads : drawing_threads;
  const unsigned drawing = std::min(wanted, max_block_threads - feeding_threads);
  const unsigned threads = drawing + feeding_threads;
  const std::size_t buffer_bytes = shared_rows_bytes(borders.sections.start(1));
  with_split_words_and_output(
      options.generator, state, output, [&](const auto& words, const auto& out) {
        const auto kernel =
            draw_parts<std::remove_cvref_t<decltype(words)>, std::remove_cvref_t<decltype(out)>>;
        allow_all_shared_memory(kernel);
        const unsigned fill = blocks_that_draw(kernel, samples, threads, drawing, 2 * buffer_bytes);
        const unsigned blocks = options.blocks > 0 ? options.blocks : fill;
        launch_programmatic(kernel, {blocks, threads, 2 * buffer_bytes}, stream, rows, borders,
                            OutputParts::of(samples, blocks), static_cast<unsigned>(buffer_bytes),
                            words, state.offset, out);
        check_launch("SectionedGpuSampler draw_parts");
      });
}

}  // namespace

SectionedGpuSampler::SectionedGpuSampler(const GpuSamplerOptions& options, bool has_one_section)
    : options_(options), has_one_section_(has_one_section) {
  check_split_word_options(options);
  if (has_one_section) check_no_sections(options);
}

std::string SectionedGpuSampler::refusal(const DeviceTable& table) const {
  if (std::string reason = split_word_refusal(table); !reason.empty()) return reason;
  if (!has_one_section_ && options_.section_rows == 0) return {};
  const Index rows =
      has_one_section_ ? table.size() : std::min(options_.section_rows, table.size());
  // With several sections, one is copied while another is drawn from.
  const std::size_t all = max_shared_bytes(reserved_bytes);
  const std::size_t maximum = rows < table.size() ? all / 2 : all;
  if (shared_rows_bytes(rows) <= maximum) return {};
  const std::string max_rows = std::to_string(max_shared_rows(has_one_section_ ? all : all / 2));
  return rows_that_do_not_fit(has_one_section_ ? "its" : "a section's", rows,
                              shared_rows_bytes(rows), maximum) +
         (has_one_section_ ? "; use sectioned for more than " + max_rows + " rows"
                           : "; set section_rows to at most " + max_rows);
}

Index SectionedGpuSampler::section_rows(Index table_rows, std::uint64_t samples) const {
  if (has_one_section_) return table_rows;
  if (options_.section_rows > 0) return std::min(options_.section_rows, table_rows);
  const auto all =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  if (is_one_section(table_rows, all)) return table_rows;
  return std::min(section_rows_for(table_rows, samples),
                  max_shared_rows(max_shared_bytes(reserved_bytes) / 2));
}

void SectionedGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                                 std::uint64_t samples, RandomState state,
                                 cudaStream_t stream) const {
  const CompactRow* const rows = compact_rows(table);
  const split::Sections sections{table.size(), section_rows(table.size(), samples)};
  if (sections.count() == 1) {
    launch_draw_from_copies(rows, table.size(), samples, options_, output, state, stream);
    return;
  }
  const PoolBuffer<unsigned long long> memory(SectionBorders::size(sections), stream);
  const SectionBorders borders = SectionBorders::at(memory.data(), sections);
  find_borders(SectionTree(sections, samples, state, options_.section_counts), borders, stream);
  launch_draw_parts(rows, borders, samples, options_, output, state, stream);
}

}  // namespace wrsgpu
