#include "experiments/common/gpu_builds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/device_workload.hpp"
#include "experiments/common/flush_l2.hpp"
#include "experiments/common/kept.hpp"
#include "wrsgpu/detail/core/shared_memory.cuh"

namespace wrsgpu::experiments {
namespace {

/// A table that has been built once, and the result of its verification.
struct Prepared {
  DeviceWorkload weights;
  std::unique_ptr<AliasTableSplitGpu> table;
  std::string fault;
};

/// The most shared memory that a block has on any device (compute capability 9.0 and 10.0), so that
/// equal benchmarks are there on all.
constexpr std::size_t largest_shared_bytes = std::size_t{227} << 10;

/// The reason that the pack method cannot pack its sections with so much shared memory, or an empty
/// string.
std::string section_refusal(const GpuBuild& build, std::size_t shared_bytes) {
  return pack::section_refusal(pack::find_method(build.method.pack), build.method.elements,
                               build.method.section_items, shared_bytes);
}

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
    flush_l2_if_cold(stream);
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
  constexpr int runs = 5;  // in each repetition
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
    const std::string reason = section_refusal(build, max_shared_bytes(0));
    if (!reason.empty()) return skip(state, reason);
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

Series pack_by_rows_series(const GpuBuild& build) {
  Series series{build.name + "_by_rows", build.method.pack, [build](const Axes& axes) {
                  for (const std::uint64_t rows : axes.rows) {
                    GpuBuild sized = build;
                    sized.method.section_items = static_cast<Index>(rows);
                    sized.profile = true;
                    const std::string reason = section_refusal(sized, largest_shared_bytes);
                    if (!reason.empty()) {
                      fmt::print(stderr, "left out: pack/{}: {}\n", build.name, reason);
                      continue;
                    }
                    for (const std::string& distribution : axes.distributions) {
                      for (const std::uint64_t n : axes.sizes) {
                        add_gpu_build(sized, "pack", distribution, n, fmt::format("rows:{}", rows));
                      }
                    }
                  }
                }};
  series.defaults = {.sizes = {10'000'000}, .distributions = {"uniform"}};
  return series;
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
