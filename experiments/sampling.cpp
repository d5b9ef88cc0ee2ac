// Drawing on the GPU (thesis Table 5.3, report Table 3), with samples written, without
// output, and as the thesis measures it. Names:
// sample/<sampler>[_<generator>[_<seeding>]][_compact][_no_output]/<distribution>/<N>/<samples>.
#include "experiments/common/gpu_draws.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{.name = "sampling",
                  .summary = "drawing from tables on the GPU",
                  .needs_gpu = true,
                  .defaults = {.sizes = {1'000'000, 10'000'000, 100'000'000, 1'000'000'000},
                               .distributions = {"powerlaw_1_shuffled"},
                               .samples = {1'000'000'000}}};
  const TableOptions compact{Arithmetic::fixed_point, Layout::compact_rows, 0};
  const GpuSamplerOptions xorwow{.generator = GpuGenerator::xorwow, .seeding = Seeding::pkpt_sha1};
  const std::vector<GpuDraw> draws{
      {.name = "baseline", .sampler = "baseline"},
      {.name = "baseline_xorwow", .sampler = "baseline", .options = xorwow},
      {.name = "cached", .sampler = "cached"},
      {.name = "cached_limited", .sampler = "cached_limited"},
      {.name = "cached_limited_xorwow", .sampler = "cached_limited", .options = xorwow},
      {.name = "shared_memory", .sampler = "shared_memory"},
      {.name = "shared_memory_xorwow", .sampler = "shared_memory", .options = xorwow},
      {.name = "baseline_compact", .sampler = "baseline", .table = compact},
      {.name = "shared_memory_compact", .sampler = "shared_memory", .table = compact},
  };
  for (const GpuDraw& draw : draws) {
    for (const GpuDraw& each : with_and_without_output(draw)) {
      what.series.push_back(gpu_draw_series(each));
    }
  }
  for (const char* sampler : {"baseline", "cached_limited", "shared_memory"}) {
    what.series.push_back(gpu_draw_series(thesis_draw(sampler)));
  }
  return what;
}

}  // namespace wrsgpu::experiments
