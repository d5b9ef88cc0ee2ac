// Array of structs against struct of arrays (thesis 5.2.7).
// Names: construct/<method>[_arrays]/<distribution>/<N>.
#include "experiments/common/gpu_builds.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{.name = "struct_of_arrays",
                  .summary = "layouts of the table",
                  .needs_gpu = true,
                  .defaults = {.sizes = {10'000'000, 100'000'000},
                               .distributions = {"uniform", "powerlaw_1_shuffled"}}};
  for (const char* pack : {"baseline", "shared_memory", "chunked"}) {
    for (const bool psa_plus : {false, true}) {
      GpuBuild build = gpu_build({.pack = pack, .psa_plus = psa_plus});
      what.series.push_back(gpu_build_series(build));
      build.name += "_arrays";
      build.table.layout = Layout::struct_of_arrays;
      what.series.push_back(gpu_build_series(build));
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
