// The baseline sampler by blocks and threads (thesis 4.7.2, Figure 4.6), in the thesis's mode. A
// draw with MTGP32 includes its states, which the host makes. Names:
// sample/baseline_<generator>_no_output/<distribution>/<N>/<samples>/<blocks>x<threads>.
#include "experiments/common/gpu_draws.hpp"
#include "sampling/generators/mtgp32_states.cuh"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{
      .name = "grid_sizes",
      .summary = "the baseline sampler by blocks and threads",
      .needs_gpu = true,
      .defaults = {.sizes = {1'000'000}, .distributions = {"uniform"}, .samples = {100'000'000}}};
  for (const GpuGenerator generator : {GpuGenerator::xorwow, GpuGenerator::mtgp32}) {
    const std::string name = "baseline_" + std::string(to_string(generator));
    what.series.push_back(
        {name + "_no_output", name, [=](const Axes& axes) {
           for (const unsigned blocks : {33U, 66U, 100U, 132U, 165U, 198U, 264U, 528U, 1056U}) {
             for (const unsigned threads : {64U, 128U, 192U, 256U, 512U, 1024U}) {
               const bool is_possible = generator != GpuGenerator::mtgp32 ||
                                        (blocks <= random::Mtgp32States::max_blocks &&
                                         threads <= random::Mtgp32States::max_threads);
               if (!is_possible) continue;
               const GpuDraw draw{
                   .name = name,
                   .sampler = "baseline",
                   .options = {.generator = generator,
                               .seeding = generator == GpuGenerator::xorwow ? Seeding::pkpt_sha1
                                                                            : Seeding::subsequence,
                               .blocks = blocks,
                               .block_threads = threads},
                   .output = false};
               for (const std::string& distribution : axes.distributions) {
                 for (const std::uint64_t n : axes.sizes) {
                   for (const std::uint64_t samples : axes.samples) {
                     add_gpu_draw(draw, distribution, n, samples,
                                  std::to_string(blocks) + "x" + std::to_string(threads));
                   }
                 }
               }
             }
           }
         }});
  }
  return what;
}

}  // namespace wrsgpu::experiments
