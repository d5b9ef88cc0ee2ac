// Drawing from both storage schemes (thesis 5.3.3, Figure 5.10), in the thesis's mode: from a table
// in which no row has an alias, and from one in which each row has the next item as alias. Names:
// sample/baseline_<layout>_no_output/<no_alias or next_alias>/<N>/<samples>.
#include "construction/gpu_alias_table.cuh"
#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/kept.hpp"
#include "registry/gpu_samplers.cuh"

namespace wrsgpu::experiments {
namespace {

/// Every item weighs as much as a bucket holds; half of a row is its item's, or all of it.
DeviceTable make_table(Layout layout, Index n, bool has_aliases) {
  constexpr double bucket = 1;
  HostTable host(layout, n, bucket);
  host.visit([&](const auto& rows) {
    if constexpr (std::remove_cvref_t<decltype(rows)>::layout != Layout::compact_rows) {
      for (Index i = 0; i < n; ++i) {
        rows.store(i, has_aliases ? bucket / 2 : bucket, has_aliases ? (i + 1) % n : i);
      }
    }
  });
  DeviceTable table(layout, n, bucket);
  copy_table(host, table, [](const auto* from, auto* to, Index count) {
    copy_to_device(std::span(from, count), to);
  });
  return table;
}

void measure(benchmark::State& run, const DeviceTable& table, std::uint64_t samples) {
  const auto sampler = find_gpu_sampler("baseline").make({});
  DeviceBuffer<Index> any_odd(1);
  time_on_device(run, [&] {
    sampler->draw_without_output(table, samples, any_odd.data(), {2020, 0}, nullptr);
  });
  run.SetItemsProcessed(static_cast<std::int64_t>(samples) * run.iterations());
}

}  // namespace

Experiment experiment() {
  Experiment what{
      .name = "sampling_struct_of_arrays",
      .summary = "drawing from both storage schemes",
      .needs_gpu = true,
      .defaults = {.sizes = {100'000, 1'000'000, 3'000'000, 10'000'000, 30'000'000, 100'000'000},
                   .samples = {1'000'000'000}}};
  for (const Layout layout : {Layout::wide_rows, Layout::struct_of_arrays}) {
    const std::string name = "baseline_" + std::string(to_string(layout)) + "_no_output";
    what.series.push_back(
        {name, std::string(to_string(layout)), [=](const Axes& axes) {
           static Kept<DeviceTable> kept;
           for (const bool has_aliases : {false, true}) {
             const std::string aliases = has_aliases ? "next_alias" : "no_alias";
             for (const std::uint64_t n : axes.sizes) {
               for (const std::uint64_t samples : axes.samples) {
                 const std::string key = join_name({name, aliases, std::to_string(n)});
                 add_benchmark(join_name({"sample", key, std::to_string(samples)}),
                               [=](benchmark::State& run) {
                                 const DeviceTable& table = kept.get(key, [&] {
                                   return make_table(layout, static_cast<Index>(n), has_aliases);
                                 });
                                 measure(run, table, samples);
                               });
               }
             }
           }
         }});
  }
  return what;
}

}  // namespace wrsgpu::experiments
