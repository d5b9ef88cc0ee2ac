#include "driver.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "wrsgpu/core/error.hpp"
#include "wrsgpu/verification/weight_families.hpp"
#include "wrsgpu/weights/generate.hpp"

namespace wrsgpu::verification {

void Selection::add_options(CLI::App& app) {
  app.add_option("--method", methods, "methods, separated by commas (default: all)")
      ->delimiter(',');
  app.add_option("--variant", variant_part, "only variants whose name contains this");
  app.add_option("--distribution", distributions,
                 "adversarial families or named distributions (default: all families)")
      ->delimiter(',');
  app.add_option("--items", items, "numbers of items")
      ->delimiter(',')
      ->check(CLI::Range(std::uint64_t{1}, max_items));
  app.add_option("--seed", seed, "seed of everything random")->capture_default_str();
  app.add_option("--threads", threads, "host threads; 0: all")->capture_default_str();
}

std::vector<Variant> Selection::variants() const {
  std::vector<Variant> all;
  if (methods.empty()) all = all_variants(threads);
  for (const std::string& name : methods) {
    for (Variant& variant : all_variants(find_method(name), threads)) {
      all.push_back(std::move(variant));
    }
  }
  std::erase_if(all, [&](const Variant& variant) {
    return variant.name.find(variant_part) == std::string::npos;
  });
  if (all.empty()) throw Error("--variant: no variant's name contains '" + variant_part + "'");
  return all;
}

std::vector<std::string> Selection::distribution_names() const {
  if (!distributions.empty()) return distributions;
  std::vector<std::string> all;
  for (const WeightFamily& family : weight_families()) all.push_back(family.name);
  return all;
}

std::vector<Index> Selection::sizes_or(const std::vector<Index>& sizes) const {
  return items.empty() ? sizes : items;
}

std::vector<double> named_weights(const std::string& name, Index items, std::uint64_t seed) {
  const auto& families = weight_families();
  const auto family = std::find_if(families.begin(), families.end(),
                                   [&](const WeightFamily& known) { return known.name == name; });
  if (family != families.end()) return family->make(items);
  std::vector<double> weights(items);
  weights::generate(name, items, seed, std::span<double>(weights));
  return weights;
}

int run_driver(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  CLI11_PARSE(app, argc, argv);
  try {
    const int failures = body();
    if (failures > 0) fmt::print("{} failed\n", failures);
    return failures > 0 ? 1 : 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    return 2;
  }
}

}  // namespace wrsgpu::verification
