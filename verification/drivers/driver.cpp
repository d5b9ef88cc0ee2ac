#include "driver.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verification/weight_families.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/generate_weights.hpp"

namespace wrsgpu::verification {

void Selection::add_options(CLI::App& app) {
  app.add_option("--method", methods, "methods, separated by commas (default: all)")
      ->delimiter(',');
  app.add_option("--variant", variant_part, "only variants whose name contains this");
  app.add_option("--family", families,
                 "adversarial weights (default, without --distribution too: all families)")
      ->delimiter(',');
  app.add_option("--distribution", distributions, "named distributions, of the seed given")
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

std::vector<WeightSource> Selection::weight_sources() const {
  std::vector<WeightSource> all;
  for (const std::string& name : families) {
    const WeightFamily& family = find_weight_family(name);
    all.push_back({family.name, family.make});
  }
  for (const std::string& name : distributions) {
    static_cast<void>(weights::find_distribution(name));
    all.push_back({fmt::format("{}, seed {}", name, seed), [name, chosen_seed = seed](Index n) {
                     std::vector<double> drawn(n);
                     weights::generate(name, n, chosen_seed, std::span<double>(drawn));
                     return drawn;
                   }});
  }
  if (!all.empty()) return all;
  for (const WeightFamily& family : weight_families()) all.push_back({family.name, family.make});
  return all;
}

std::vector<Index> Selection::sizes_or(const std::vector<Index>& sizes) const {
  return items.empty() ? sizes : items;
}

int run_driver(CLI::App& app, const std::function<int()>& body) {
  try {
    const int failures = body();
    if (failures > 0) fmt::print("{} failed\n", failures);
    return failures > 0 ? 1 : 0;
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    return 2;
  }
}

int run_driver(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  return run_driver(app, [&] {
    app.parse(argc, argv);
    return body();
  });
}

}  // namespace wrsgpu::verification
