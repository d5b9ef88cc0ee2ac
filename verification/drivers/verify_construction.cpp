// verify_construction: builds every selected variant on every selected kind of weights and compares
// the tables with their weights. Prints one line per variant and kind of weights.
#include <fmt/format.h>

#include <algorithm>

#include "driver.hpp"
#include "registry/verify.hpp"
#include "verification/reconstruction.hpp"
#include "verification/weight_families.hpp"

namespace wrsgpu::verification {
namespace {

/// The maximum errors over several reports, with the message of the first failure.
struct Summary {
  int built = 0;
  Index largest = 0;
  double worst_error = 0;
  double worst_relative_error = 0;
  double largest_bound = 0;
  std::string failure;

  void add(Index items, const TableReport& report) {
    ++built;
    largest = std::max(largest, items);
    worst_error = std::max(worst_error, report.worst_error);
    worst_relative_error = std::max(worst_relative_error, report.worst_relative_error);
    largest_bound = std::max(largest_bound, report.bound);
    if (failure.empty() && !report.ok) failure = fmt::format("N = {}: {}", items, report.message);
  }
};

Summary verify_sizes(const Variant& variant, const WeightSource& source,
                     const Selection& selection) {
  Summary summary;
  const auto built = variant.make();
  for (const Index items : selection.sizes_or(adversarial_sizes())) {
    if (items > std::min<std::uint64_t>(variant.method->practical_items, max_items)) continue;
    const std::vector<double> weights = source.make(items);
    try {
      built->build(weights);
    } catch (const Error& error) {
      if (variant.method->refuses_weights) continue;
      if (summary.failure.empty()) {
        summary.failure = fmt::format("N = {}: {}", items, error.what());
      }
      return summary;
    }
    summary.add(items, verify(*built, weights, {.threads = selection.threads}));
  }
  return summary;
}

int verify_all(const Selection& selection) {
  int failures = 0;
  const std::vector<Variant> variants = selection.variants();
  const std::vector<WeightSource> sources = selection.weight_sources();
  fmt::print("{:<32} {:<24} {:>6} {:>10} {:>10} {:>10} {:>10}  {}\n", "variant", "weights",
             "tables", "largest N", "error", "allowed", "relative", "verdict");
  for (const Variant& variant : variants) {
    if (const std::string why = why_unavailable(variant.method->device); !why.empty()) {
      fmt::print("{:<32} skipped: {}\n", variant.name, why);
      continue;
    }
    for (const WeightSource& source : sources) {
      const Summary summary = verify_sizes(variant, source, selection);
      fmt::print("{:<32} {:<24} {:>6} {:>10} {:>10.2g} {:>10.2g} {:>10.2g}  {}\n", variant.name,
                 source.name, summary.built, summary.largest, summary.worst_error,
                 summary.largest_bound, summary.worst_relative_error,
                 summary.failure.empty() ? "ok" : "FAILED: " + summary.failure);
      failures += summary.failure.empty() ? 0 : 1;
    }
  }
  fmt::print("errors and what is allowed in buckets (W/N), relative errors in weights\n");
  return failures;
}

}  // namespace
}  // namespace wrsgpu::verification

int main(int argc, char** argv) {
  using namespace wrsgpu::verification;
  CLI::App app("Verifies that tables hold the weights they were built from.",
               "verify_construction");
  Selection selection;
  selection.add_options(app);
  return run_driver(app, argc, argv, [&] { return verify_all(selection); });
}
