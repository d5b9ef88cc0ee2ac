// Weighted sampling without replacement on the GPU: k of N items in the order in which they are
// drawn, from float weights. Names: choose/<distribution>/<N>/<k>, k being N / 100 and those of the
// axis of samples. The items are compared with the host's before they are timed.
#include <algorithm>
#include <vector>

#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/device_workload.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/kept.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/gpu_choose.cuh"

namespace wrsgpu::experiments {
namespace {

/// More items take the host longer than all measurements.
constexpr std::uint64_t max_compared_items = 100'000'000;

struct Weights {
  DeviceWorkload device;
  std::vector<float> host;
};

const Weights& weights_of(const std::string& distribution, std::uint64_t items) {
  static Kept<Weights> kept;
  return kept.get(join_name({distribution, std::to_string(items)}), [&] {
    Weights weights{device_workload(WeightsView::Type::float32, distribution, items), {}};
    if (items > max_compared_items) return weights;
    weights.host.resize(items);
    weights.device.view.visit([&]<class T>(std::span<const T> w) {
      if constexpr (sizeof(T) == sizeof(float)) copy_to_host(w.data(), std::span(weights.host));
    });
    return weights;
  });
}

void measure(benchmark::State& state, const Weights& weights, std::uint64_t chosen) {
  const WeightsView view = weights.device.view;
  GpuChooser chooser(static_cast<Index>(view.size()), static_cast<Index>(chosen));
  DeviceBuffer<Index> out(chosen);
  RandomState random{1, 0};
  chooser.choose(view, out.span(), random);
  static_cast<void>(chooser.finish());
  if (!weights.host.empty()) {
    std::vector<Index> found(chosen);
    std::vector<Index> expected(chosen);
    copy_to_host(out.data(), std::span(found));
    choose(weights.host, expected, random);
    if (found != expected) return fail(state, "the items differ from the host's");
  }
  time_on_device(state, [&] {
    random.offset += view.size();
    chooser.choose(view, out.span(), random);
  });
  static_cast<void>(chooser.finish());
  const auto bytes = static_cast<std::int64_t>(weights.device.weight_bytes());
  state.SetBytesProcessed(state.iterations() * bytes);
}

Series series() {
  return {"choose", "choose", [](const Axes& axes) {
            for (const std::string& distribution : axes.distributions) {
              for (const std::uint64_t items : axes.sizes) {
                std::vector<std::uint64_t> numbers = axes.samples;
                numbers.push_back(items / 100);
                for (const std::uint64_t chosen : numbers) {
                  if (chosen == 0 || chosen > items / 2) continue;
                  add_benchmark(join_name({"choose", distribution, std::to_string(items),
                                           std::to_string(chosen)}),
                                [=](benchmark::State& state) {
                                  measure(state, weights_of(distribution, items), chosen);
                                });
                }
              }
            }
          }};
}

}  // namespace

Experiment experiment() {
  return {.name = "without_replacement",
          .summary = "k of N items by weight without replacement, on the GPU",
          .needs_gpu = true,
          .hides_launches = true,
          .defaults = {.sizes = {1'000'000, 10'000'000, 100'000'000, 1'000'000'000},
                       .distributions = {"uniform", "powerlaw_1_shuffled", "one_heavy"},
                       .samples = {1000}},
          .series = {series()}};
}

}  // namespace wrsgpu::experiments
