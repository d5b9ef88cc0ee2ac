#include "wrsgpu/cpu_reference/methods.hpp"

#include "wrsgpu/cpu_reference/sweep.hpp"

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

std::vector<Method> cpu_methods() {
  return {
      {.name = "sweep",
       .source = "thesis 2.4.3",
       .summary = "sweeping construction, no memory besides the table",
       .arithmetics = both_arithmetics,
       .layouts = all_layouts,
       .make = make_table<Sweep>},
  };
}

}  // namespace wrsgpu
