#include "registry/gpu_methods.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "construction/alias_table_merge_gpu.cuh"
#include "construction/alias_table_split_gpu.cuh"

namespace wrsgpu {
namespace {

using pack::ElementKind;

/// The reason that this valid combination is not in the registry, or an empty string.
std::string reason_to_leave_out(const split::SplitMethod& split, const SplitGpuOptions& options) {
  const bool is_plain = options.pack == "baseline" && options.elements == ElementKind::index;
  if (split.competitive || is_plain) return {};
  return "split method " + split.name +
         " is there to be compared: splits do not depend on the pack method, so it goes with pack "
         "method baseline and lists of indices only";
}

BuildMethod make_entry(const split::SplitMethod& split, const pack::PackMethod& pack,
                       const SplitGpuOptions& options) {
  const bool has_masses = options.elements == ElementKind::index_and_mass;
  BuildMethod method{
      .name = name_of(options),
      .device = Device::cuda,
      .source = split.source + ", " + pack.source + (options.psa_plus ? ", thesis 3.3" : ""),
      .summary = "split " + split.name + ", pack " + pack.name +
                 (has_masses ? ", masses in l and h" : "") + (options.psa_plus ? ", PSA+" : ""),
      // CUB's scan adds in no fixed order; PSA+ has its own scan.
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
  // The inverse splits examine every heavy item for every split.
  if (split.is_for_few_sections()) method.practical_items = 1'000'000;
  return method;
}

/// Calls `use(split, pack, options)` for every combination.
template <class Use>
void for_each_combination(const Use& use) {
  for (const split::SplitMethod& split : split::methods()) {
    for (const pack::PackMethod& pack : pack::methods()) {
      for (const ElementKind elements : {ElementKind::index, ElementKind::index_and_mass}) {
        for (const bool psa_plus : {false, true}) {
          use(split, pack, SplitGpuOptions{split.name, pack.name, elements, psa_plus});
        }
      }
    }
  }
}

}  // namespace

std::vector<BuildMethod> gpu_methods() {
  std::vector<BuildMethod> methods;
  for_each_combination([&](const split::SplitMethod& split, const pack::PackMethod& pack,
                           const SplitGpuOptions& options) {
    BuildMethod entry = make_entry(split, pack, options);
    if (entry.arithmetics.empty() || !reason_to_leave_out(split, options).empty()) return;
    methods.push_back(std::move(entry));
  });
  methods.push_back(
      {.name = "gpu_merge",
       .device = Device::cuda,
       .source = "wrsgpu",
       .summary = "exact, in two passes over the weights; the table of sectioned_sweep",
       .arithmetics = {Arithmetic::fixed_point},
       .layouts = {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows},
       .make = [](const TableOptions& table) -> std::unique_ptr<SamplingAlgorithm> {
         return std::make_unique<AliasTableMergeGpu>(table);
       }});
  return methods;
}

std::string gpu_refusal(std::string_view name) {
  std::string reason;
  for_each_combination([&](const split::SplitMethod& split, const pack::PackMethod& pack,
                           const SplitGpuOptions& options) {
    if (name_of(options) != name) return;
    const BuildMethod entry = make_entry(split, pack, options);
    reason = entry.arithmetics.empty() ? refusal(options, {}) : reason_to_leave_out(split, options);
  });
  return reason;
}

std::vector<std::string> gpu_refusals() {
  std::vector<std::string> reasons;
  const auto add = [&](std::string reason) {
    if (reason.empty() || std::find(reasons.begin(), reasons.end(), reason) != reasons.end()) {
      return;
    }
    reasons.push_back(std::move(reason));
  };
  for_each_combination([&](const split::SplitMethod& split, const pack::PackMethod& /*pack*/,
                           const SplitGpuOptions& options) {
    for (const Arithmetic arithmetic : {Arithmetic::floating, Arithmetic::fixed_point}) {
      add(refusal(options, {arithmetic, Layout::wide_rows, 0}));
    }
    add(reason_to_leave_out(split, options));
  });
  return reasons;
}

}  // namespace wrsgpu
