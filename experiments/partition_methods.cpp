// The partitions into light and heavy items (thesis 4.3 and 4.6): time of that step alone.
// Names: partition/<method>[_masses]/<distribution>/<N>.
#include "experiments/common/gpu_builds.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  using pack::ElementKind;
  Experiment what{.name = "partition_methods",
                  .summary = "partitions into light and heavy items",
                  .needs_gpu = true,
                  .defaults = {.sizes = {1'000'000, 10'000'000, 100'000'000},
                               .distributions = {"uniform", "powerlaw_1_shuffled"}}};
  for (const partition::PartitionMethod& method : partition::methods()) {
    for (const ElementKind elements : {ElementKind::index, ElementKind::index_and_mass}) {
      GpuBuild build{.name = method.name,
                     .method = {.pack = "baseline", .elements = elements, .partition = method.name},
                     .step = "partition"};
      if (elements == ElementKind::index_and_mass) build.name += "_masses";
      what.series.push_back({build.name, method.name, [build](const Axes& axes) {
                               for (const std::string& distribution : axes.distributions) {
                                 for (const std::uint64_t n : axes.sizes) {
                                   add_gpu_build(build, "partition", distribution, n);
                                 }
                               }
                             }});
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
