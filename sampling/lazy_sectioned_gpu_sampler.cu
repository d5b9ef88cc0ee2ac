#include "wrsgpu/sampling/lazy_sectioned_gpu_sampler.cuh"

#include <algorithm>
#include <bit>

#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/cuda_check.cuh"
#include "wrsgpu/core/memory_pool.cuh"
#include "wrsgpu/sampling/lazy_draw.cuh"
#include "wrsgpu/sampling/section_tree.hpp"
#include "wrsgpu/sampling/shared_rows.cuh"

namespace wrsgpu {
namespace {

/// Quads that a thread draws at a time.
constexpr int quads_together = 1;
/// Blocks on a multiprocessor, so that one draws while another one copies; their threads, where the
/// caller has no wish, and what a multiprocessor of 65,536 registers then has for each.
constexpr int resident_blocks = 2;
constexpr unsigned default_threads = 768;
constexpr int most_registers = 40;
/// Shared memory of a block that its rows cannot have.
constexpr std::size_t reserved_bytes = 1024;

/// Sections below one node of the tree, which a block shares out among its threads.
constexpr Index block_sections = 256;

/// first_samples[s] becomes the number of the first sample of section s, and that behind the last
/// one the number of samples. There are 2^d blocks; each walks down d levels to a node of at most
/// `block_sections` sections, and halves what is below it level by level. A kernel of its own:
/// deviates take more registers than a thread that draws can have.
__global__ void __launch_bounds__(block_sections)
    find_first_samples(const __grid_constant__ SectionTree tree, std::uint64_t* first_samples) {
  __shared__ SectionNode nodes[2][block_sections];
  if (threadIdx.x == 0) {
    SectionNode node = tree.root();
    if (blockIdx.x == 0) first_samples[node.end] = node.share.samples;
    for (unsigned bit = gridDim.x / 2; bit > 0; bit /= 2) {
      const SectionHalves halves = tree.split(node);
      node = (blockIdx.x & bit) == 0 ? halves.left : halves.right;
    }
    nodes[0][0] = node;
  }
  unsigned now = 0;
  for (unsigned width = 1; width < block_sections; width *= 2) {
    __syncthreads();
    if (threadIdx.x < width) {
      const SectionNode node = nodes[now][threadIdx.x];
      SectionHalves halves{node, {node.end, node.end, 0, {}}};  // nothing to halve
      if (node.end - node.begin > 1) halves = tree.split(node);
      nodes[now ^ 1][2 * threadIdx.x] = halves.left;
      nodes[now ^ 1][2 * threadIdx.x + 1] = halves.right;
    }
    now ^= 1;
  }
  __syncthreads();
  const SectionNode node = nodes[now][threadIdx.x];
  if (node.begin < node.end) first_samples[node.begin] = node.share.first_sample;
}

/// Where sections begin in the output. A single section needs no memory for that.
struct SectionBorders {
  split::Sections sections;
  std::uint64_t samples;
  const std::uint64_t* first_samples;

  /// The number of the sample behind the last one of the section.
  [[nodiscard]] __device__ std::uint64_t past(Index section) const {
    return first_samples == nullptr ? samples : __ldg(first_samples + section + 1);
  }
  /// The section of a sample.
  [[nodiscard]] __device__ Index find(std::uint64_t sample) const {
    Index section = 0;
    for (Index count = sections.count(); count > 1;) {  // it is among so many
      const Index half = count / 2;
      if (__ldg(first_samples + section + half) <= sample) section += half;
      count -= half;
    }
    return section;
  }
};

/// Draws all samples, the first by word `offset`. Any grid, each block of which has an equal part
/// of them; blocks of a multiple of 32 threads, all of which come to the end. Dynamic shared
/// memory: `SharedRows::bytes` of the largest section.
template <class Words, class Output>
__global__ void __maxnreg__(most_registers)
    draw_parts(const CompactRow* rows, const SectionBorders borders,
               const __grid_constant__ Words argument, std::uint64_t offset, Output output) {
  const Words words = argument.kept(in_register);  // loading them was a tenth of the loop
  extern __shared__ __align__(16) std::byte memory[];
  // Without overflow for any number of samples.
  const auto part_begin = [&](std::uint64_t part) {
    const std::uint64_t samples = borders.samples;
    return samples / gridDim.x * part + samples % gridDim.x * part / gridDim.x;
  };
  std::uint64_t begin = part_begin(blockIdx.x);
  const std::uint64_t end = part_begin(blockIdx.x + std::uint64_t{1});
  for (Index section = borders.find(begin); begin < end; ++section) {
    const std::uint64_t past = std::min(end, borders.past(section));
    if (begin == past) continue;  // gives nothing
    const Index first_row = borders.sections.start(section);
    const Index past_row = borders.sections.start(section + 1);
    SharedRows::copy(rows, first_row, past_row, memory);
    __pipeline_wait_prior(0);
    __syncthreads();
    const SectionSource<Words> source{words, SharedRows(memory, first_row), first_row,
                                      past_row - first_row};
    draw_quads<quads_together>(source, offset, begin, past, threadIdx.x, blockDim.x, output);
    __syncthreads();  // nobody needs these rows any more
    begin = past;
  }
  output.finish();
}

void launch_draw_parts(const CompactRow* rows, const SectionBorders& borders,
                       const GpuSamplerOptions& options, const AnyOutput& output, RandomState state,
                       cudaStream_t stream) {
  const unsigned threads = options.block_threads > 0 ? options.block_threads : default_threads;
  const std::size_t bytes = SharedRows::bytes(borders.sections.start(1));
  with_lazy_words_and_output(
      options.generator, state, output, [&](const auto& words, const auto& out) {
        const auto kernel =
            draw_parts<std::remove_cvref_t<decltype(words)>, std::remove_cvref_t<decltype(out)>>;
        allow_all_shared_memory(kernel);
        unsigned blocks = options.blocks;
        if (blocks == 0) {
          int resident = 0;
          WRSGPU_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &resident, kernel, static_cast<int>(threads), bytes));
          // All that fit on the device at a time, if each thread then has something to do.
          const auto fill = static_cast<std::uint64_t>(
              resident * device_attribute(cudaDevAttrMultiProcessorCount));
          blocks =
              capped_blocks_for(borders.samples, std::uint64_t{threads} * 4 * quads_together, fill);
        }
        kernel<<<blocks, threads, bytes, stream>>>(rows, borders, words, state.offset, out);
        check_launch("LazySectionedGpuSampler draw_parts");
      });
}

}  // namespace

LazySectionedGpuSampler::LazySectionedGpuSampler(const GpuSamplerOptions& options,
                                                 bool has_one_section)
    : options_(options), has_one_section_(has_one_section) {
  check_lazy_options(options);
  if (has_one_section) check_no_sections(options);
}

std::string LazySectionedGpuSampler::refusal(const DeviceTable& table) const {
  if (std::string reason = lazy_refusal(table); !reason.empty()) return reason;
  const Index rows = section_rows(table);
  const std::size_t most = most_shared_bytes(reserved_bytes);
  if (SharedRows::bytes(rows) <= most) return {};
  const std::string most_rows = std::to_string(SharedRows::most_rows(most));
  return std::string(has_one_section_ ? "its " : "a section's ") + std::to_string(rows) +
         " rows take " + std::to_string(SharedRows::bytes(rows)) + " bytes, more than the " +
         std::to_string(most) + " of shared memory that they can have; " +
         (has_one_section_ ? "use sectioned for more than " + most_rows + " rows"
                           : "set section_rows to at most " + most_rows);
}

Index LazySectionedGpuSampler::section_rows(const DeviceTable& table) const {
  if (has_one_section_) return table.size();
  if (options_.section_rows > 0) return std::min(options_.section_rows, table.size());
  const auto all =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  const std::size_t bytes =
      std::min(all / resident_blocks - reserved_bytes, most_shared_bytes(reserved_bytes));
  return static_cast<Index>(std::min<std::size_t>(SharedRows::most_rows(bytes), table.size()));
}

void LazySectionedGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                                     std::uint64_t samples, RandomState state,
                                     cudaStream_t stream) const {
  const CompactRow* const rows = compact_rows(table);
  const split::Sections sections{table.size(), section_rows(table)};
  if (sections.count() == 1) {
    launch_draw_parts(rows, {sections, samples, nullptr}, options_, output, state, stream);
    return;
  }
  const PoolBuffer<std::uint64_t> first_samples(sections.count() + std::size_t{1}, stream);
  const unsigned blocks = std::bit_ceil(blocks_for(sections.count(), block_sections));
  find_first_samples<<<blocks, block_sections, 0, stream>>>(
      SectionTree(sections, samples, state, options_.section_counts), first_samples.data());
  check_launch("LazySectionedGpuSampler find_first_samples");
  launch_draw_parts(rows, {sections, samples, first_samples.data()}, options_, output, state,
                    stream);
}

GpuSamplerInfo small_table_gpu_sampler() {
  return {.name = "small_table",
          .source = "wrsgpu",
          .summary = "the samples of direct, from a table that fits in shared memory",
          .make = make_gpu_sampler<SmallTableGpuSampler>,
          .generators = generators_of_lazy_words(),
          .lazy_words = true};
}

GpuSamplerInfo sectioned_gpu_sampler() {
  return {.name = "sectioned",
          .source = "wrsgpu",
          .summary = "shared_memory with 32 random bits for nearly every sample",
          .make = make_gpu_sampler<LazySectionedGpuSampler>,
          .generators = generators_of_lazy_words(),
          .sectioned = true,
          .lazy_words = true};
}

}  // namespace wrsgpu
