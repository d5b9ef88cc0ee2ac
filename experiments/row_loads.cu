// Rows of 16 bytes, loaded at once or in two accesses of 64 bits (thesis 4.8.2), in the thesis's
// mode. Names: sample/<sampler>_xorwow_loads_<128 or 64>_no_output/<distribution>/<N>/<samples>.
#include "experiments/common/gpu_draws.hpp"
#include "sampling/baseline_kernel.cuh"
#include "sampling/cached_kernel.cuh"
#include "sampling/word_source.cuh"
#include "wrsgpu/detail/core/blocks_for.hpp"
#include "wrsgpu/detail/core/resident_blocks.cuh"

namespace wrsgpu::experiments {
namespace {

using Words = ThreadWords<XorwowStream>;
constexpr GpuSamplerOptions xorwow{.generator = GpuGenerator::xorwow,
                                   .seeding = Seeding::pkpt_sha1};

/// Rows that are loaded in two accesses of 64 bits.
class NarrowLoadRows : public WideRows {
 public:
  explicit NarrowLoadRows(const WideRows& rows) : WideRows(rows) {}

  [[nodiscard]] __device__ WideRow load(Index i) const {
    // In assembly, so that the compiler does not merge the loads. Volatile loads would not be
    // merged either, but would bypass the L1.
    const std::size_t at = __cvta_generic_to_global(data() + i);
    std::uint64_t weight = 0;
    std::uint64_t alias = 0;
    asm("ld.global.u64 %0, [%1];" : "=l"(weight) : "l"(at));
    asm("ld.global.u64 %0, [%1 + 8];" : "=l"(alias) : "l"(at));
    return {__longlong_as_double(static_cast<long long>(weight)), static_cast<Index>(alias), 0};
  }
  [[nodiscard]] __device__ Index pick(Index i, std::uint64_t fraction) const {
    const WideRow row = load(i);
    return accepts(row, variate(fraction)) ? i : row.alias;
  }
};

/// Calls `launch(rows, output)` for a table with rows of 16 bytes.
template <class Launch>
void with_narrow_rows(const DeviceTable& table, const AnyOutput& any_output, const Launch& launch) {
  with_rows_and_output(table, any_output, [&](const auto& rows, const auto& output) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(rows)>, WideRows>) {
      launch(NarrowLoadRows(rows), output);
    } else {
      throw Error("only rows of 16 bytes are loaded in these two ways");
    }
  });
}

/// `BaselineGpuSampler`, launched as that is with xorwow.
class NarrowBaseline final : public GpuSampler {
  void launch(const DeviceTable& table, const AnyOutput& any_output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override {
    constexpr unsigned threads = 256;
    const unsigned blocks =
        capped_blocks_for(samples, std::uint64_t{threads} * 8, blocks_that_fill(threads));
    with_narrow_rows(table, any_output, [&](const auto& rows, const auto& output) {
      draw_from_table<<<blocks, threads, 0, stream>>>(rows, Words{state, xorwow.seeding}, samples,
                                                      output);
      check_launch("row_loads draw_from_table");
    });
  }
};

/// `CachedGpuSampler`, launched as that is with xorwow.
class NarrowCached final : public SectionSamplerBase {
 public:
  NarrowCached() : SectionSamplerBase(xorwow) {}

 private:
  void launch(const DeviceTable& table, const AnyOutput& any_output, std::uint64_t samples,
              RandomState state, cudaStream_t stream) const override {
    constexpr unsigned threads = 1024;
    const auto cache =
        static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
    const SectionTree sections = tree(table, section_rows(table, cache / 4 * 3), samples, state);
    const SectionWork shared_out = work(sections, samples, resident_blocks_of(threads), threads);
    with_narrow_rows(table, any_output, [&](const auto& rows, const auto& output) {
      draw_sections<<<blocks(sections, shared_out), threads, 0, stream>>>(
          rows, sections, shared_out, Words{state, xorwow.seeding}, output);
      check_launch("row_loads draw_sections");
    });
  }
};

template <class Narrow>
void add(Experiment& what, const std::string& sampler) {
  GpuDraw draw{.name = sampler + "_xorwow_loads_128",
               .sampler = sampler,
               .options = xorwow,
               .output = false};
  what.series.push_back(gpu_draw_series(draw));
  draw.name = sampler + "_xorwow_loads_64";
  draw.make_sampler = [](const GpuSamplerOptions& /*options*/) {
    return std::make_unique<Narrow>();
  };
  what.series.push_back(gpu_draw_series(draw));
}

}  // namespace

Experiment experiment() {
  Experiment what{.name = "row_loads",
                  .summary = "loads of rows at once or in halves",
                  .needs_gpu = true,
                  .defaults = {.sizes = {1'000'000, 10'000'000},
                               .distributions = {"powerlaw_1_shuffled"},
                               .samples = {1'000'000'000}}};
  add<NarrowBaseline>(what, "baseline");
  add<NarrowCached>(what, "cached");
  return what;
}

}  // namespace wrsgpu::experiments
