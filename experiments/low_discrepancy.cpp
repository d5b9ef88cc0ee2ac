// Whether methods keep the low discrepancy of quasi-random points (thesis 2.7), and how fast the
// GPU maps points to items. Names: low_discrepancy/<method>/<points>/<distribution>/<N>/<samples>.
// Deviations from the expected counts are in samples. The points are made before; they are read
// from memory, and the items written.
#include <array>
#include <memory>
#include <utility>

#include "construction/gpu_alias_table.cuh"
#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/device_workload.hpp"
#include "experiments/common/kept.hpp"
#include "experiments/common/points.hpp"
#include "registry/methods.hpp"
#include "sampling/generators/quasi_random.cuh"
#include "sampling/gpu_find_items.cuh"
#include "sampling/gpu_monotone_method.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"

namespace wrsgpu::experiments {
namespace {

using DeviceWords = DeviceBuffer<std::uint64_t>;

struct Mapping {
  std::shared_ptr<const SamplingAlgorithm> built;
  std::vector<double> probabilities;
  std::string fault;

  void map(std::span<const std::uint64_t> words, std::span<Index> items) const {
    if (const auto* table = dynamic_cast<const GpuAliasTable*>(built.get())) {
      find_items(table->table(), words, items, nullptr);
    } else {
      dynamic_cast<const GpuMonotoneMethod&>(*built).find(words, items, nullptr);
    }
  }
};

Mapping build(const std::string& method, const std::string& distribution, std::uint64_t n) {
  const bool is_alias = method == "gpu_merge";
  const DeviceWorkload weights = device_workload(WeightsView::Type::float64, distribution, n);
  const std::shared_ptr<SamplingAlgorithm> built = make_method(
      method, {Arithmetic::fixed_point, is_alias ? Layout::compact_rows : Layout::wide_rows, 0});
  built->build(weights.view);
  return {built, built->probabilities(), weights.verify(*built).message};
}

DeviceWords device_points(std::string_view name, std::uint64_t count) {
  DeviceWords words(count);
  if (name == "sobol") {
    std::array<unsigned long long, 64> host{};
    random::first_sobol_directions(host);
    DeviceBuffer<unsigned long long> directions(host.size());
    copy_to_device(std::span<const unsigned long long>(host), directions.data());
    random::sobol_words(std::span<const unsigned long long, 64>(directions.data(), host.size()), 0,
                        words.span(), nullptr);
    WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
  } else {
    const HostBuffer<std::uint64_t> host = points(name, count);
    copy_to_device(host.span(), words.data());
  }
  return words;
}

void measure(benchmark::State& state, const std::string& method, std::string_view point_name,
             const std::string& distribution, std::uint64_t n, std::uint64_t samples) {
  static Kept<Mapping> kept;
  static Kept<DeviceWords> kept_words;
  static Kept<Evenness> kept_evenness;
  const Mapping& mapping = kept.get(join_name({method, distribution, std::to_string(n)}),
                                    [&] { return build(method, distribution, n); });
  if (!mapping.fault.empty()) return fail(state, mapping.fault);
  const DeviceWords& words =
      kept_words.get(join_name({std::string(point_name), std::to_string(samples)}),
                     [&] { return device_points(point_name, samples); });
  DeviceBuffer<Index> items(samples);
  const Evenness& found = kept_evenness.get(
      join_name({method, std::string(point_name), distribution, std::to_string(n),
                 std::to_string(samples)}),
      [&] {
        mapping.map(words.span(), items.span());
        HostBuffer<Index> host(samples);
        copy_to_host(std::as_const(items).data(), host.span());
        return evenness(host.span(), mapping.probabilities, point_name, method != "gpu_merge");
      });
  if (!found.fault.empty()) return fail(state, found.fault);
  show(state, found.deviation);
  time_on_device(state, [&] { mapping.map(words.span(), items.span()); });
  state.SetItemsProcessed(static_cast<std::int64_t>(samples) * state.iterations());
}

}  // namespace

Experiment experiment() {
  Experiment what{.name = "low_discrepancy",
                  .summary = "mapping random and quasi-random points to items on the GPU",
                  .needs_gpu = true,
                  .hides_launches = true,
                  .defaults = point_axes()};
  using Named = std::pair<const char*, const char*>;
  for (const auto& [name, method] :
       {Named{"alias", "gpu_merge"}, Named{"gpu_scan", "gpu_scan"},
        Named{"gpu_cutpoint", "gpu_cutpoint"}, Named{"gpu_radix_forest", "gpu_radix_forest"}}) {
    what.series.push_back(point_series(
        name, [method = std::string(method)](benchmark::State& state, std::string_view point_name,
                                             const std::string& distribution, std::uint64_t n,
                                             std::uint64_t samples) {
          measure(state, method, point_name, distribution, n, samples);
        }));
  }
  return what;
}

}  // namespace wrsgpu::experiments
