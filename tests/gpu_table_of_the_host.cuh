// What tests of the merge and of lanes share: tables compared with the host's.
#pragma once

#include <vector>

#include "construction/alias_table_merge_gpu.cuh"
#include "cpu_reference/tiled_sweep.hpp"
#include "gpu_construction_cases.cuh"
#include "table_rows.hpp"

namespace wrsgpu {

inline void expect_table_of_the_host(Layout layout, WeightsView weights,
                                     TableForm form = TableForm::by_size) {
  const TableOptions options{Arithmetic::fixed_point, layout, 1};
  TiledSweep host(options, form);
  AliasTableMergeGpu gpu(options, form);
  host.build(weights);
  gpu.build(weights);
  expect_same_rows(gpu.to_host(), host.table());
  if (weights.size() > mass_tile_items) return;
  // `construct` takes one launch for a single tile, which `build` does not.
  AliasTableMergeGpu single(options, form);
  single.reserve(static_cast<Index>(weights.size()), weights.type());
  with_weights_on_device(weights, [&](WeightsView on_device) {
    single.construct(on_device, nullptr);
    single.finish(on_device, nullptr);
  });
  expect_same_rows(single.to_host(), host.table());
}

[[nodiscard]] inline std::vector<PlainRow> rows_of_form(WeightsView weights, TableForm form) {
  AliasTableMergeGpu table({Arithmetic::fixed_point, Layout::compact_rows, 1}, form);
  table.build(weights);
  return plain_rows(table);
}

[[nodiscard]] inline std::vector<float> uniform_floats(Index n) {
  const std::vector<double> weights = uniform_weights(n, 1);
  return {weights.begin(), weights.end()};
}

}  // namespace wrsgpu
