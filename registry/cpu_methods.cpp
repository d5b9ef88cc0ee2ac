#include "registry/cpu_methods.hpp"

#include "cpu_reference/brown.hpp"
#include "cpu_reference/cutpoint.hpp"
#include "cpu_reference/lookup_table.hpp"
#include "cpu_reference/psa.hpp"
#include "cpu_reference/psa_plus.hpp"
#include "cpu_reference/psa_sequential.hpp"
#include "cpu_reference/radix_forest.hpp"
#include "cpu_reference/rejection.hpp"
#include "cpu_reference/rejection_succinct.hpp"
#include "cpu_reference/scan_binary.hpp"
#include "cpu_reference/scan_linear.hpp"
#include "cpu_reference/sweep.hpp"
#include "cpu_reference/tiled_sweep.hpp"
#include "cpu_reference/vose.hpp"
#include "cpu_reference/walker.hpp"

namespace wrsgpu {
namespace {

const std::vector<Arithmetic> both_arithmetics{Arithmetic::floating, Arithmetic::fixed_point};
const std::vector<Layout> all_layouts{Layout::wide_rows, Layout::struct_of_arrays,
                                      Layout::compact_rows};

template <class Table>
std::unique_ptr<SamplingAlgorithm> make_table(const TableOptions& options) {
  return std::make_unique<Table>(options);
}

}  // namespace

std::vector<BuildMethod> cpu_methods() {
  return {
      {.name = "scan_linear",
       .source = "thesis 2.1",
       .summary = "cumulative distribution, searched item by item",
       .parallel = true,
       .arithmetics = both_arithmetics,
       .practical_items = 1 << 14,
       .make = make_table<ScanLinear>},
      {.name = "scan_binary",
       .source = "thesis 2.1",
       .summary = "cumulative distribution, bisected",
       .parallel = true,
       .arithmetics = both_arithmetics,
       .make = make_table<ScanBinary>},
      {.name = "cutpoint",
       .source = "thesis 2.2",
       .summary = "cumulative distribution, searched from one of N cutpoints on",
       .parallel = true,
       .arithmetics = both_arithmetics,
       .make = make_table<Cutpoint>},
      {.name = "lookup_table",
       .source = "thesis 2.3",
       .summary = "every item as often as its integer weight says; exact",
       .arithmetics = {Arithmetic::floating},
       .refuses_weights = true,
       .make = make_table<LookupTable>},
      {.name = "walker",
       .source = "thesis 2.4.1",
       .summary = "Walker's construction, O(N^2)",
       .arithmetics = both_arithmetics,
       .layouts = all_layouts,
       .practical_items = 50'000,
       .make = make_table<Walker>},
      {.name = "vose",
       .source = "thesis 2.4.2",
       .summary = "Vose's construction with stacks of light and heavy items",
       .arithmetics = both_arithmetics,
       .layouts = all_layouts,
       .make = make_table<Vose>},
      {.name = "sweep",
       .source = "thesis 2.4.3",
       .summary = "sweeping construction, no memory besides the table",
       .arithmetics = both_arithmetics,
       .layouts = all_layouts,
       .make = make_table<Sweep>},
      {.name = "psa_sequential",
       .source = "thesis 4.2",
       .summary = "splitting-based construction, its steps executed one after another",
       .arithmetics = both_arithmetics,
       .layouts = all_layouts,
       .make = make_table<PsaSequential>},
      {.name = "psa",
       .source = "thesis 2.4.4",
       .summary = "parallel splitting-based construction on host threads",
       .parallel = true,
       .arithmetics = both_arithmetics,
       .layouts = all_layouts,
       .make = make_table<Psa>},
      {.name = "psa_plus",
       .source = "thesis 2.4.5",
       .summary = "greedy packing of sections on host threads, PSA for the rest",
       .parallel = true,
       .arithmetics = both_arithmetics,
       .layouts = all_layouts,
       .make = make_table<PsaPlus>},
      {.name = "psa_plus_per_thread",
       .source = "thesis 2.4.5",
       .summary = "PSA+ with one greedy section for each thread",
       .parallel = true,
       .depends_on_threads = true,
       .arithmetics = both_arithmetics,
       .layouts = all_layouts,
       .make = make_table<PsaPlusPerThread>},
      {.name = "sectioned_sweep",
       .source = "after thesis 2.4.5",
       .summary = "sections balanced beforehand, then swept without branches on host threads",
       .parallel = true,
       .arithmetics = both_arithmetics,
       .layouts = all_layouts,
       .make = make_table<TiledSweep>},
      {.name = "brown",
       .source = "thesis 2.5",
       .summary = "alias table in which a comparison selects an address, not a value",
       .parallel = true,
       .arithmetics = {Arithmetic::fixed_point},
       .make = make_table<Brown>},
      {.name = "radix_forest",
       .source = "thesis 2.7",
       .summary = "cumulative distribution, searched in one of N radix trees",
       .parallel = true,
       .arithmetics = both_arithmetics,
       .make = make_table<RadixForest>},
      {.name = "rejection",
       .source = "thesis 2.8",
       .summary = "Bringmann and Larsen's rejection sampling, list of cells as an array",
       .parallel = true,
       .arithmetics = both_arithmetics,
       .make = make_table<Rejection>},
      {.name = "rejection_succinct",
       .source = "thesis 2.8",
       .summary = "the same samples, list as a bit vector with constant-time rank",
       .parallel = true,
       .arithmetics = both_arithmetics,
       .make = make_table<RejectionSuccinct>},
  };
}

}  // namespace wrsgpu
