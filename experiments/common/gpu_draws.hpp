// Drawing from tables on the GPU, as the experiments of thesis 5.3 do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "experiments/common/experiment.hpp"
#include "sampling/gpu_sampling_algorithm.cuh"
#include "wrsgpu/detail/sampling/gpu_sampler.cuh"
#include "wrsgpu/detail/table/table.hpp"

namespace wrsgpu::experiments {

/// What draws, and from what.
struct GpuDraw {
  /// Its name in benchmarks, to which `_no_output` is added where nothing is written.
  std::string name;
  /// In the registry.
  std::string sampler;
  GpuSamplerOptions options = {};
  TableOptions table = {};
  /// What builds the table, in the registry of methods; empty: the construction by splits.
  std::string method = {};
  /// Draws from rows that are packed once, and not for each draw: `PackedRows` where the sampler is
  /// direct_packed, `Rows16` where it is direct_short.
  bool keeps_packed_rows = false;
  /// Every draw continues with the words where the last one ended, so that it reads other rows.
  bool goes_on = false;
  /// False: the thesis's mode, which keeps no sample.
  bool output = true;
  /// Makes the sampler, where it is not in the registry.
  std::function<std::unique_ptr<GpuSampler>()> make_sampler = {};
  /// Makes what draws itself, where that is no alias table with a sampler.
  std::function<std::unique_ptr<GpuSamplingAlgorithm>()> structure = {};
  /// Whether samples are tested against the probabilities that the structure states, not against
  /// the weights.
  bool is_biased = false;
};

/// Adds sample/<name>/<distribution>/<N>/<samples>[/<suffix>]. What the sampler draws is tested
/// once, before. With output, `percent_of_floor` compares with writing 4 bytes a sample.
void add_gpu_draw(const GpuDraw& draw, const std::string& distribution, std::uint64_t n,
                  std::uint64_t samples, const std::string& suffix = {});

/// The series sample/<name>/... over all distributions, sizes and numbers of samples.
[[nodiscard]] Series gpu_draw_series(const GpuDraw& draw);

/// A draw and the same in the thesis's mode.
[[nodiscard]] std::vector<GpuDraw> with_and_without_output(const GpuDraw& draw);

}  // namespace wrsgpu::experiments
