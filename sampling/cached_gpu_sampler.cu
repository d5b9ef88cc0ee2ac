#include "wrsgpu/sampling/cached_gpu_sampler.cuh"

#include "wrsgpu/core/cuda_check.cuh"
#include "wrsgpu/core/resident_blocks.cuh"
#include "wrsgpu/sampling/gpu_launch.cuh"
#include "wrsgpu/sampling/sectioned_kernel.cuh"

namespace wrsgpu {
namespace {

/// A section's rows, where they are in the table.
template <class Rows>
struct SectionRows {
  Rows rows;
  Index first_row;
  [[nodiscard]] __device__ auto load(Index row) const { return rows.load(first_row + row); }
  [[nodiscard]] __device__ auto coin(std::uint64_t fraction) const { return rows.coin(fraction); }
  template <class Row, class Coin>
  [[nodiscard]] __device__ static bool keeps(const Row& row, Coin coin) {
    return Rows::keeps(row, coin);
  }
  template <class Row>
  [[nodiscard]] __device__ static Index alias(const Row& row) {
    return Rows::alias(row);
  }
};

template <class Rows, class Words, class Output>
__global__ void __launch_bounds__(most_block_threads)
    draw_sections(Rows rows, SectionTree tree, SectionWork work, Words source, Output output) {
  auto words = source.start();
  for_each_section(tree, work, [&](const BlockShare& share) {
    draw_share(SectionRows<Rows>{rows, share.first_row}, share, words, output);
  });
  output.finish();
}

/// The smallest share of a multiprocessor's memory that can be shared memory; half of it and a
/// little more leaves room for one block, and the rest for the cache.
constexpr int smallest_carveout = 8 << 10;
constexpr int unused_bytes = 5 << 10;

/// Every time, because both samplers launch the same kernels.
template <class Kernel>
void choose_carveout(Kernel kernel, bool is_limited) {
  const int all = device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  const int limited = (100 * smallest_carveout + all - 1) / all;
  WRSGPU_CUDA_CHECK(cudaFuncSetAttribute(
      reinterpret_cast<const void*>(kernel), cudaFuncAttributePreferredSharedMemoryCarveout,
      is_limited ? limited : static_cast<int>(cudaSharedmemCarveoutDefault)));
}

}  // namespace

void CachedGpuSampler::launch(const DeviceTable& table, const AnyOutput& output,
                              std::uint64_t samples, RandomState state, cudaStream_t stream) const {
  // The cache is what a multiprocessor could have as shared memory; a little of it is for the
  // output's lines.
  const auto cache =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  const SectionTree sections = tree(table, section_rows(table, cache / 4 * 3), samples, state);
  const unsigned threads = options().block_threads > 0 ? options().block_threads : 1024;
  const unsigned resident = is_limited_ ? 1 : resident_blocks_of(threads);
  const SectionWork shared_out = work(sections, samples, resident, threads);
  with_words(options(), state, [&](const auto& words) {
    with_rows_and_output(table, output, [&](const auto& rows, const auto& out) {
      const auto kernel =
          draw_sections<std::remove_cvref_t<decltype(rows)>, std::remove_cvref_t<decltype(words)>,
                        std::remove_cvref_t<decltype(out)>>;
      choose_carveout(kernel, is_limited_);
      kernel<<<blocks(sections, shared_out), threads, is_limited_ ? unused_bytes : 0, stream>>>(
          rows, sections, shared_out, words, out);
      check_launch("CachedGpuSampler draw_sections");
    });
  });
}

}  // namespace wrsgpu
