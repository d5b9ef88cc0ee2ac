// Sectioned sampling by the rows of a section (thesis 3.4.2 to 3.4.4), limited sections also with
// each preference for cache or shared memory (thesis 4.8.5). Names:
// sample/<sampler>[_no_output]/<distribution>/<N>/<samples>/<rows>, with the sampler
// cached_limited_{no_preference,prefer_l1,prefer_shared} for the preferences.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/common/gpu_draws.hpp"
#include "sampling/cached_gpu_sampler.cuh"

namespace wrsgpu::experiments {
namespace {

Series series_by_rows(const GpuDraw& draw, const std::vector<Index>& all_rows) {
  Series series = gpu_draw_series(draw);
  series.add = [draw, all_rows](const Axes& axes) {
    for (const std::string& distribution : axes.distributions) {
      for (const std::uint64_t n : axes.sizes) {
        for (const std::uint64_t samples : axes.samples) {
          for (const Index rows : all_rows) {
            // What a block can have of shared memory.
            if (draw.sampler == "shared_memory" && rows > 14'336) continue;
            GpuDraw sized = draw;
            sized.options.section_rows = rows;
            add_gpu_draw(sized, distribution, n, samples, std::to_string(rows));
          }
        }
      }
    }
  };
  return series;
}

GpuDraw limited_with(Cache cache, const std::string& preference) {
  return {.name = "cached_limited_" + preference,
          .sampler = "cached_limited",
          .make_sampler = [cache](const GpuSamplerOptions& options) {
            return std::make_unique<LimitedCachedGpuSampler>(options, cache);
          }};
}

}  // namespace

Experiment experiment() {
  Experiment what{.name = "section_size",
                  .summary = "sectioned samplers by the size of the sections",
                  .needs_gpu = true,
                  .defaults = {.sizes = {1'000'000, 10'000'000},
                               .distributions = {"uniform"},
                               .samples = {1'000'000'000}}};
  for (const char* sampler : {"cached", "cached_limited", "shared_memory"}) {
    for (const GpuDraw& draw : with_and_without_output({.name = sampler, .sampler = sampler})) {
      what.series.push_back(series_by_rows(draw, {512, 1024, 2048, 3584, 4096, 6144, 7168, 8192,
                                                  10'240, 12'288, 14'336, 16'384, 32'768}));
    }
  }
  for (const auto& [cache, preference] :
       {std::pair{Cache::no_preference, "no_preference"}, std::pair{Cache::prefer_l1, "prefer_l1"},
        std::pair{Cache::prefer_shared, "prefer_shared"}}) {
    for (const GpuDraw& draw : with_and_without_output(limited_with(cache, preference))) {
      what.series.push_back(series_by_rows(draw, {1024, 2048, 4096, 6144, 8192, 12'288}));
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
