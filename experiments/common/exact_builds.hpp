// Exact tables on the GPU: common verification and timing.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "construction/gpu_alias_table.cuh"
#include "experiments/common/experiment.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu::experiments {

/// The series construct/<name>/<distribution>/<N> over all distributions and sizes. Each table that
/// `make` returns is built from the weights once and verified, before its construction is timed.
[[nodiscard]] Series exact_build_series(
    const std::string& name, const std::string& family, WeightsView::Type type,
    const std::function<std::unique_ptr<GpuAliasTable>()>& make);

}  // namespace wrsgpu::experiments
