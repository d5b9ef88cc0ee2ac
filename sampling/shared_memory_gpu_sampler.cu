#include "sampling/shared_memory_gpu_sampler.cuh"

#include <algorithm>
#include <string>
#include "sampling/gpu_sampler_info.cuh"

#include "sampling/sectioned_kernel.cuh"
#include "sampling/word_source.cuh"
#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/detail/sampling/shared_rows_bytes.hpp"

namespace wrsgpu {
namespace {

/// Shared memory of the walk over the sections, which is not available to rows.
constexpr std::size_t walk_bytes = 2048;

/// Rows of the same layout in `memory`, which is aligned to 16 bytes.
[[nodiscard]] __device__ WideRows rows_in(std::byte* memory, Index count, const WideRows& like) {
  return {reinterpret_cast<WideRow*>(memory), count, like.bucket()};
}
[[nodiscard]] __device__ ArrayRows rows_in(std::byte* memory, Index count, const ArrayRows& like) {
  auto* const weights = reinterpret_cast<double*>(memory);
  return {weights, reinterpret_cast<Index*>(weights + count), count, like.bucket()};
}
[[nodiscard]] __device__ CompactRows rows_in(std::byte* memory, Index count,
                                             const CompactRows& /*like*/) {
  return {reinterpret_cast<CompactRow*>(memory), count};
}

/// `draw_sections` of cached_kernel.cuh from a copy of each section in dynamic shared memory: all
/// threads of a block copy, synchronise, draw, and synchronise again.
template <class Rows, class Words, class Output>
__global__ void __launch_bounds__(max_block_threads)
    draw_copied_sections(Rows rows, SectionTree tree, SectionWork work, Words source,
                         Output output) {
  extern __shared__ __align__(16) std::byte memory[];
  auto words = source.start();
  for_each_section(tree, work, [&](const BlockShare& share) {
    if (share.begin == share.end) return;
    const Rows copy = rows_in(memory, share.rows, rows);
    for (Index i = threadIdx.x; i < share.rows; i += blockDim.x) {
      copy.store(i, rows.load(share.first_row + i));
    }
    __syncthreads();
    draw_share(copy, share, words, output);
  });
  output.finish();
}

}  // namespace

std::string SharedMemoryGpuSampler::refusal(const DeviceTable& table) const {
  const std::size_t row_bytes = table.bytes() / table.size();
  const Index rows = std::min(options().section_rows, table.size());
  const std::size_t maximum = max_shared_bytes(walk_bytes);
  if (row_bytes * rows <= maximum) return {};
  return rows_that_do_not_fit("a section's", rows, row_bytes * rows, maximum) +
         "; set section_rows to at most " + std::to_string(maximum / row_bytes);
}

void SharedMemoryGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                                    std::uint64_t samples, RandomState state,
                                    cudaStream_t stream) const {
  // Two blocks per multiprocessor: one draws while the other copies.
  constexpr unsigned resident = 2;
  constexpr std::size_t reserved = driver_shared_bytes + walk_bytes;
  const auto all =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  const Index rows_of_section = section_rows(table, all / resident - reserved);
  const std::size_t bytes = table.bytes() / table.size() * rows_of_section;
  const SectionTree sections = tree(table, rows_of_section, samples, state);
  const unsigned threads = options().block_threads > 0 ? options().block_threads : 512;
  const SectionWork shared_out = work(sections, samples, resident, threads);
  with_words(options(), state, [&](const auto& words) {
    with_rows_and_output(table, output, [&](const auto& rows, const auto& out) {
      const auto kernel = draw_copied_sections<std::remove_cvref_t<decltype(rows)>,
                                               std::remove_cvref_t<decltype(words)>,
                                               std::remove_cvref_t<decltype(out)>>;
      allow_all_shared_memory(kernel);
      kernel<<<blocks(sections, shared_out), threads, bytes, stream>>>(rows, sections, shared_out,
                                                                       words, out);
      check_launch("SharedMemoryGpuSampler draw_copied_sections");
    });
  });
}

GpuSamplerInfo shared_memory_gpu_sampler() {
  return {.name = "shared_memory",
          .source = "thesis 3.4.4",
          .summary = "section by section, copied to shared memory",
          .make = make_gpu_sampler<SharedMemoryGpuSampler>,
          .generators = generators_of_sections(),
          .sectioned = true};
}

}  // namespace wrsgpu
