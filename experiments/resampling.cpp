// Resampling, counts without samples, and updates of tables on the GPU, from float weights. Names:
// resample/<scheme>/<N> (as many ancestors as uniform weights),
// counts/<distribution>/<N>/<samples>, and update/<N>/<updates>: that many changes of weights, the
// rebuild of the table and 256 draws with probabilities.
#include <string>
#include <utility>
#include <vector>

#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/device_workload.hpp"
#include "experiments/common/experiment.hpp"
#include "wrsgpu/detail/core/device_buffer.cuh"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/gpu_multinomial_counts.cuh"
#include "wrsgpu/gpu_resample.cuh"
#include "wrsgpu/gpu_weighted_sampler.cuh"

namespace wrsgpu::experiments {
namespace {

/// More items take the host longer than all measurements.
constexpr std::uint64_t max_compared_items = 10'000'000;

DeviceWorkload floats(const std::string& distribution, std::uint64_t items) {
  return device_workload(WeightsView::Type::float32, distribution, items);
}

/// The weights in host memory.
std::vector<float> copy_of(const WeightsView& view) {
  std::vector<float> host(view.size());
  view.visit([&]<class T>(std::span<const T> w) {
    if constexpr (sizeof(T) == sizeof(float)) copy_to_host(w.data(), std::span(host));
  });
  return host;
}

/// Whether `found`, in device memory, differs from what `make_expected` writes for the weights.
template <class T, class MakeExpected>
bool differs(const DeviceBuffer<T>& found, const WeightsView& weights,
             const MakeExpected& make_expected) {
  if (weights.size() > max_compared_items) return false;
  std::vector<T> expected(found.size());
  make_expected(copy_of(weights), expected);
  std::vector<T> copy(found.size());
  copy_to_host(found.data(), std::span(copy));
  return copy != expected;
}

void measure_resampling(benchmark::State& state, std::uint64_t items, ResamplingScheme scheme) {
  const DeviceWorkload weights = floats("uniform", items);
  DeviceBuffer<Index> ancestors(items);
  GpuResampler resampler(static_cast<Index>(items), static_cast<Index>(items));
  RandomState random{1, 0};
  resampler.resample(weights.view, ancestors.span(), scheme, random);
  resampler.finish();
  if (differs(ancestors, weights.view,
              [&](const auto& w, auto& expected) { resample(w, expected, scheme, random); })) {
    return fail(state, "the ancestors differ from the host's");
  }
  time_on_device(state, [&] {
    random.offset += items;
    resampler.resample(weights.view, ancestors.span(), scheme, random);
  });
  resampler.finish();
  state.SetItemsProcessed(static_cast<std::int64_t>(items) * state.iterations());
}

void measure_counts(benchmark::State& state, const std::string& distribution, std::uint64_t items,
                    std::uint64_t samples) {
  const DeviceWorkload weights = floats(distribution, items);
  DeviceBuffer<std::uint64_t> counts(items);
  GpuMultinomialCounter counter(static_cast<Index>(items));
  RandomState random{1, 0};
  counter.count(weights.view, counts.span(), samples, random);
  counter.finish();
  if (differs(counts, weights.view, [&](const auto& w, auto& expected) {
        multinomial_counts(w, expected, samples, random);
      })) {
    return fail(state, "the counts differ from the host's");
  }
  time_on_device(state, [&] {
    ++random.offset;
    counter.count(weights.view, counts.span(), samples, random);
  });
  counter.finish();
  state.SetItemsProcessed(static_cast<std::int64_t>(items) * state.iterations());
}

void measure_updates(benchmark::State& state, std::uint64_t items, std::uint64_t updates) {
  std::vector<Index> numbers(updates);
  std::vector<float> changed(updates);
  for (std::uint64_t j = 0; j < updates; ++j) {
    const std::uint64_t word = random::philox_word(1, j);
    numbers[j] = static_cast<Index>(word % items);
    changed[j] = static_cast<float>(word >> 40) * 0x1p-24F;
  }
  DeviceBuffer<Index> indices(updates);
  DeviceBuffer<float> values(updates);
  copy_to_device(std::span<const Index>(numbers), indices.data());
  copy_to_device(std::span<const float>(changed), values.data());
  GpuWeightedSampler sampler(floats("uniform", items).view, {.keep_weights = true});
  DeviceBuffer<Index> drawn(256);
  DeviceBuffer<float> probabilities(drawn.size());
  RandomState random{1, 0};
  time_on_device(state, [&] {
    sampler.update(std::as_const(indices).span(), std::as_const(values).span());
    random.offset += drawn.size();
    sampler.draw(drawn.span(), random);
    sampler.probabilities_of(std::as_const(drawn).span(), probabilities.span());
  });
  sampler.finish(nullptr);
}

Series resampling(const std::string& name, ResamplingScheme scheme) {
  return {name, "resample", [=](const Axes& axes) {
            for (const std::uint64_t items : axes.sizes) {
              add_benchmark(
                  join_name({"resample", name, std::to_string(items)}),
                  [=](benchmark::State& state) { measure_resampling(state, items, scheme); });
            }
          }};
}

Series counts() {
  return {"counts", "counts", [](const Axes& axes) {
            for (const std::string& distribution : axes.distributions) {
              for (const std::uint64_t items : axes.sizes) {
                for (const std::uint64_t samples : axes.samples) {
                  add_benchmark(join_name({"counts", distribution, std::to_string(items),
                                           std::to_string(samples)}),
                                [=](benchmark::State& state) {
                                  measure_counts(state, distribution, items, samples);
                                });
                }
              }
            }
          }};
}

Series updates() {
  return {"update", "update", [](const Axes& axes) {
            constexpr std::uint64_t number = 1000;
            for (const std::uint64_t items : axes.sizes) {
              add_benchmark(
                  join_name({"update", std::to_string(items), std::to_string(number)}),
                  [=](benchmark::State& state) { measure_updates(state, items, number); });
            }
          }};
}

}  // namespace

Experiment experiment() {
  return {
      .name = "resampling",
      .summary = "resampling, counts without samples, and updates of tables, on the GPU",
      .needs_gpu = true,
      .hides_launches = true,
      .defaults = {.sizes = {1'000'000, 10'000'000, 100'000'000},
                   .distributions = {"uniform", "powerlaw_1_shuffled"},
                   .samples = {10'000'000'000}},
      .series = {resampling("systematic", ResamplingScheme::systematic),
                 resampling("stratified", ResamplingScheme::stratified),
                 resampling("residual", ResamplingScheme::residual),
                 resampling("multinomial", ResamplingScheme::multinomial), counts(), updates()}};
}

}  // namespace wrsgpu::experiments
