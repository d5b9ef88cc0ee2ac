#include "wrsgpu/detail/weights/weight_function.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "wrsgpu/detail/core/find_by_name.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::weights {
namespace {

/// Calls `f.template operator()<Distribution>()` for every alternative, in order.
template <class F>
void for_each_distribution(F&& f) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (f.template operator()<std::variant_alternative_t<i, WeightFunction>>(), ...);
  }
  (std::make_index_sequence<std::variant_size_v<WeightFunction>>());
}

std::optional<WeightFunction> parse(std::string_view name, std::uint64_t n, std::uint64_t seed) {
  std::optional<WeightFunction> found;
  for_each_distribution([&]<class Distribution>() {
    if (found) return;
    if (auto function = Distribution::parse(name, n, seed)) found = *std::move(function);
  });
  return found;
}

[[noreturn]] void throw_unknown(std::string_view name) {
  throw unknown_name(
      distributions(), [](const DistributionInfo& info) { return info.pattern; }, name,
      "distribution");
}

}  // namespace

const std::vector<DistributionInfo>& distributions() {
  static const std::vector<DistributionInfo> all = [] {
    std::vector<DistributionInfo> list;
    for_each_distribution([&]<class Distribution>() { list.push_back(Distribution::info()); });
    return list;
  }();
  return all;
}

const DistributionInfo& find_distribution(std::string_view name) {
  const std::optional<WeightFunction> function = parse(name, 1, 0);
  if (!function) throw_unknown(name);
  return distributions()[function->index()];
}

WeightFunction make_weight_function(std::string_view name, std::uint64_t n, std::uint64_t seed) {
  if (n == 0) throw Error("weights: argument 'n' is 0; it must be at least 1");
  if (n > max_items) {
    throw Error("weights: argument 'n' is " + std::to_string(n) + ", more than the " +
                std::to_string(max_items) + " items that an index can name");
  }
  std::optional<WeightFunction> function = parse(name, n, seed);
  if (!function) throw_unknown(name);
  return *function;
}

}  // namespace wrsgpu::weights
