// All methods by name: printed by `wrsgpu_methods list`, covered by every test, selected by
// experiments. A CPU method is one entry; the GPU methods are pairs of a split and a pack method,
// which have registries of their own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "construction/alias_table.hpp"

namespace wrsgpu {

/// A method that builds a structure for sampling.
struct BuildMethod {
  /// As on the command line and in benchmark names, for example "vose".
  std::string name;
  Device device = Device::cpu;
  /// Publication and section, for example "thesis 2.4.2".
  std::string source;
  std::string summary;
  /// True if the method runs on `TableOptions::threads` threads.
  bool parallel = false;
  /// True if tables built by different numbers of threads differ.
  bool depends_on_threads = false;
  /// True if two builds from the same weights give bitwise equal tables in floating-point
  /// arithmetic, too; in fixed-point arithmetic they always do.
  bool floating_is_reproducible = true;
  /// Supported options; a method has layouts if and only if it is an alias table.
  std::vector<Arithmetic> arithmetics;
  std::vector<Layout> layouts = {};
  /// Maximum N for which building is practical (O(N^2) methods, memory that depends on the
  /// weights).
  std::uint64_t practical_items = max_items;
  /// True if `build` rejects some valid weights, with a reason (the lookup table, whose size
  /// depends on the weights).
  bool refuses_weights = false;
  std::function<std::unique_ptr<SamplingAlgorithm>(const TableOptions&)> make;

  [[nodiscard]] bool is_reproducible(Arithmetic arithmetic) const {
    return arithmetic == Arithmetic::fixed_point || floating_is_reproducible;
  }
  [[nodiscard]] bool is_alias_table() const { return !layouts.empty(); }
};

/// Every method of this build, CPU methods first.
[[nodiscard]] const std::vector<BuildMethod>& methods();

/// Throws `Error` that lists the known names.
[[nodiscard]] const BuildMethod& find_method(std::string_view name);

/// The default method of a device. The defaults of both devices build the same table in fixed-point
/// arithmetic. Throws `Error` if this build has none for the device.
[[nodiscard]] const BuildMethod& default_method(Device device,
                                                Arithmetic arithmetic = Arithmetic::fixed_point);

/// Reason why `method` does not support `options`, or an empty string if it does.
[[nodiscard]] std::string refusal(const BuildMethod& method, const TableOptions& options);

/// Reasons for all combinations that this build does not support, each once.
[[nodiscard]] std::vector<std::string> refusals();

/// Constructs the method, not yet built. Throws `Error` for unknown names and unsupported
/// combinations, with the reason.
[[nodiscard]] std::unique_ptr<SamplingAlgorithm> make_method(std::string_view name,
                                                             const TableOptions& options);

/// Name of a variant in benchmarks and test names: the name of the method, followed by the
/// differences from floating-point wide rows: `_fixed`, `_arrays`, `_compact`.
[[nodiscard]] std::string variant_name(const BuildMethod& method, const TableOptions& options);

/// All supported combinations of arithmetic and layout, with `threads` host threads.
[[nodiscard]] std::vector<TableOptions> variants(const BuildMethod& method, unsigned threads = 0);

}  // namespace wrsgpu
