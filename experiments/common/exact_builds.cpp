#include "common/exact_builds.hpp"

#include <utility>

#include "common/cuda_timer.hpp"
#include "common/gpu_builds.hpp"
#include "common/kept.hpp"
#include "common/workload.hpp"
#include "wrsgpu/verification/reconstruction.hpp"
#include "wrsgpu/weights/generate.cuh"

namespace wrsgpu::experiments {
namespace {

struct Prepared {
  DeviceBuffer<float> weights;
  std::unique_ptr<GpuAliasTable> table;
  verification::TableReport report;

  [[nodiscard]] WeightsView view() const { return WeightsView::on_device(weights.span()); }
};

Prepared prepare(std::unique_ptr<GpuAliasTable> table, const std::string& distribution,
                 std::uint64_t n) {
  Prepared made{
      weights::generate_on_device<float>(distribution, n, weights_seed), std::move(table), {}};
  made.table->build(made.view());
  HostBuffer<float> host(n);
  copy_to_host(std::as_const(made.weights).data(), host.span());
  made.report = verification::verify(*made.table, std::span<const float>(host.span()));
  return made;
}

void measure(benchmark::State& state, Prepared& prepared) {
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
  state.SetLabel(std::string(to_string(prepared.table->options().layout)));
}

}  // namespace

Series exact_build_series(const std::string& name, const std::string& family,
                          const std::function<std::unique_ptr<GpuAliasTable>()>& make) {
  return {name, family, [=](const Axes& axes) {
            static Kept<Prepared> kept;
            for (const std::string& distribution : axes.distributions) {
              for (const std::uint64_t n : axes.sizes) {
                const std::string full =
                    join_name({"construct", name, distribution, std::to_string(n)});
                add_benchmark(full, [=](benchmark::State& state) {
                  measure(state, kept.get(full, [&] { return prepare(make(), distribution, n); }));
                });
              }
            }
          }};
}

}  // namespace wrsgpu::experiments
