// Rows of 16 bytes, loaded at once or in two accesses of 64 bits (thesis 4.8.2), in the thesis's
// mode. Names: sample/<sampler>_xorwow_loads_<128 or 64>_no_output/<distribution>/<N>/<samples>.
#include "common/gpu_draws.hpp"
#include "wrsgpu/core/blocks_for.hpp"
#include "wrsgpu/core/resident_blocks.cuh"
#include "wrsgpu/sampling/gpu_launch.cuh"
#include "wrsgpu/sampling/sectioned_kernel.cuh"

namespace wrsgpu::experiments {
namespace {

using Words = ThreadWords<XorwowStream>;

/// The rows of a table from `first_row` on, numbered from 0.
template <int bits>
struct LoadedRows {
  WideRows rows;
  Index first_row;

  [[nodiscard]] __device__ WideRow load(Index row) const {
    if constexpr (bits == 128) {
      return rows.load(first_row + row);
    } else {
      // Volatile, so that the compiler does not join them.
      const auto* const words =
          reinterpret_cast<const volatile std::uint64_t*>(rows.data() + first_row + row);
      const std::uint64_t weight = words[0];
      const std::uint64_t alias = words[1];
      return {__longlong_as_double(static_cast<long long>(weight)), static_cast<Index>(alias), 0};
    }
  }
  [[nodiscard]] __device__ double coin(std::uint64_t fraction) const { return rows.coin(fraction); }
  [[nodiscard]] __device__ static bool keeps(const WideRow& row, double coin) {
    return WideRows::keeps(row, coin);
  }
  [[nodiscard]] __device__ static Index alias(const WideRow& row) { return row.alias; }
};

template <int bits, class Output>
__global__ void __launch_bounds__(most_block_threads)
    draw_from_table(WideRows rows, Words source, std::uint64_t samples, Output output) {
  auto words = source.start();
  // All rows are one section, and all threads its block.
  const LoadedRows<bits> all{rows, 0};
  words.draw(
      0, samples, std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,
      std::uint64_t{gridDim.x} * blockDim.x,
      [&](std::uint64_t word) {
        const RowChoice choice = choose_row(word, rows.size());
        const WideRow row = all.load(choice.row);
        return all.keeps(row, all.coin(choice.fraction)) ? choice.row : row.alias;
      },
      output);
  output.finish();
}

template <int bits, class Output>
__global__ void __launch_bounds__(most_block_threads)
    draw_sections(WideRows rows, SectionTree tree, SectionWork work, Words source, Output output) {
  auto words = source.start();
  for_each_section(tree, work, [&](const BlockShare& share) {
    draw_share(LoadedRows<bits>{rows, share.first_row}, share, words, output);
  });
  output.finish();
}

/// Calls `launch(rows, output)` where the table has rows of 16 bytes.
template <class Launch>
void with_wide_rows(const DeviceTable& table, const AnyOutput& any_output, const Launch& launch) {
  with_rows_and_output(table, any_output, [&](const auto& rows, const auto& output) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(rows)>, WideRows>) {
      launch(rows, output);
    } else {
      throw Error("only rows of 16 bytes are loaded in these two ways");
    }
  });
}

/// `BaselineGpuSampler` with xorwow.
template <int bits>
class Baseline final : public GpuSampler {
  void launch(const DeviceTable& table, const AnyOutput& any_output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override {
    constexpr unsigned threads = 256;
    const unsigned blocks =
        capped_blocks_for(samples, std::uint64_t{threads} * 8, blocks_that_fill(threads));
    with_wide_rows(table, any_output,
                   [&]<class Output>(const WideRows& rows, const Output& output) {
                     draw_from_table<bits><<<blocks, threads, 0, stream>>>(
                         rows, Words{state, Seeding::subsequence}, samples, output);
                     check_launch("row_loads draw_from_table");
                   });
  }
};

/// `CachedGpuSampler` with xorwow.
template <int bits>
class Cached final : public SectionedGpuSampler {
 public:
  Cached() : SectionedGpuSampler({.generator = GpuGenerator::xorwow}) {}

 private:
  void launch(const DeviceTable& table, const AnyOutput& any_output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override {
    constexpr unsigned threads = 1024;
    const auto cache =
        static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
    const SectionTree sections = tree(table, section_rows(table, cache / 4 * 3), samples, state);
    const SectionWork shared_out = work(sections, samples, resident_blocks_of(threads), threads);
    with_wide_rows(table, any_output,
                   [&]<class Output>(const WideRows& rows, const Output& output) {
                     draw_sections<bits><<<blocks(sections, shared_out), threads, 0, stream>>>(
                         rows, sections, shared_out, Words{state, Seeding::subsequence}, output);
                     check_launch("row_loads draw_sections");
                   });
  }
};

template <class Sampler>
Series series(const std::string& name) {
  return gpu_draw_series({.name = name, .sampler = name, .output = false, .make_sampler = [] {
                            return std::make_unique<Sampler>();
                          }});
}

}  // namespace

Experiment experiment() {
  return {.name = "row_loads",
          .summary = "loads of rows at once or in halves",
          .needs_gpu = true,
          .defaults = {.sizes = {1'000'000, 10'000'000},
                       .distributions = {"powerlaw_1_shuffled"},
                       .samples = {1'000'000'000}},
          .series = {series<Baseline<128>>("baseline_xorwow_loads_128"),
                     series<Baseline<64>>("baseline_xorwow_loads_64"),
                     series<Cached<128>>("cached_xorwow_loads_128"),
                     series<Cached<64>>("cached_xorwow_loads_64")}};
}

}  // namespace wrsgpu::experiments
