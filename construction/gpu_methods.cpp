#include "wrsgpu/construction/gpu_methods.hpp"

#include <string>
#include <utility>

#include "wrsgpu/construction/alias_table_split_gpu.cuh"

namespace wrsgpu {
namespace {

struct NamedSplit {
  SplitMethod method;
  std::string name;
};
struct NamedPack {
  PackMethod method;
  std::string name;
};

const std::vector<NamedSplit> splits{{SplitMethod::baseline, "baseline"}};
const std::vector<NamedPack> packs{
    {PackMethod::baseline, "baseline"},
    {PackMethod::baseline_branched, "baseline_branched"},
};

}  // namespace

std::vector<Method> gpu_methods() {
  std::vector<Method> methods;
  for (const NamedSplit& split : splits) {
    for (const NamedPack& pack : packs) {
      methods.push_back(
          {.name = split.name + "_" + pack.name,
           .device = Device::cuda,
           .source = "thesis 3.1, 3.2",
           .summary = "split " + split.name + ", pack " + pack.name,
           .floating_is_reproducible = false,  // CUB's scan adds in no fixed order
           .arithmetics = {Arithmetic::floating, Arithmetic::fixed_point},
           .layouts = {Layout::wide_rows, Layout::struct_of_arrays, Layout::compact_rows},
           .make = [method = SplitGpuOptions{split.method, pack.method}](
                       const TableOptions& options) -> std::unique_ptr<SamplingAlgorithm> {
             return std::make_unique<AliasTableSplitGpu>(options, method);
           }});
    }
  }
  return methods;
}

}  // namespace wrsgpu
