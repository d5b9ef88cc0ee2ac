// Construction of tables on the GPU, for most experiments of thesis 5.2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "construction/alias_table_split_gpu.cuh"
#include "experiments/common/experiment.hpp"

namespace wrsgpu::experiments {

/// A construction, and the part of it that is timed.
struct GpuBuild {
  /// Its name in benchmarks.
  std::string name;
  SplitGpuOptions method = {};
  TableOptions table = {};
  WeightsView::Type weights = WeightsView::Type::float64;
  /// Empty for the whole construction, otherwise the name of a step (see AliasTableSplitGpu).
  std::string step = {};
  /// Adds a counter for each step, in microseconds, measured in separate runs.
  bool profile = false;
  /// Weights, table and temporary storage in managed memory.
  bool managed = false;
};

/// Numbers of rows per section that the experiments have; 7,143 make the 1,400 sections of 10^7
/// rows of the thesis's packs without shared memory.
inline const std::vector<std::uint64_t> section_rows{32, 64, 128, 250, 1000, 7143, 10'000};

/// Adds <prefix>/<name>/<distribution>/<N>[/<suffix>]. The table is verified once before it is
/// timed.
void add_gpu_build(const GpuBuild& build, const std::string& prefix,
                   const std::string& distribution, std::uint64_t n,
                   const std::string& suffix = {});

/// The series construct/<name>/... over all distributions and sizes.
[[nodiscard]] Series gpu_build_series(const GpuBuild& build);

/// The series <name>_by_rows: pack/<name>/<distribution>/<N>/rows:<r> over all distributions, sizes
/// and numbers of rows per section, with the time of each step. Leaves out what the pack method
/// cannot pack, and prints why. By default of 10^7 uniform weights.
[[nodiscard]] Series pack_by_rows_series(const GpuBuild& build);

/// The same without sizes beyond `maximum`, unless one size alone is asked for: tables of 10^9
/// items take a quarter of a minute each to verify.
[[nodiscard]] Series with_max_size(std::uint64_t maximum, Series series);

/// A build from double weights into 16-byte rows, named after its methods.
[[nodiscard]] GpuBuild gpu_build(const SplitGpuOptions& method);

/// Seconds that a copy of this many bytes takes on this device, which reads and writes as many;
/// measured once per size.
[[nodiscard]] double copy_seconds(std::uint64_t bytes);
/// The same between buffers of the device that are there, measured each time.
[[nodiscard]] double copy_seconds(const void* from, void* to, std::uint64_t bytes);

}  // namespace wrsgpu::experiments
