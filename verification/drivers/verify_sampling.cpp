// verify_sampling: draws from every selected variant, and with every selected sampler from tables
// of the sweep (on the GPU: of its default method), and tests the samples. Prints one line per
// sampler and kind of weights.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "construction/alias_table.hpp"
#include "csv_file.hpp"
#include "driver.hpp"
#include "registry/samplers.hpp"
#include "verification/sample_tests.hpp"
#include "wrsgpu_commit.hpp"
#ifdef WRSGPU_WITH_CUDA
#include "construction/gpu_alias_table.cuh"
#include "registry/gpu_samplers.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"
#endif

namespace wrsgpu::verification {
namespace {

struct Options {
  Selection selection;
  std::vector<std::string> samplers;
  std::vector<std::uint64_t> samples{10'000'000};
  double false_alarm_rate = suite_budget.family_wise_rate();
  std::string csv;
};

/// A source of samples, built on demand.
struct Source {
  std::string name;
  std::string unavailable;
  std::uint64_t practical_items;
  /// Returns no samples if the method rejects the weights, or the sampler the table, where that is
  /// allowed.
  std::function<std::vector<Index>(const std::vector<double>& weights, std::uint64_t samples)> draw;
  /// Whether to test the independence of neighbours; false for samplers that draw section by
  /// section.
  bool tests_pairs = true;
};

std::vector<Source> sources_of(const Options& options) {
  std::vector<Source> all;
  const RandomState state{options.selection.seed, 0};
  const auto wanted = [&](const std::string& name) {
    return options.samplers.empty() ? options.selection.methods.empty()
                                    : std::find(options.samplers.begin(), options.samplers.end(),
                                                name) != options.samplers.end();
  };
  for (const SamplerInfo& sampler : samplers()) {
    if (!wanted(sampler.name) || !sampler.random) continue;
    for (const Variant& table : all_variants(find_method("sweep"), options.selection.threads)) {
      all.push_back({"sampler " + sampler.name + table.name.substr(table.method->name.size()),
                     std::string(), max_items,
                     [&sampler, table, state, threads = options.selection.threads](
                         const auto& weights, std::uint64_t count) {
                       const auto built = table.make();
                       built->build(weights);
                       std::vector<Index> out(count);
                       sampler.make(threads)->sample(
                           dynamic_cast<const HostAliasTable&>(*built).table(), out, state);
                       return out;
                     }});
    }
  }
#ifdef WRSGPU_WITH_CUDA
  for (const GpuSamplerInfo& sampler : gpu_samplers()) {
    if (!wanted(sampler.name) || !sampler.random) continue;
    for (const Variant& table : all_variants(default_method(Device::cuda))) {
      all.push_back({"sampler cuda " + sampler.name + table.name.substr(table.method->name.size()),
                     why_unavailable(Device::cuda), max_items,
                     [&sampler, table, state](const auto& weights, std::uint64_t count) {
                       const auto built = table.make();
                       built->build(weights);
                       const DeviceTable& rows = dynamic_cast<const GpuAliasTable&>(*built).table();
                       const auto drawer = sampler.make({});
                       if (!drawer->refusal(rows).empty()) return std::vector<Index>();
                       DeviceBuffer<Index> samples(count);
                       drawer->sample(rows, samples.span(), state, nullptr);
                       std::vector<Index> out(count);
                       copy_to_host(std::as_const(samples).data(), std::span(out));
                       return out;
                     },
                     !sampler.sectioned && !sampler.chooses});
    }
  }
#endif
  if (!options.samplers.empty()) return all;
  for (const Variant& variant : options.selection.variants()) {
    all.push_back({"method " + variant.name, why_unavailable(variant.method->device),
                   variant.method->practical_items,
                   [variant, state](const auto& weights, std::uint64_t count) {
                     const auto built = variant.make();
                     try {
                       built->build(weights);
                     } catch (const Error&) {
                       if (!variant.method->refuses_weights) throw;
                       return std::vector<Index>();
                     }
                     std::vector<Index> out(count);
                     built->sample(out, state);
                     return out;
                   }});
  }
  return all;
}

/// Throws `Error` for a name that is neither a CPU nor a GPU sampler; the message lists the CPU
/// samplers.
void require_sampler(const std::string& name) {
#ifdef WRSGPU_WITH_CUDA
  for (const GpuSamplerInfo& sampler : gpu_samplers()) {
    if (sampler.name == name) return;
  }
#endif
  static_cast<void>(find_sampler(name));
}

int verify_all(const Options& options) {
  for (const std::string& name : options.samplers) require_sampler(name);
  const std::vector<Source> sources = sources_of(options);
  const std::vector<WeightSource> kinds = options.selection.weight_sources();
  const std::vector<Index> sizes = options.selection.sizes_or({3, 1000, 100'003});
  const FalseAlarmBudget budget(
      options.false_alarm_rate,
      sources.size() * kinds.size() * sizes.size() * options.samples.size() * 4);
  CsvFile csv(options.csv,
              "source,weights,n,samples,chi_squared,worst_item,kolmogorov_smirnov,pairs,level,"
              "verdict,commit");
  fmt::print("At most {:g} false alarms a run, so p-values below {:.1e} fail\n",
             budget.family_wise_rate(), budget.level());
  fmt::print("{:<36} {:<24} {:>10} {:>10} {:>11} {:>11} {:>11} {:>11}  {}\n", "source", "weights",
             "N", "samples", "chi-squared", "worst item", "KS", "pairs", "verdict");
  int failures_seen = 0;
  for (const Source& source : sources) {
    if (!source.unavailable.empty()) {
      fmt::print("{:<36} skipped: {}\n", source.name, source.unavailable);
      continue;
    }
    for (const WeightSource& kind : kinds) {
      for (const Index items : sizes) {
        if (items > source.practical_items) continue;
        const std::vector<double> weights = kind.make(items);
        for (const std::uint64_t count : options.samples) {
          const std::vector<Index> samples = source.draw(weights, count);
          if (samples.empty()) continue;
          std::vector<StatisticalReport> reports = test_samples(samples, weights);
          if (!source.tests_pairs) reports.pop_back();
          const std::string failed = failures(reports, budget.level());
          failures_seen += failed.empty() ? 0 : 1;
          std::vector<std::string> p_values;
          fmt::print("{:<36} {:<24} {:>10} {:>10}", source.name, kind.name, items, count);
          for (const StatisticalReport& report : reports) {
            fmt::print(" {:>11.3g}", report.p_value);
            p_values.push_back(fmt::format("{:.6g}", report.p_value));
          }
          if (!source.tests_pairs) {
            fmt::print(" {:>11}", "sectioned");
            p_values.emplace_back();
          }
          fmt::print("  {}\n", failed.empty() ? "ok" : "FAILED: " + failed);
          csv.line(fmt::format("{},\"{}\",{},{},{},{:.6g},{},{}", source.name, kind.name, items,
                               count, fmt::join(p_values, ","), budget.level(),
                               failed.empty() ? "pass" : "fail", source_commit));
        }
      }
    }
  }
  csv.write();
  return failures_seen;
}

}  // namespace
}  // namespace wrsgpu::verification

int main(int argc, char** argv) {
  using namespace wrsgpu::verification;
  CLI::App app("Tests whether samples have the distribution of their weights.", "verify_sampling");
  Options options;
  options.selection.add_options(app);
  app.add_option("--sampler", options.samplers,
                 "samplers of tables, separated by commas (default: all, and all methods)")
      ->delimiter(',');
  app.add_option("--samples", options.samples, "samples of each source, separated by commas")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--false-alarm-rate", options.false_alarm_rate,
                 "chance that a run fails although everything is right")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--csv", options.csv, "also writes the p-values to this file");
  return run_driver(app, argc, argv, [&] { return verify_all(options); });
}
