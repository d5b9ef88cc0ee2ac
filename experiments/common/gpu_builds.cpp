#include "experiments/common/gpu_builds.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/device_workload.hpp"
#include "experiments/common/kept.hpp"

namespace wrsgpu::experiments {
namespace {

/// A table that has been built once, and the result of its verification.
struct Prepared {
  DeviceWorkload weights;
  std::unique_ptr<AliasTableSplitGpu> table;
  std::string fault;
};

Prepared prepare(const GpuBuild& build, const std::string& distribution, std::uint64_t n) {
  std::optional<ManagedAllocations> managed;
  if (build.managed) managed.emplace();
  Prepared made{device_workload(build.weights, distribution, n),
                std::make_unique<AliasTableSplitGpu>(build.table, build.method),
                {}};
  made.table->build(made.weights.view);
  made.fault = made.weights.verify(*made.table).message;
  return made;
}

/// When the steps of a construction end.
class StepTimes {
 public:
  StepTimes() = default;
  StepTimes(const StepTimes&) = delete;
  StepTimes& operator=(const StepTimes&) = delete;
  ~StepTimes() {
    for (const cudaEvent_t event : events_) static_cast<void>(cudaEventDestroy(event));
  }

  /// Runs the construction and returns the names of its steps with their seconds.
  std::vector<std::pair<std::string, double>> of(AliasTableSplitGpu& table, WeightsView weights,
                                                 cudaStream_t stream) {
    std::vector<std::string> names;
    record(0, stream);
    table.observe_steps([&](std::string_view step, cudaStream_t its_stream) {
      names.emplace_back(step);
      record(names.size(), its_stream);
    });
    table.construct(weights, stream);
    table.observe_steps({});
    WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));
    std::vector<std::pair<std::string, double>> steps;
    for (std::size_t i = 0; i < names.size(); ++i) {
      float milliseconds = 0;
      WRSGPU_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, events_[i], events_[i + 1]));
      steps.emplace_back(names[i], static_cast<double>(milliseconds) * 1e-3);
    }
    return steps;
  }

 private:
  void record(std::size_t index, cudaStream_t stream) {
    while (events_.size() <= index) {
      events_.emplace_back();
      WRSGPU_CUDA_CHECK(cudaEventCreate(&events_.back()));
    }
    WRSGPU_CUDA_CHECK(cudaEventRecord(events_[index], stream));
  }

  std::vector<cudaEvent_t> events_;
};

double seconds_of_step(const std::vector<std::pair<std::string, double>>& steps,
                       const std::string& name) {
  for (const auto& [step, seconds] : steps) {
    if (step == name) return seconds;
  }
  throw Error("the construction has no step '" + name + "'");
}

void add_profile(benchmark::State& state, Prepared& prepared, cudaStream_t stream) {
  constexpr int runs = 21;
  StepTimes times;
  std::map<std::string, std::vector<double>> all;
  for (int run = 0; run < runs; ++run) {
    for (const auto& [step, seconds] : times.of(*prepared.table, prepared.weights.view, stream)) {
      all[step].push_back(seconds);
    }
  }
  for (auto& [step, seconds] : all) {
    std::nth_element(seconds.begin(), seconds.begin() + runs / 2, seconds.end());
    std::string counter = step + "_us";
    std::replace(counter.begin(), counter.end(), ' ', '_');
    state.counters[counter] = 1e6 * seconds[runs / 2];
  }
}

/// Seconds that reading weights and writing rows takes at the speed of a copy; rows in two arrays
/// are compared with those of 16 bytes.
double floor_seconds(const GpuBuild& build, const DeviceWorkload& weights) {
  const bool is_compact = build.table.layout == Layout::compact_rows;
  const std::uint64_t written = is_compact ? sizeof(CompactRow) : sizeof(WideRow);
  return copy_seconds((written + weights.weight_bytes()) / 2 * weights.view.size());
}

void measure(benchmark::State& state, const GpuBuild& build, Prepared& prepared) {
  if (!prepared.fault.empty()) return fail(state, prepared.fault);
  const std::uint64_t n = prepared.weights.view.size();
  const double floor = floor_seconds(build, prepared.weights);
  cudaStream_t stream = nullptr;
  CudaTimer timer(stream);
  StepTimes steps;
  double seconds = 0;
  for (auto _ : state) {
    double elapsed = 0;
    if (build.step.empty()) {
      timer.start();
      prepared.table->construct(prepared.weights.view, stream);
      elapsed = timer.seconds();
    } else {
      elapsed =
          seconds_of_step(steps.of(*prepared.table, prepared.weights.view, stream), build.step);
    }
    state.SetIterationTime(elapsed);
    seconds += elapsed;
  }
  const auto iterations = static_cast<double>(state.iterations());
  state.SetItemsProcessed(static_cast<std::int64_t>(n) * state.iterations());
  if (build.step.empty()) state.counters["percent_of_floor"] = 100 * floor * iterations / seconds;
  if (build.method.psa_plus) state.counters["greedy_fraction"] = prepared.table->greedy_fraction();
  state.counters["temporary_bytes_per_item"] =
      static_cast<double>(prepared.table->temporary_bytes(static_cast<Index>(n), build.weights)) /
      static_cast<double>(n);
  state.SetLabel(std::string(to_string(build.table.layout)));
  if (build.profile) add_profile(state, prepared, stream);
}

}  // namespace

void add_gpu_build(const GpuBuild& build, const std::string& prefix,
                   const std::string& distribution, std::uint64_t n, const std::string& suffix) {
  static Kept<Prepared> kept;
  std::vector<std::string> parts{prefix, build.name, distribution, std::to_string(n)};
  if (!suffix.empty()) parts.push_back(suffix);
  const std::string name = join_name(parts);
  const auto body = [=](benchmark::State& state) {
    measure(state, build, kept.get(name, [&] { return prepare(build, distribution, n); }));
  };
  // The other steps of a construction can take a hundred times as long as the one that is timed.
  constexpr std::int64_t step_iterations = 5;
  add_benchmark(name, body, build.step.empty() ? 0 : step_iterations);
}

Series gpu_build_series(const GpuBuild& build) {
  return {build.name, build.method.pack, [build](const Axes& axes) {
            for (const std::string& distribution : axes.distributions) {
              for (const std::uint64_t n : axes.sizes) {
                add_gpu_build(build, "construct", distribution, n);
              }
            }
          }};
}

Series with_max_size(std::uint64_t maximum, Series series) {
  series.add = [maximum, add = std::move(series.add)](Axes axes) {
    if (axes.sizes.size() > 1) {
      std::erase_if(axes.sizes, [maximum](std::uint64_t n) { return n > maximum; });
    }
    add(axes);
  };
  return series;
}

GpuBuild gpu_build(const SplitGpuOptions& method) {
  return {.name = name_of(method), .method = method};
}

double copy_seconds(std::uint64_t bytes) {
  static std::map<std::uint64_t, double> floors;
  const auto known = floors.find(bytes);
  if (known != floors.end()) return known->second;
  const DeviceBuffer<std::byte> from(bytes);
  DeviceBuffer<std::byte> to(bytes);
  return floors[bytes] = copy_seconds(from.data(), to.data(), bytes);
}

double copy_seconds(const void* from, void* to, std::uint64_t bytes) {
  CudaTimer timer(nullptr);
  return median_seconds(11, [&] {
    timer.start();
    WRSGPU_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr));
    return timer.seconds();
  });
}

}  // namespace wrsgpu::experiments
