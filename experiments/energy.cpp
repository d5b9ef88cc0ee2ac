// Energy of building and of drawing (thesis 5.4, Tables 5.4 and 5.5, report Table 4), by the
// counters of the hardware. Names: energy/construct_<device>[_chunked]/<distribution>/<N> and
// energy/sample_<device>[_baseline]/<distribution>/<N>/<samples>. Times are those of one run; the
// counters `joules` (per 10^8 items or 10^9 samples) and `joules_above_idle`, which leaves out what
// the same hardware uses while it does nothing, come from runs that fill two seconds.
#include <chrono>
#include <thread>

#include "construction/alias_table_split_gpu.cuh"
#include "experiments/common/energy_counter.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/host_timer.hpp"
#include "experiments/common/workload.hpp"
#include "registry/gpu_samplers.cuh"
#include "registry/methods.hpp"
#include "wrsgpu/generate_weights.cuh"

namespace wrsgpu::experiments {
namespace {

constexpr double measured_seconds = 2;

/// Watts while nothing runs; measured once for each counter.
double idle_watts(EnergyCounter& counter) {
  const HostTimer timer;
  const double before = counter.joules();
  std::this_thread::sleep_for(std::chrono::duration<double>(measured_seconds));
  return (counter.joules() - before) / timer.seconds();
}

/// `run` does the work once and waits for it; it does `things` things, of which `unit` are counted.
void measure(benchmark::State& state, EnergyCounter& counter, const std::function<void()>& run,
             double things, double unit) {
  const double idle = idle_watts(counter);
  double joules = 0;
  double seconds = 0;
  double runs = 0;
  for (auto _ : state) {
    const HostTimer timer;
    const double before = counter.joules();
    double runs_here = 0;
    do {
      run();
      ++runs_here;
    } while (timer.seconds() < measured_seconds);
    const double elapsed = timer.seconds();
    joules += counter.joules() - before;
    seconds += elapsed;
    runs += runs_here;
    state.SetIterationTime(elapsed / runs_here);
  }
  const double units = runs * things / unit;
  state.counters["joules"] = joules / units;
  state.counters["joules_above_idle"] = (joules - idle * seconds) / units;
  state.counters["watts"] = joules / seconds;
  state.counters["idle_watts"] = idle;
  state.SetItemsProcessed(static_cast<std::int64_t>(things) * state.iterations());
}

using MakeCounter = std::unique_ptr<EnergyCounter> (*)(std::string&);

/// Adds a benchmark, or says why there is none.
void add(const std::string& name, MakeCounter make_counter,
         const std::function<void(benchmark::State&, EnergyCounter&)>& body) {
  add_benchmark(
      name,
      [=](benchmark::State& state) {
        std::string why;
        const auto counter = make_counter(why);
        if (counter == nullptr) {
          state.SkipWithError(("skipped: " + why).c_str());
          return;
        }
        body(state, *counter);
      },
      1);
}

/// One construction and one sampler, with what the names of their rows end in.
struct GpuWork {
  std::string construct_suffix;
  SplitGpuOptions method;
  std::string sample_suffix;
  std::string sampler;
};

/// The fastest of the thesis, and those that the papers took (thesis 5.4).
const std::vector<GpuWork> gpu_works{
    {"", {}, "", "shared_memory"},
    {"_chunked", {.pack = "chunked"}, "_baseline", "baseline"},
};

void add_gpu_work(const GpuWork& work, const std::string& distribution, std::uint64_t n,
                  std::uint64_t samples) {
  const auto build = [=](AliasTableSplitGpu& table) {
    auto weights = std::make_shared<DeviceBuffer<double>>(
        weights::generate_on_device<double>(distribution, n, 1));
    table.build(WeightsView::on_device(std::as_const(*weights).span()));
    return weights;
  };
  add(join_name(
          {"energy", "construct_gpu" + work.construct_suffix, distribution, std::to_string(n)}),
      gpu_energy_counter, [=](benchmark::State& state, EnergyCounter& counter) {
        AliasTableSplitGpu table({}, work.method);
        const auto weights = build(table);
        const auto run = [&] {
          table.construct(WeightsView::on_device(std::as_const(*weights).span()), nullptr);
          WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
        };
        measure(state, counter, run, static_cast<double>(n), 1e8);
      });
  add(join_name({"energy", "sample_gpu" + work.sample_suffix, distribution, std::to_string(n),
                 std::to_string(samples)}),
      gpu_energy_counter, [=](benchmark::State& state, EnergyCounter& counter) {
        AliasTableSplitGpu table({}, work.method);
        static_cast<void>(build(table));
        DeviceBuffer<Index> out(samples);
        const auto sampler = find_gpu_sampler(work.sampler).make({});
        const auto run = [&] {
          sampler->sample(table.table(), out.span(), {2020, 0}, nullptr);
          WRSGPU_CUDA_CHECK(cudaDeviceSynchronize());
        };
        measure(state, counter, run, static_cast<double>(samples), 1e9);
      });
}

void add_gpu(const std::string& distribution, std::uint64_t n, std::uint64_t samples) {
  for (const GpuWork& work : gpu_works) add_gpu_work(work, distribution, n, samples);
}

void add_cpu(const std::string& distribution, std::uint64_t n, std::uint64_t samples) {
  add(join_name({"energy", "construct_cpu", distribution, std::to_string(n)}), cpu_energy_counter,
      [=](benchmark::State& state, EnergyCounter& counter) {
        const auto table = make_method(default_method(Device::cpu).name, {});
        const std::span<const double> weights = workload(distribution, n);
        measure(
            state, counter, [&] { table->build(weights); }, static_cast<double>(n), 1e8);
      });
  add(join_name({"energy", "sample_cpu", distribution, std::to_string(n), std::to_string(samples)}),
      cpu_energy_counter, [=](benchmark::State& state, EnergyCounter& counter) {
        const auto table = make_method(default_method(Device::cpu).name, {});
        table->build(workload(distribution, n));
        HostBuffer<Index> out(samples);
        const auto run = [&] { table->sample(out.span(), {2020, 0}); };
        measure(state, counter, run, static_cast<double>(samples), 1e9);
      });
}

Series series(const std::string& name,
              void (*add_one)(const std::string&, std::uint64_t, std::uint64_t)) {
  return {name, name, [=](const Axes& axes) {
            for (const std::string& distribution : axes.distributions) {
              for (const std::uint64_t n : axes.sizes) {
                for (const std::uint64_t samples : axes.samples) add_one(distribution, n, samples);
              }
            }
          }};
}

}  // namespace

Experiment experiment() {
  return {.name = "energy",
          .summary = "energy of building and drawing, by the hardware's own counters",
          .needs_gpu = true,
          .runs_without_pause = true,
          .defaults = {.sizes = {100'000'000},
                       .distributions = {"powerlaw_1_shuffled"},
                       .samples = {1'000'000'000}},
          .series = {series("gpu", add_gpu), series("cpu", add_cpu)}};
}

}  // namespace wrsgpu::experiments
