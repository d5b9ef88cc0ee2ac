// Sampling on the CPU, samples stored: every sampler and row layout, the structures that are not
// tables, the public classes, and the lower bound set by memory. Names:
// sample/<sampler>_<threads>t/<distribution>/<N>/<samples>.
#include <algorithm>
#include <boost/random/discrete_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <memory>
#include <random>

#include "experiments/common/cpu_floors.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/host_timer.hpp"
#include "experiments/common/kept.hpp"
#include "experiments/common/workload.hpp"
#include "registry/methods.hpp"
#include "registry/samplers.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/random/philox_engine.hpp"

namespace wrsgpu::experiments {
namespace {

using Weights = std::span<const double>;
constexpr std::uint64_t seed = 1;

/// Draws `out.size()` samples; each call continues in the stream where the last one ended.
using Draw = std::function<void(std::span<Index> out)>;

/// What is to be drawn from, made before anything is timed.
struct Prepared {
  Draw draw;
  /// Why its samples are wrong, or empty.
  std::string fault;
};

/// The probabilities of the workload, kept because many samplers draw from the same.
const std::vector<double>& probabilities_of(const std::string& workload_name, Weights weights) {
  static Kept<std::vector<double>> kept;
  return kept.get(workload_name, [&] { return verification::expected_probabilities(weights); });
}

/// Why these are no samples of the distribution, or empty.
std::string fault_of(std::span<const Index> samples, const std::vector<double>& probabilities) {
  const verification::Counts counts =
      verification::count_samples(samples, static_cast<Index>(probabilities.size()));
  for (const auto& report : {verification::chi_squared(counts, probabilities, 20),
                             verification::kolmogorov_smirnov(counts, probabilities)}) {
    if (!report.passes(verification::suite_budget.level())) return to_string(report);
  }
  return {};
}

struct SamplingSeries {
  std::string name;
  std::string family;
  /// What kind of rows it draws from, for those who compare like with like.
  std::string label;
  bool parallel = false;
  /// False when the output is not a random sample, and is not tested as one.
  bool random = true;
  std::uint64_t practical_items = max_items;
  /// Slow ones draw fewer, which the name of the benchmark says.
  std::uint64_t max_samples = ~std::uint64_t{0};
  std::function<Draw(Weights, unsigned threads)> prepare;
};

void measure(benchmark::State& state, const SamplingSeries& series, const Prepared& prepared,
             std::span<Index> out, std::uint64_t n, unsigned threads) {
  if (!prepared.fault.empty()) return fail(state, prepared.fault);
  const double seconds = time_on_host(state, [&] { prepared.draw(out); });
  state.SetLabel(series.label);
  const auto iterations = state.iterations();
  const auto samples = static_cast<std::int64_t>(out.size());
  state.SetItemsProcessed(iterations * samples);
  state.SetBytesProcessed(iterations * samples *
                          static_cast<std::int64_t>(sizeof(WideRow) + sizeof(Index)));
  state.counters["percent_of_floor"] = 100 * gather_floor_seconds(n, out.size(), threads) / seconds;
}

void add_draws(const Axes& axes, const SamplingSeries& series) {
  static Kept<Prepared> prepared;
  static Kept<HostBuffer<Index>> buffer;
  for (const std::string& distribution : axes.distributions) {
    for (const std::uint64_t n : axes.sizes) {
      if (n > series.practical_items) continue;
      for (const std::uint64_t asked : axes.samples) {
        const std::uint64_t samples = std::min(asked, series.max_samples);
        for (const unsigned threads : axes.threads) {
          if (threads > 1 && !series.parallel) continue;
          const std::string name =
              join_name({"sample", series.name + threads_suffix(threads), distribution,
                         std::to_string(n), std::to_string(samples)});
          add_benchmark(name, [=](benchmark::State& state) {
            const std::span<Index> out =
                buffer.get(std::to_string(samples), [&] { return HostBuffer<Index>(samples); })
                    .span();
            const Prepared& ready = prepared.get(name, [&] {
              const Weights weights = workload(distribution, n);
              Prepared made{series.prepare(weights, threads), {}};
              made.draw(out);  // touches the buffer, and is the sample that is tested
              if (series.random) {
                const std::string key = distribution + "/" + std::to_string(n);
                made.fault = fault_of(out, probabilities_of(key, weights));
              }
              return made;
            });
            measure(state, series, ready, out, n, threads);
          });
        }
      }
    }
  }
}

/// The table that the samplers draw from; which method has built it makes no difference to them.
std::shared_ptr<const HostTable> table_of(Weights weights, const TableOptions& options) {
  const auto built = make_method("sweep", options);
  built->build(weights);
  return std::make_shared<const HostTable>(dynamic_cast<AliasTable&>(*built).to_host());
}

SamplingSeries table_series(const SamplerInfo& sampler, const TableOptions& options) {
  BuildMethod named = find_method("sweep");
  named.name = sampler.name;
  return {.name = variant_name(named, options),
          .family = sampler.name,
          .label = sampler.random ? std::string(to_string(options.layout)) : "not random",
          .parallel = true,
          .random = sampler.random,
          .prepare = [=](Weights weights, unsigned threads) -> Draw {
            return [table = table_of(weights, options),
                    draws = std::shared_ptr<Sampler>(sampler.make(threads)),
                    state = RandomState{seed, 0}](std::span<Index> out) mutable {
              draws->sample(*table, out, state);
              state.offset += out.size();
            };
          }};
}

SamplingSeries structure_series(const BuildMethod& method, const TableOptions& options) {
  return {.name = variant_name(method, options),
          .family = method.name,
          .label = "no table",
          .parallel = true,
          .practical_items = method.practical_items,
          .max_samples = 1'000'000,
          .prepare = [=](Weights weights, unsigned threads) -> Draw {
            TableOptions with_threads = options;
            with_threads.threads = threads;
            const std::shared_ptr<SamplingAlgorithm> structure = method.make(with_threads);
            structure->build(weights);
            return [structure, state = RandomState{seed, 0}](std::span<Index> out) mutable {
              structure->sample(out, state);
              state.offset += out.size();
            };
          }};
}

/// A distribution class of another library with a generator.
template <class Distribution, class Generator>
SamplingSeries peer_series(const std::string& name, std::uint64_t max_samples,
                           Generator generator) {
  return {.name = name,
          .family = name,
          .label = "peer",
          .max_samples = max_samples,
          .prepare = [=](Weights weights, unsigned) -> Draw {
            return [distribution = Distribution(weights.begin(), weights.end()),
                    engine = generator](std::span<Index> out) mutable {
              for (Index& sample : out) sample = distribution(engine);
            };
          }};
}

SamplingSeries floor_series() {
  return {.name = "gather_floor",
          .family = "gather_floor",
          .label = "floor",
          .parallel = true,
          .random = false,
          .prepare = [](Weights weights, unsigned threads) -> Draw {
            const auto rows = std::make_shared<HostBuffer<WideRow>>(weights.size());
            for (std::size_t i = 0; i < rows->size(); ++i) (*rows)[i] = {weights[i], 0, 0};
            return [=](std::span<Index> out) { gather_floor(rows->span(), out, threads); };
          }};
}

}  // namespace

Experiment experiment() {
  using BoostDistribution = boost::random::discrete_distribution<Index>;
  constexpr std::uint64_t all = ~std::uint64_t{0};
  const random::PhiloxEngine<> philox(RandomState{seed, 0});
  std::vector<SamplingSeries> list{
      floor_series(), peer_series<BoostDistribution>("boost_discrete_distribution", all, philox),
      peer_series<BoostDistribution>("boost_discrete_distribution_mt19937", all,
                                     boost::random::mt19937(static_cast<std::uint32_t>(seed))),
      // Searches a cumulative distribution.
      peer_series<std::discrete_distribution<Index>>("std_discrete_distribution", 1'000'000,
                                                     philox)};
  for (const SamplerInfo& sampler : samplers()) {
    for (const TableOptions& options : variants(find_method("sweep"))) {
      list.push_back(table_series(sampler, options));
    }
  }
  for (const BuildMethod& method : methods()) {
    // One that may refuse weights refuses those that are measured here.
    if (method.device != Device::cpu || method.is_alias_table() || method.refuses_weights) continue;
    for (const TableOptions& options : variants(method)) {
      list.push_back(structure_series(method, options));
    }
  }
  Experiment what{.name = "cpu_sampling",
                  .summary = "drawing samples on the CPU",
                  .defaults = {.sizes = {1'000'000, 10'000'000},
                               .distributions = {"uniform", "powerlaw_1_shuffled"},
                               .samples = {10'000'000},
                               .threads = thread_counts()}};
  for (const SamplingSeries& series : list) {
    what.series.push_back(
        {series.name, series.family, [=](const Axes& axes) { add_draws(axes, series); }});
  }
  return what;
}

}  // namespace wrsgpu::experiments
