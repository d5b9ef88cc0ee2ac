// Rejection sampling on the GPU (thesis 5.3.2), and the other structures that are no alias tables.
// Names: sample/<method>[_no_output]/<distribution>/<N>/<samples>, and with what `build`
// takes, allocations included, build/<method>/<distribution>/<N>. `give_up_<attempts>` is biased.
#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/gpu_draws.hpp"
#include "registry/methods.hpp"
#include "sampling/gpu_brown.cuh"
#include "sampling/gpu_cutpoint.cuh"
#include "sampling/gpu_radix_forest.cuh"
#include "sampling/gpu_rejection.cuh"
#include "sampling/gpu_scan.cuh"
#include "wrsgpu/generate_weights.cuh"

namespace wrsgpu::experiments {
namespace {

const TableOptions fixed{Arithmetic::fixed_point, Layout::wide_rows, 0};

template <class Structure>
GpuDraw draw_from(const std::string& name) {
  return {.name = name, .sampler = name, .structure = [] {
            return std::make_unique<Structure>(fixed);
          }};
}

GpuDraw draw_by_rejection(const std::string& name, const GpuRejectionOptions& how) {
  return {.name = name,
          .sampler = name,
          .structure = [=] { return std::make_unique<GpuRejection>(fixed, how); },
          .is_biased = how.attempts > 0};
}

void add_build(const std::string& method, const std::string& distribution, std::uint64_t n) {
  add_benchmark(
      join_name({"build", method, distribution, std::to_string(n)}), [=](benchmark::State& run) {
        const DeviceBuffer<double> weights =
            weights::generate_on_device<double>(distribution, n, 1);
        const auto built = make_method(method, fixed);
        time_on_device(run, [&] { built->build(WeightsView::on_device(weights.span())); });
        run.SetItemsProcessed(static_cast<std::int64_t>(n) * run.iterations());
      });
}

Series build_series(const std::string& method) {
  return {"build_" + method, method, [=](const Axes& axes) {
            for (const std::string& distribution : axes.distributions) {
              for (const std::uint64_t n : axes.sizes) add_build(method, distribution, n);
            }
          }};
}

}  // namespace

Experiment experiment() {
  Experiment what{.name = "rejection",
                  .summary = "structures without an alias table on the GPU",
                  .needs_gpu = true,
                  .defaults = {.sizes = {1'000'000, 10'000'000},
                               .distributions = {"uniform", "powerlaw_1_shuffled"},
                               .samples = {100'000'000}}};
  const std::vector<GpuDraw> draws{
      draw_by_rejection("gpu_rejection_array", {.search = CellSearch::array}),
      draw_by_rejection("gpu_rejection_binary", {.search = CellSearch::binary}),
      draw_by_rejection("gpu_rejection_partial_p_ary", {.search = CellSearch::partial_p_ary}),
      draw_by_rejection("gpu_rejection_array_give_up_1", {.attempts = 1}),
      draw_by_rejection("gpu_rejection_array_give_up_4", {.attempts = 4}),
      draw_from<GpuScan>("gpu_scan"),
      draw_from<GpuCutpoint>("gpu_cutpoint"),
      draw_from<GpuBrown>("gpu_brown"),
      draw_from<GpuRadixForest>("gpu_radix_forest"),
      {.name = "baseline", .sampler = "baseline", .table = fixed},
      // The rows that Brown's arrays are made of.
      {.name = "baseline_compact",
       .sampler = "baseline",
       .table = {Arithmetic::fixed_point, Layout::compact_rows, 0},
       .method = "gpu_merge"},
  };
  for (const GpuDraw& draw : draws) {
    for (const GpuDraw& each : with_and_without_output(draw)) {
      what.series.push_back(gpu_draw_series(each));
    }
  }
  for (const char* method :
       {"gpu_rejection_array", "gpu_rejection_binary", "gpu_scan", "gpu_cutpoint", "gpu_brown",
        "gpu_radix_forest", "partial_p_ary_shared_memory_masses"}) {
    what.series.push_back(build_series(method));
  }
  return what;
}

}  // namespace wrsgpu::experiments
