// Sectioned sampling by the rows of a section (thesis 3.4.2 to 3.4.4). Names:
// sample/<sampler>[_no_output]/<distribution>/<N>/<samples>/<rows>.
#include "experiments/common/gpu_draws.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{.name = "section_size",
                  .summary = "sectioned samplers by the size of the sections",
                  .needs_gpu = true,
                  .defaults = {.sizes = {1'000'000, 10'000'000},
                               .distributions = {"uniform"},
                               .samples = {1'000'000'000}}};
  for (const char* sampler : {"cached", "cached_limited", "shared_memory"}) {
    for (const GpuDraw& draw : with_and_without_output({.name = sampler, .sampler = sampler})) {
      Series series = gpu_draw_series(draw);
      series.add = [draw](const Axes& axes) {
        for (const std::string& distribution : axes.distributions) {
          for (const std::uint64_t n : axes.sizes) {
            for (const std::uint64_t samples : axes.samples) {
              for (const Index rows : {512U, 1024U, 2048U, 3584U, 4096U, 6144U, 7168U, 8192U,
                                       10'240U, 12'288U, 14'336U, 16'384U, 32'768U}) {
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
      what.series.push_back(series);
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
