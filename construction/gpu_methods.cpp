#include "wrsgpu/construction/gpu_methods.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "wrsgpu/construction/alias_table_split_gpu.cuh"

namespace wrsgpu {
namespace {

using pack::ElementKind;

/// Splits do not depend on the pack method: those that nobody would choose are put together with
/// one pack method only.
bool makes_sense(const split::Method& split, const SplitGpuOptions& options) {
  const bool is_competitive = split.max_sections == std::numeric_limits<Index>::max();
  const bool is_plain = options.pack == "baseline" && options.elements == ElementKind::index;
  return (is_competitive && split.name != "baseline_group_1") || is_plain;
}

Method make_entry(const split::Method& split, const pack::Method& pack,
                  const SplitGpuOptions& options) {
  const bool has_masses = options.elements == ElementKind::index_and_mass;
  Method method{.name = name_of(options),
                .device = Device::cuda,
                .source = pack.source,
                .summary = "split " + split.name + ", pack " + pack.name +
                           (has_masses ? ", masses in l and h" : "") +
                           (options.psa_plus ? ", PSA+" : ""),
                // CUB's scan adds in no fixed order; PSA+ has a scan of its own.
                .floating_is_reproducible = options.psa_plus,
                .arithmetics = {},
                .layouts = {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows},
                .refuses_weights = pack.refuses_weights,
                .make = [options](const TableOptions& table) -> std::unique_ptr<SamplingAlgorithm> {
                  return std::make_unique<AliasTableSplitGpu>(table, options);
                }};
  for (const Arithmetic arithmetic : {Arithmetic::floating, Arithmetic::fixed_point}) {
    if (refusal(options, {arithmetic, Layout::wide_rows, 0}).empty()) {
      method.arithmetics.push_back(arithmetic);
    }
  }
  // The inverse splits look at every heavy item for every split.
  if (split.max_sections != std::numeric_limits<Index>::max()) method.practical_items = 1'000'000;
  return method;
}

}  // namespace

std::vector<Method> gpu_methods() {
  std::vector<Method> methods;
  for (const split::Method& split : split::methods()) {
    for (const pack::Method& pack : pack::methods()) {
      for (const ElementKind elements : pack.elements) {
        for (const bool psa_plus : {false, true}) {
          const SplitGpuOptions options{split.name, pack.name, elements, psa_plus};
          Method entry = make_entry(split, pack, options);
          if (!entry.arithmetics.empty() && makes_sense(split, options)) {
            methods.push_back(std::move(entry));
          }
        }
      }
    }
  }
  return methods;
}

}  // namespace wrsgpu
