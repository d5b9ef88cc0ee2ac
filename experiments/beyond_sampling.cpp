// The samplers with split words, from compact rows of the exact construction: by merge path for
// fewer than 2^23 items, by warp-parallel pairing for 2^23 or more. Names:
// sample/<sampler>[_philox7][_kept]/<distribution>/<N>/<samples>, where the sampler is direct,
// direct_packed, direct_short, direct_sectioned, small_table or sectioned; with `_kept`, rows are
// packed once in advance, not for each draw.
#include <string>
#include <vector>

#include "experiments/common/gpu_draws.hpp"

namespace wrsgpu::experiments {
namespace {

constexpr std::uint64_t billion = 1'000'000'000;

/// Whether the combination is worth measuring.
bool is_measured(const std::string& sampler, std::uint64_t n, std::uint64_t samples) {
  // 28,000 rows are what a block's shared memory has room for on an H200.
  if (sampler == "small_table") return n <= 28'000 && samples >= n;
  if (sampler == "sectioned") return samples >= n / 10;
  // For many samples of tables that outgrow the cache.
  if (sampler == "direct_sectioned") return n >= 10'000'000 && samples == billion;
  return samples <= billion;
}

Series series(const GpuDraw& draw) {
  Series made = gpu_draw_series(draw);
  made.add = [draw](const Axes& axes) {
    for (const std::string& distribution : axes.distributions) {
      for (const std::uint64_t n : axes.sizes) {
        for (const std::uint64_t samples : axes.samples) {
          if (is_measured(draw.sampler, n, samples)) add_gpu_draw(draw, distribution, n, samples);
        }
      }
    }
  };
  return made;
}

}  // namespace

Experiment experiment() {
  Experiment what{.name = "beyond_sampling",
                  .summary = "drawing with split words on the GPU",
                  .needs_gpu = true,
                  .hides_launches = true,
                  .by_table = true,
                  .defaults = {.sizes = {10'000, 1'000'000, 10'000'000, 100'000'000, billion},
                               .distributions = {"uniform", "powerlaw_1_shuffled"},
                               .samples = {1'000'000, 3'000'000, 10'000'000, 100'000'000, billion,
                                           10 * billion}}};
  for (const std::string sampler : {"direct", "direct_packed", "direct_short", "direct_sectioned",
                                    "small_table", "sectioned"}) {
    for (const GpuGenerator generator : {GpuGenerator::philox, GpuGenerator::philox7}) {
      // Reads of samples limit it, not the words.
      if (sampler == "direct_sectioned" && generator == GpuGenerator::philox7) continue;
      GpuDraw draw{.name = sampler,
                   .sampler = sampler,
                   .options = {.generator = generator},
                   .table = {Arithmetic::fixed_point, Layout::compact_rows, 0},
                   .method = "gpu_merge",
                   .goes_on = true};
      if (generator == GpuGenerator::philox7) draw.name += "_philox7";
      what.series.push_back(series(draw));
      if (draw.sampler != "direct_packed" && draw.sampler != "direct_short") continue;
      draw.name += "_kept";
      draw.keeps_packed_rows = true;
      what.series.push_back(series(draw));
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
