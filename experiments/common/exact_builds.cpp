#include "experiments/common/exact_builds.hpp"

#include <utility>

#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/device_workload.hpp"
#include "experiments/common/gpu_builds.hpp"
#include "experiments/common/kept.hpp"
#include "registry/verify.hpp"
#include "verification/reconstruction.hpp"

namespace wrsgpu::experiments {
namespace {

struct Prepared {
  DeviceWorkload weights;
  std::unique_ptr<GpuAliasTable> table;
  verification::TableReport report;
};

Prepared prepare(std::unique_ptr<GpuAliasTable> table, WeightsView::Type type,
                 const std::string& distribution, std::uint64_t n) {
  Prepared made{device_workload(type, distribution, n), std::move(table), {}};
  made.table->build(made.weights.view);
  made.report = made.weights.verify(*made.table);
  return made;
}

void measure(benchmark::State& state, Prepared& prepared) {
  if (!prepared.report.ok) return fail(state, prepared.report.message);
  const WeightsView& weights = prepared.weights.view;
  const std::uint64_t n = weights.size();
  // A weight is read twice, and a row is written.
  const std::uint64_t bytes = 2 * prepared.weights.weight_bytes() + prepared.table->bytes() / n;
  const double floor = copy_seconds(n * bytes / 2);
  const double seconds =
      time_on_device(state, [&] { prepared.table->construct(weights, nullptr); });
  state.SetItemsProcessed(static_cast<std::int64_t>(n) * state.iterations());
  state.counters["percent_of_floor"] = 100 * floor / seconds;
  state.counters["worst_relative_error"] = prepared.report.worst_relative_error;
  state.counters["temporary_bytes_per_item"] =
      static_cast<double>(prepared.table->temporary_bytes(static_cast<Index>(n), weights.type())) /
      static_cast<double>(n);
  state.SetLabel(std::string(to_string(prepared.table->options().layout)));
}

}  // namespace

Series exact_build_series(const std::string& name, const std::string& family,
                          WeightsView::Type type,
                          const std::function<std::unique_ptr<GpuAliasTable>()>& make) {
  return {name, family, [=](const Axes& axes) {
            static Kept<Prepared> kept;
            for (const std::string& distribution : axes.distributions) {
              for (const std::uint64_t n : axes.sizes) {
                const std::string full =
                    join_name({"construct", name, distribution, std::to_string(n)});
                add_benchmark(full, [=](benchmark::State& state) {
                  measure(state,
                          kept.get(full, [&] { return prepare(make(), type, distribution, n); }));
                });
              }
            }
          }};
}

}  // namespace wrsgpu::experiments
