// The exact construction by a merge: float weights, compact rows (and 16-byte rows to compare); and
// what is the fastest of PSA and PSA+ for some input, from the same weights into 16-byte rows.
// Names: construct/merge[_wide]/<distribution>/<N>,
// construct/<split>_<pack>[_masses][_psa_plus]/<distribution>/<N>.
#include <string>
#include <utility>

#include "common/cuda_timer.hpp"
#include "common/experiment.hpp"
#include "common/gpu_builds.hpp"
#include "common/kept.hpp"
#include "common/workload.hpp"
#include "wrsgpu/construction/alias_table_merge_gpu.cuh"
#include "wrsgpu/verification/reconstruction.hpp"
#include "wrsgpu/weights/generate.cuh"

namespace wrsgpu::experiments {
namespace {

struct Prepared {
  DeviceBuffer<float> weights;
  std::unique_ptr<AliasTableMergeGpu> table;
  verification::TableReport report;

  [[nodiscard]] WeightsView view() const { return WeightsView::on_device(weights.span()); }
};

Prepared prepare(Layout layout, const std::string& distribution, std::uint64_t n) {
  Prepared made{
      weights::generate_on_device<float>(distribution, n, weights_seed),
      std::make_unique<AliasTableMergeGpu>(TableOptions{Arithmetic::fixed_point, layout, 0}),
      {}};
  made.table->build(made.view());
  HostBuffer<float> host(n);
  copy_to_host(std::as_const(made.weights).data(), host.span());
  made.report = verification::verify(*made.table, std::span<const float>(host.span()));
  return made;
}

void measure(benchmark::State& state, Layout layout, Prepared& prepared) {
  if (!prepared.report.ok) return fail(state, prepared.report.message);
  const std::uint64_t n = prepared.weights.size();
  // 4 bytes of a weight are read twice, and a row is written.
  const std::uint64_t bytes = 8 + prepared.table->bytes() / n;
  const double floor = copy_seconds(n * bytes / 2);
  const double seconds =
      time_on_device(state, [&] { prepared.table->construct(prepared.view(), nullptr); });
  state.SetItemsProcessed(static_cast<std::int64_t>(n) * state.iterations());
  state.counters["percent_of_floor"] = 100 * floor / seconds;
  state.counters["worst_relative_error"] = prepared.report.worst_relative_error;
  state.counters["temporary_bytes_per_item"] =
      static_cast<double>(
          prepared.table->temporary_bytes(static_cast<Index>(n), WeightsView::Type::float32)) /
      static_cast<double>(n);
  state.SetLabel(std::string(to_string(layout)));
}

Series series(const std::string& name, Layout layout) {
  return {name, "merge", [=](const Axes& axes) {
            static Kept<Prepared> kept;
            for (const std::string& distribution : axes.distributions) {
              for (const std::uint64_t n : axes.sizes) {
                const std::string full =
                    join_name({"construct", name, distribution, std::to_string(n)});
                add_benchmark(full, [=](benchmark::State& state) {
                  measure(state, layout,
                          kept.get(full, [&] { return prepare(layout, distribution, n); }));
                });
              }
            }
          }};
}

Series psa_series(const char* pack, bool psa_plus) {
  GpuBuild build = gpu_build({.pack = pack, .psa_plus = psa_plus});
  build.weights = WeightsView::Type::float32;
  return without_largest(gpu_build_series(build));
}

}  // namespace

Experiment experiment() {
  return {.name = "beyond_construction",
          .summary = "exact construction by a merge on the GPU",
          .needs_gpu = true,
          .hides_launches = true,
          .defaults = {.sizes = {1'000'000, 10'000'000, 100'000'000, 1'000'000'000},
                       .distributions = {"uniform", "powerlaw_0.5_shuffled", "powerlaw_1_shuffled",
                                         "powerlaw_1", "powerlaw_2", "ramp", "words", "sine",
                                         "one_light", "heavy_fraction_90_leading"}},
          .series = {series("merge", Layout::compact_rows), series("merge_wide", Layout::wide_rows),
                     psa_series("shared_memory", false), psa_series("chunked", false),
                     psa_series("shared_memory", true), psa_series("chunked", true)}};
}

}  // namespace wrsgpu::experiments
