// Deviation of the items' probabilities from their weights, by construction. Names:
// accuracy/<variant>/<distribution>/<N>; the time is that of one build, including allocation.
#include <chrono>
#include <memory>

#include "experiments/common/experiment.hpp"
#include "experiments/common/kept.hpp"
#include "experiments/common/workload.hpp"
#include "registry/methods.hpp"
#include "registry/variants.hpp"
#include "registry/verify.hpp"
#include "verification/reconstruction.hpp"

namespace wrsgpu::experiments {
namespace {

struct Measured {
  double seconds;
  verification::TableReport report;
};

Measured build_and_verify(const std::string& method, const TableOptions& options,
                          std::span<const double> weights) {
  const std::unique_ptr<SamplingAlgorithm> built = make_method(method, options);
  const auto begin = std::chrono::steady_clock::now();
  built->build(weights);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return {seconds.count(), verification::verify(*built, weights)};
}

void add_variant(const std::string& method, const TableOptions& options, const std::string& name,
                 const std::string& distribution, std::uint64_t n) {
  add_benchmark(
      name,
      [=](benchmark::State& state) {
        static Kept<Measured> kept;
        const Measured& measured = kept.get(
            name, [&] { return build_and_verify(method, options, workload(distribution, n)); });
        if (!measured.report.ok) return fail(state, measured.report.message);
        for (auto _ : state) state.SetIterationTime(measured.seconds);
        state.counters["worst_relative_error"] = measured.report.worst_relative_error;
        state.counters["worst_error_in_buckets"] = measured.report.worst_error;
      },
      1);
}

/// A variant of a method, unless this build or machine does not have it.
void add_series(Experiment& what, const std::string& method_name, Arithmetic arithmetic,
                Layout layout) {
  for (const BuildMethod* method : verification::available_methods()) {
    if (method->name != method_name) continue;
    const TableOptions options{arithmetic, layout, 0};
    const std::string variant = variant_name(*method, options);
    what.series.push_back(
        {variant, method_name, [=](const Axes& axes) {
           for (const std::string& distribution : axes.distributions) {
             for (const std::uint64_t n : axes.sizes) {
               add_variant(method_name, options,
                           join_name({"accuracy", variant, distribution, std::to_string(n)}),
                           distribution, n);
             }
           }
         }});
  }
}

}  // namespace

Experiment experiment() {
  Experiment what{.name = "accuracy",
                  .summary = "error of the items' probabilities",
                  .defaults = {.sizes = {1'000'000, 100'000'000},
                               .distributions = {"uniform", "powerlaw_1_shuffled", "powerlaw_1"}}};
  for (const char* method : {"vose", "sweep", "psa", "psa_plus", "sectioned_sweep"}) {
    add_series(what, method, Arithmetic::floating, Layout::wide_rows);
  }
  add_series(what, "sectioned_sweep", Arithmetic::fixed_point, Layout::compact_rows);
  for (const char* method :
       {"partial_p_ary_shared_memory_masses", "partial_p_ary_shared_memory_masses_psa_plus"}) {
    add_series(what, method, Arithmetic::floating, Layout::wide_rows);
  }
  add_series(what, "gpu_merge", Arithmetic::fixed_point, Layout::compact_rows);
  return what;
}

}  // namespace wrsgpu::experiments
