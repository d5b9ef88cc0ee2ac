#include "registry/gpu_structures.hpp"

#include "sampling/gpu_brown.cuh"
#include "sampling/gpu_cutpoint.cuh"
#include "sampling/gpu_radix_forest.cuh"
#include "sampling/gpu_rejection.cuh"
#include "sampling/gpu_scan.cuh"

namespace wrsgpu {
namespace {

template <class Structure>
std::unique_ptr<SamplingAlgorithm> make_structure(const TableOptions& options) {
  return std::make_unique<Structure>(options);
}

template <CellSearch search>
std::unique_ptr<SamplingAlgorithm> make_rejection(const TableOptions& options) {
  return std::make_unique<GpuRejection>(options, GpuRejectionOptions{.search = search});
}

}  // namespace

std::vector<BuildMethod> gpu_structures() {
  const std::vector<Arithmetic> both{Arithmetic::floating, Arithmetic::fixed_point};
  // Sums of doubles could give items without weight an interval (gpu_monotone_method.cuh), and
  // Brown's method is from the exact table.
  const std::vector<Arithmetic> integers{Arithmetic::fixed_point};
  return {
      {.name = "gpu_scan",
       .device = Device::cuda,
       .source = "thesis 2.1",
       .summary = "cumulative distribution, bisected",
       .arithmetics = integers,
       .make = make_structure<GpuScan>},
      {.name = "gpu_cutpoint",
       .device = Device::cuda,
       .source = "thesis 2.2",
       .summary = "cumulative distribution, searched from one of N cutpoints on",
       .arithmetics = integers,
       .make = make_structure<GpuCutpoint>},
      {.name = "gpu_brown",
       .device = Device::cuda,
       .source = "thesis 2.5",
       .summary = "alias table in which a comparison selects an address, not a value",
       .arithmetics = integers,
       .make = make_structure<GpuBrown>},
      {.name = "gpu_radix_forest",
       .device = Device::cuda,
       .source = "thesis 2.7",
       .summary = "cumulative distribution, searched in one of N radix trees",
       .arithmetics = integers,
       .make = make_structure<GpuRadixForest>},
      {.name = "gpu_rejection_array",
       .device = Device::cuda,
       .source = "thesis 2.8, 5.3.2",
       .summary = "Bringmann and Larsen's rejection sampling, list of cells as an array",
       .arithmetics = both,
       .make = make_rejection<CellSearch::array>},
      {.name = "gpu_rejection_binary",
       .device = Device::cuda,
       .source = "thesis 2.8, 5.3.2",
       .summary = "the same, cells found by binary search",
       .arithmetics = both,
       .make = make_rejection<CellSearch::binary>},
      {.name = "gpu_rejection_partial_p_ary",
       .device = Device::cuda,
       .source = "thesis 2.8, 5.3.2",
       .summary = "the same, cells sorted and found by partial p-ary search",
       .arithmetics = both,
       .make = make_rejection<CellSearch::partial_p_ary>},
  };
}

}  // namespace wrsgpu
