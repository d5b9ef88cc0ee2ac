// The GPU samplers over alias tables, by name.
#pragma once

#include <string_view>
#include <vector>

#include "sampling/gpu_sampler_info.cuh"

namespace wrsgpu {

/// All GPU samplers by name; a new one is a file, declared and listed in gpu_samplers.cu.
[[nodiscard]] const std::vector<GpuSamplerInfo>& gpu_samplers();
/// Throws `Error` that lists the known names.
[[nodiscard]] const GpuSamplerInfo& find_gpu_sampler(std::string_view name);

}  // namespace wrsgpu
