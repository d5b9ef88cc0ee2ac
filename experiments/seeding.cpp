// How generators are started (thesis 4.7.2): by cuRAND's subsequences or by a hash for each thread
// and call (pK-pT). Names:
// sample/<sampler>_<generator>_<seeding>_no_output/<distribution>/<N>/<samples>.
#include "experiments/common/gpu_draws.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{.name = "seeding",
                  .summary = "subsequences against pK-pT",
                  .needs_gpu = true,
                  .defaults = {.sizes = {1'000'000},
                               .distributions = {"uniform"},
                               .samples = {10'000'000, 1'000'000'000}}};
  for (const char* sampler : {"baseline", "cached_limited", "shared_memory"}) {
    for (const GpuGenerator generator : {GpuGenerator::xorwow, GpuGenerator::mrg32k3a}) {
      for (const Seeding seeding : {Seeding::subsequence, Seeding::pkpt_md5, Seeding::pkpt_sha1}) {
        what.series.push_back(gpu_draw_series(
            {.name = std::string(sampler) + "_" + std::string(to_string(generator)) + "_" +
                     std::string(to_string(seeding)),
             .sampler = sampler,
             .options = {.generator = generator, .seeding = seeding},
             .output = false}));
      }
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
