// Construction on the CPU: every method and variant, the public classes, and the lower bound set by
// memory. Names: construct/<variant>_<threads>t/<distribution>/<N>.
#include <algorithm>
#include <boost/random/discrete_distribution.hpp>
#include <cmath>
#include <memory>
#include <random>

#include "experiments/common/cpu_floors.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/host_timer.hpp"
#include "experiments/common/kept.hpp"
#include "experiments/common/peak_memory.hpp"
#include "experiments/common/workload.hpp"
#include "registry/methods.hpp"
#include "registry/verify.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/reconstruction.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"

namespace wrsgpu::experiments {
namespace {

using Weights = std::span<const double>;

/// A structure built before timing, so that timed builds write to memory that is already mapped.
struct Built {
  std::shared_ptr<void> structure;
  /// Builds it again.
  std::function<void()> rebuild;
  /// What kind of rows it has, for those who compare like with like.
  std::string label;
  /// What a build reads and writes at least.
  std::size_t bytes = 0;
  std::optional<std::int64_t> extra_bytes;
  /// Why it is wrong, or empty.
  std::string fault;
};

void measure(benchmark::State& state, const Built& built, std::uint64_t n, unsigned threads) {
  if (!built.fault.empty()) return fail(state, built.fault);
  const double seconds = time_on_host(state, built.rebuild);
  state.SetItemsProcessed(static_cast<std::int64_t>(n) * state.iterations());
  state.SetBytesProcessed(static_cast<std::int64_t>(built.bytes) * state.iterations());
  state.counters["percent_of_floor"] = 100 * copy_floor_seconds(n, threads) / seconds;
  state.SetLabel(built.label);
  if (built.extra_bytes && n >= 1'000'000) {  // below, pages and thread stacks are what is seen
    state.counters["extra_bytes_per_item"] =
        static_cast<double>(*built.extra_bytes) / static_cast<double>(n);
  }
}

/// Adds a benchmark for every distribution and size; `make` builds for the first time.
void add_builds(const Axes& axes, const std::string& series, unsigned threads,
                std::uint64_t practical_items, const std::function<Built(Weights)>& make) {
  static Kept<Built> kept;
  for (const std::string& distribution : axes.distributions) {
    for (const std::uint64_t n : axes.sizes) {
      if (n > practical_items) continue;
      const std::string name = join_name(
          {"construct", series + threads_suffix(threads), distribution, std::to_string(n)});
      add_benchmark(name, [=](benchmark::State& state) {
        const Weights weights = workload(distribution, n);
        measure(state, kept.get(name, [&] { return make(weights); }), n, threads);
      });
    }
  }
}

Built build_method(const BuildMethod& method, const TableOptions& options, Weights weights) {
  Built built;
  built.extra_bytes = peak_extra_bytes([&] {
    const auto fresh = method.make(options);
    fresh->build(weights);
    return fresh->bytes();
  });
  const std::shared_ptr<SamplingAlgorithm> structure = method.make(options);
  structure->build(weights);
  built.structure = structure;
  built.label = method.is_alias_table() ? to_string(options.layout) : "no table";
  built.rebuild = [structure = structure.get(), weights] { structure->build(weights); };
  built.bytes = weights.size_bytes() + structure->bytes();
  built.fault = verification::verify(*structure, weights).message;
  return built;
}

/// A distribution class of another library: `Distribution(begin, end)`, `probabilities()`.
template <class Distribution>
Built build_peer(Weights weights) {
  const auto structure = std::make_shared<Distribution>(weights.begin(), weights.end());
  Built built;
  built.extra_bytes = peak_extra_bytes([&] {
    const Distribution fresh(weights.begin(), weights.end());
    benchmark::DoNotOptimize(fresh.min());
    return weights.size() * sizeof(WideRow);  // what a table would take
  });
  built.structure = structure;
  built.label = "peer";
  built.rebuild = [structure = structure.get(), weights] {
    *structure = Distribution(weights.begin(), weights.end());
  };
  built.bytes = weights.size_bytes() + weights.size() * sizeof(WideRow);
  // These compute with less precision than ours promise; 1% of an item's weight is an error.
  const std::vector<double> expected = verification::expected_probabilities(weights);
  const std::vector<double> actual = structure->probabilities();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (std::abs(actual[i] - expected[i]) > 0.01 * expected[i]) {
      built.fault = "item " + std::to_string(i) + " has the wrong probability";
      break;
    }
  }
  return built;
}

Built build_floor(Weights weights, unsigned threads) {
  const auto rows = std::make_shared<HostBuffer<WideRow>>(weights.size());
  Built built;
  built.structure = rows;
  built.label = "floor";
  built.rebuild = [rows = rows.get(), weights, threads] {
    copy_floor(weights, rows->span(), threads);
  };
  built.bytes = weights.size_bytes() + rows->bytes();
  built.rebuild();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if ((*rows)[i].weight != weights[i] || (*rows)[i].alias != i) {
      built.fault = "row " + std::to_string(i) + " was not copied";
      break;
    }
  }
  return built;
}

Series method_series(const BuildMethod& method, const TableOptions& variant) {
  const std::string name = variant_name(method, variant);
  return {name, method.name, [=](const Axes& axes) {
            for (const unsigned threads : axes.threads) {
              if (threads > 1 && !method.parallel) continue;
              TableOptions options = variant;
              options.threads = threads;
              add_builds(axes, name, threads, method.practical_items,
                         [=](Weights weights) { return build_method(method, options, weights); });
            }
          }};
}

template <class Distribution>
Series peer_series(const std::string& name) {
  return {name, name, [=](const Axes& axes) {
            add_builds(axes, name, 1, max_items, build_peer<Distribution>);
          }};
}

Series floor_series() {
  return {"copy_floor", "copy_floor", [](const Axes& axes) {
            for (const unsigned threads : axes.threads) {
              add_builds(axes, "copy_floor", threads, max_items,
                         [=](Weights weights) { return build_floor(weights, threads); });
            }
          }};
}

}  // namespace

Experiment experiment() {
  Experiment what{
      .name = "cpu_construction",
      .summary = "building tables and other structures on the CPU",
      .defaults = {.sizes = {100'000, 1'000'000, 10'000'000},
                   .distributions = {"uniform", "powerlaw_1_shuffled", "powerlaw_0.5_shuffled",
                                     "powerlaw_1", "powerlaw_2_shuffled", "words", "ramp", "sine",
                                     "one_light", "heavy_fraction_50_leading",
                                     "heavy_fraction_90_leading"},
                   .threads = thread_counts()},
      .series = {floor_series(),
                 peer_series<std::discrete_distribution<Index>>("std_discrete_distribution"),
                 peer_series<boost::random::discrete_distribution<Index>>(
                     "boost_discrete_distribution")},
  };
  for (const BuildMethod& method : methods()) {
    // One that may refuse weights refuses those that are measured here.
    if (method.device != Device::cpu || method.refuses_weights) continue;
    for (const TableOptions& variant : variants(method)) {
      what.series.push_back(method_series(method, variant));
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
