// Sampling from tables on the GPU, for the experiments of thesis 5.3.
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

/// A sampler and the structure from which it draws.
struct GpuDraw {
  /// Its name in benchmarks; `_no_output` is appended if nothing is written.
  std::string name;
  /// Name of the sampler in the registry.
  std::string sampler;
  GpuSamplerOptions options = {};
  TableOptions table = {};
  /// Name of the method that builds the table, in the registry of methods; empty: the construction
  /// by splits.
  std::string method = {};
  /// Draws from rows that are packed once, not for each draw (`Rows` of the sampler); for
  /// direct_packed and direct_short.
  bool keeps_packed_rows = false;
  /// Every draw continues with the words after those of the last one, so that it reads other rows.
  bool goes_on = false;
  /// False: the thesis's mode, in which samples are discarded.
  bool output = true;
  /// Constructs the sampler with `options` if it is not in the registry.
  std::function<std::unique_ptr<GpuSampler>(const GpuSamplerOptions&)> make_sampler = {};
  /// Constructs a structure that draws itself, instead of an alias table with a sampler.
  std::function<std::unique_ptr<GpuSamplingAlgorithm>()> structure = {};
  /// Whether samples are tested against the probabilities that the structure states, not against
  /// the weights.
  bool is_biased = false;
};

/// Adds sample/<name>/<distribution>/<N>/<samples>[/<suffix>]. The samples are tested once before
/// the sampler is timed. With output, `percent_of_floor` compares with writing 4 bytes per sample.
void add_gpu_draw(const GpuDraw& draw, const std::string& distribution, std::uint64_t n,
                  std::uint64_t samples, const std::string& suffix = {});

/// The series sample/<name>/... over all distributions, sizes and numbers of samples.
[[nodiscard]] Series gpu_draw_series(const GpuDraw& draw);

/// A draw, and the same draw in the thesis's mode.
[[nodiscard]] std::vector<GpuDraw> with_and_without_output(const GpuDraw& draw);

/// A draw as the thesis measures it: xorwow with a subsequence for each thread, nothing stored.
[[nodiscard]] GpuDraw thesis_draw(const std::string& sampler);

}  // namespace wrsgpu::experiments
