// The parameter optimiser of thesis 4.8.4 (Table 4.1): simulated annealing over group sizes,
// numbers of workers, shapes of chunks, rows per section and the items from which PSA+ packs
// greedily. Template instances are compiled beforehand. The packs in shared memory and by chunks
// are tuned in all of these; of the others the rows per section and what PSA+ packs greedily.
// Names: tuning/<series>_{default,best}/<distribution>/<N>, and what it tried in between,
// tuning/<series>_trial/<distribution>/<N>/<number>; counters tell the parameters. The series are
// psa and psa_plus, of the pack in shared memory from lists with masses, and
// {psa,psa_plus}_<pack>[_masses].
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/device_workload.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/kept.hpp"
#include "experiments/common/tuning_space.hpp"

namespace wrsgpu::experiments {
namespace {

[[nodiscard]] std::unique_ptr<AliasTableSplitGpu> build(const Candidate& candidate,
                                                        const DeviceWorkload& weights) {
  auto table =
      std::make_unique<AliasTableSplitGpu>(TableOptions{}, candidate.options, candidate.instances);
  table->build(weights.view);
  return table;
}

/// The search among the tables of some weights. Trials are made in order, each with the next point
/// of the search, which begins once the time of the one before is known.
class Search {
 public:
  Search(const Tuned& tuned, const std::string& distribution, std::uint64_t n)
      : tuned_(tuned),
        weights_(device_workload(WeightsView::Type::float64, distribution, n)),
        annealing_(sizes_of(tuned), start_of(tuned), tuned.steps,
                   [tuned](const Annealing::Point& point) { return is_allowed(tuned, point); }) {}

  [[nodiscard]] const DeviceWorkload& weights() const { return weights_; }
  [[nodiscard]] Candidate by_default() const { return {.options = tuned_.method}; }
  [[nodiscard]] Candidate best() {
    while (!annealing_.is_finished()) finish_trial();
    return candidate_at(tuned_, annealing_.best());
  }

  /// Times trial `number` once more. Nothing if the search has ended before it, or is past it.
  [[nodiscard]] std::optional<double> time_trial(int number) {
    while (trial_ < number && !annealing_.is_finished()) finish_trial();
    if (annealing_.is_finished() || trial_ != number) return std::nullopt;
    return time_once();
  }
  [[nodiscard]] std::map<std::string, double> parameters() const {
    return candidate_at(tuned_, annealing_.current()).parameters;
  }

 private:
  double time_once() {
    if (!table_) table_ = build(candidate_at(tuned_, annealing_.current()), weights_);
    CudaTimer timer(nullptr);
    timer.start();
    table_->construct(weights_.view, nullptr);
    seconds_.push_back(timer.seconds());
    return seconds_.back();
  }
  /// Also without the benchmark of the trial, which may not be selected or has few repetitions.
  void finish_trial() {
    constexpr std::size_t least_runs = 5;
    while (seconds_.size() < least_runs) static_cast<void>(time_once());
    const auto middle = seconds_.begin() + static_cast<std::ptrdiff_t>(seconds_.size() / 2);
    std::nth_element(seconds_.begin(), middle, seconds_.end());
    annealing_.report(*middle);
    seconds_.clear();
    table_.reset();
    ++trial_;
  }

  Tuned tuned_;
  DeviceWorkload weights_;
  Annealing annealing_;
  int trial_ = 0;
  std::unique_ptr<AliasTableSplitGpu> table_;
  std::vector<double> seconds_;
};

void show(benchmark::State& state, const std::map<std::string, double>& parameters) {
  for (const auto& [name, value] : parameters) state.counters[name] = value;
}

void measure(benchmark::State& state, const Candidate& candidate, const DeviceWorkload& weights) {
  const auto table = build(candidate, weights);
  const auto report = weights.verify(*table);
  if (!report.ok) return fail(state, report.message);
  time_on_device(state, [&] { table->construct(weights.view, nullptr); });
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(weights.view.size()));
  show(state, candidate.parameters);
}

void measure_trial(benchmark::State& state, Search& search, int number) {
  for (auto _ : state) {
    const std::optional<double> seconds = search.time_trial(number);
    if (!seconds) return skip(state, "everything has been tried");
    state.SetIterationTime(*seconds);
  }
  show(state, search.parameters());
}

void add_benchmarks(const Tuned& tuned, const std::string& distribution, std::uint64_t n) {
  static Kept<Search> kept;
  const std::string items = std::to_string(n);
  const auto search = [=]() -> Search& {
    return kept.get(join_name({tuned.series, distribution, items}),
                    [&] { return Search(tuned, distribution, n); });
  };
  const auto name = [&](const std::string& suffix) {
    return join_name({"tuning", tuned.series + suffix, distribution, items});
  };
  add_benchmark(name("_default"), [=](benchmark::State& state) {
    measure(state, search().by_default(), search().weights());
  });
  for (int number = 0; number < tuned.steps; ++number) {
    add_benchmark(
        join_name({name("_trial"), std::to_string(number)}),
        [=](benchmark::State& state) { measure_trial(state, search(), number); }, 1);
  }
  add_benchmark(name("_best"), [=](benchmark::State& state) {
    measure(state, search().best(), search().weights());
  });
}

[[nodiscard]] Series series_of(const pack::PackMethod& pack, pack::ElementKind elements,
                               bool psa_plus) {
  const bool has_masses = elements == pack::ElementKind::index_and_mass;
  Tuned tuned{.series = psa_plus ? "psa_plus" : "psa",
              .method = {.pack = pack.name, .elements = elements, .psa_plus = psa_plus},
              .steps = psa_plus ? 30 : section_size_count()};
  if (pack.max_section_items != nullptr) tuned.steps = 12;  // few section sizes fit
  if (tuned.is_shaped()) tuned.steps = 100;
  if (!tuned.has_shared_packs()) {
    tuned.series += "_" + pack.name + (has_masses ? "_masses" : "");
  }
  Series series{tuned.series, pack.name, [tuned](const Axes& axes) {
                  for (const std::string& distribution : axes.distributions) {
                    for (const std::uint64_t n : axes.sizes) {
                      add_benchmarks(tuned, distribution, n);
                    }
                  }
                }};
  if (!tuned.is_shaped()) series.defaults.distributions = {"uniform"};
  return series;
}

}  // namespace

Experiment experiment() {
  Experiment what{
      .name = "tuning",
      .summary = "group sizes, workers and sections that suit this device",
      .needs_gpu = true,
      .defaults = {.sizes = {10'000'000}, .distributions = {"uniform", "powerlaw_1_shuffled"}}};
  for (const bool psa_plus : {false, true}) {
    for (const pack::PackMethod& pack : pack::methods()) {
      if (pack.refuses_weights) continue;
      for (const pack::ElementKind elements : pack.elements) {
        const SplitGpuOptions method{.pack = pack.name, .elements = elements, .psa_plus = psa_plus};
        if (refusal(method, {}).empty()) {
          what.series.push_back(series_of(pack, elements, psa_plus));
        }
      }
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
