// Dispatch from run-time options to the template arguments of a sampling kernel.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <type_traits>
#include <variant>

#include "wrsgpu/detail/core/shared_memory.cuh"
#include "wrsgpu/detail/sampling/gpu_sampler.cuh"

namespace wrsgpu {

/// Maximum number of threads per block; bounds the register use of the kernels.
inline constexpr unsigned max_block_threads = 1024;

/// Calls `launch(rows, output)` with the types of both.
template <class Launch>
void with_rows_and_output(const DeviceTable& table, const AnyOutput& output, const Launch& launch) {
  table.visit(
      [&](const auto& rows) { std::visit([&](const auto& out) { launch(rows, out); }, output); });
}

/// Checks of options common to all samplers. They throw `Error`.
inline void check_block_threads(const GpuSamplerOptions& options) {
  if (options.block_threads % 32 != 0 || options.block_threads > max_block_threads) {
    throw Error("argument 'block_threads' is " + std::to_string(options.block_threads) +
                "; it must be a multiple of 32, at most 1024");
  }
}
inline void check_seeding(const GpuSamplerOptions& options) {
  const bool is_started =
      options.generator == GpuGenerator::xorwow || options.generator == GpuGenerator::mrg32k3a;
  if (options.seeding != Seeding::subsequence && !is_started) {
    throw Error("seeding " + std::string(to_string(options.seeding)) +
                " requires per-thread generators; " + std::string(to_string(options.generator)) +
                " needs no seeding");
  }
}

/// Error message for rows that do not fit in the shared memory of a block; callers append the
/// remedy.
[[nodiscard]] inline std::string rows_that_do_not_fit(const std::string& whose, Index rows,
                                                      std::size_t bytes, std::size_t maximum) {
  return whose + " " + std::to_string(rows) + " rows take " + std::to_string(bytes) +
         " bytes, more than the " + std::to_string(maximum) + " bytes of shared memory available";
}

/// Checks for samplers that draw from the whole table.
inline void check_no_sections(const GpuSamplerOptions& options) {
  if (options.section_rows > 0) {
    throw Error("argument 'section_rows' is " + std::to_string(options.section_rows) +
                "; this sampler has no sections");
  }
  if (options.section_counts != SectionCounts::exact) {
    throw Error("argument 'section_counts' is normal_approximation; this sampler has no sections");
  }
}

}  // namespace wrsgpu
