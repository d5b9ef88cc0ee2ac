// Points in [0, 1) that methods map to items, and how evenly the items are drawn by them (thesis
// 2.7): for the experiments on low discrepancy.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/common/experiment.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::experiments {

/// "random", the words of Philox that samplers take, and "sobol", from the first point on.
inline constexpr std::string_view point_names[] = {"random", "sobol"};

/// The first `count` of these points, as 64-bit words.
[[nodiscard]] HostBuffer<std::uint64_t> points(std::string_view name, std::uint64_t count);

/// How far the counts of the items are from their expectations, in samples.
struct Deviation {
  double largest = 0;             ///< of all items
  double root_mean_square = 0;    ///< over the items
  double largest_cumulative = 0;  ///< of the counts of items 0 to i, over all i
};
[[nodiscard]] Deviation deviation(std::span<const std::uint64_t> counts,
                                  std::span<const double> probabilities);

/// The deviation of what was drawn, and what is wrong with it, or an empty string: random points
/// must pass the tests of samples; a monotone method must keep the discrepancy of Sobol's points.
struct Evenness {
  Deviation deviation;
  std::string fault;
};
[[nodiscard]] Evenness evenness(std::span<const Index> items, std::span<const double> probabilities,
                                std::string_view point_name, bool is_monotone);

/// As counters.
void show(benchmark::State& state, const Deviation& deviation);

/// Adds low_discrepancy/<series>/<points>/<distribution>/<N>/<samples> for all points and axes.
using MeasurePoints =
    std::function<void(benchmark::State& state, std::string_view point_name,
                       const std::string& distribution, std::uint64_t n, std::uint64_t samples)>;
[[nodiscard]] Series point_series(const std::string& name, const MeasurePoints& measure);

/// The axes that both experiments have.
[[nodiscard]] Axes point_axes();

}  // namespace wrsgpu::experiments
