// Whether methods keep the low discrepancy of quasi-random points (thesis 2.7), and how fast one
// thread maps points to items. Names:
// low_discrepancy/<method>/<points>/<distribution>/<N>/<samples>. Deviations from the expected
// counts are in samples. The points are made before; they are read from memory.
#include <memory>

#include "cpu_reference/monotone_method.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/host_timer.hpp"
#include "experiments/common/kept.hpp"
#include "experiments/common/points.hpp"
#include "experiments/common/workload.hpp"
#include "registry/methods.hpp"
#include "registry/verify.hpp"

namespace wrsgpu::experiments {
namespace {

/// A structure, and the loop that finds the item of each word in it.
struct Mapping {
  std::shared_ptr<const SamplingAlgorithm> built;
  std::function<void(std::span<const std::uint64_t> words, std::span<Index> items)> map;
  std::vector<double> probabilities;
  std::string fault;
};

std::shared_ptr<SamplingAlgorithm> build(const std::string& method, Layout layout,
                                         std::span<const double> weights, Mapping& mapping) {
  std::shared_ptr<SamplingAlgorithm> built =
      make_method(method, {Arithmetic::fixed_point, layout, 1});
  built->build(weights);
  mapping.fault = verification::verify(*built, weights).message;
  mapping.probabilities = built->probabilities();
  mapping.built = built;
  return built;
}

Mapping alias_mapping(std::span<const double> weights) {
  Mapping mapping;
  const auto built = build("sectioned_sweep", Layout::compact_rows, weights, mapping);
  const CompactRows rows = dynamic_cast<const HostAliasTable&>(*built).table().compact_rows();
  mapping.map = [rows](std::span<const std::uint64_t> words, std::span<Index> items) {
    for (std::size_t k = 0; k < words.size(); ++k) {
      const RowChoice choice = choose_row(words[k], rows.size());
      items[k] = rows.pick(choice.row, choice.fraction);
    }
  };
  return mapping;
}

Mapping monotone_mapping(const std::string& method, std::span<const double> weights) {
  Mapping mapping;
  const auto built = build(method, Layout::wide_rows, weights, mapping);
  const auto* monotone = &dynamic_cast<const MonotoneMethod&>(*built);
  mapping.map = [monotone](std::span<const std::uint64_t> words, std::span<Index> items) {
    for (std::size_t k = 0; k < words.size(); ++k) items[k] = monotone->find(words[k]);
  };
  return mapping;
}

void measure(benchmark::State& state, const std::string& method, std::string_view point_name,
             const std::string& distribution, std::uint64_t n, std::uint64_t samples) {
  static Kept<Mapping> kept;
  static Kept<HostBuffer<std::uint64_t>> kept_words;
  static Kept<Evenness> kept_evenness;
  const bool is_alias = method == "alias";
  const Mapping& mapping = kept.get(join_name({method, distribution, std::to_string(n)}), [&] {
    const std::span<const double> weights = workload(distribution, n);
    return is_alias ? alias_mapping(weights) : monotone_mapping(method, weights);
  });
  if (!mapping.fault.empty()) return fail(state, mapping.fault);
  const std::span<const std::uint64_t> words =
      kept_words
          .get(join_name({std::string(point_name), std::to_string(samples)}),
               [&] { return points(point_name, samples); })
          .span();
  HostBuffer<Index> items(samples);
  const Evenness& found = kept_evenness.get(
      join_name({method, std::string(point_name), distribution, std::to_string(n),
                 std::to_string(samples)}),
      [&] {
        mapping.map(words, items.span());
        return evenness(items.span(), mapping.probabilities, point_name, !is_alias);
      });
  if (!found.fault.empty()) return fail(state, found.fault);
  show(state, found.deviation);
  time_on_host(state, [&] { mapping.map(words, items.span()); });
  state.SetItemsProcessed(static_cast<std::int64_t>(samples) * state.iterations());
}

}  // namespace

Experiment experiment() {
  Experiment what{.name = "cpu_low_discrepancy",
                  .summary = "mapping random and quasi-random points to items on the CPU",
                  .defaults = point_axes()};
  for (const std::string method : {"alias", "scan_binary", "cutpoint", "radix_forest"}) {
    what.series.push_back(point_series(
        method, [=](benchmark::State& state, std::string_view point_name,
                    const std::string& distribution, std::uint64_t n, std::uint64_t samples) {
          measure(state, method, point_name, distribution, n, samples);
        }));
  }
  return what;
}

}  // namespace wrsgpu::experiments
