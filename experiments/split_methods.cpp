// The split methods (thesis Figure 5.1): time of the split step alone, by the number of splits.
// Names: split/<method>/<distribution>/<N>/<splits>. Sections are of equal size, so that the number
// of splits can be a little smaller. Then the whole construction that the thesis compares both
// competitive ones by: construct/<method>_shared_memory_masses/<distribution>/<N>.
#include "experiments/common/gpu_builds.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{
      .name = "split_methods",
      .summary = "split methods on the GPU",
      .needs_gpu = true,
      .defaults = {.sizes = {10'000'000},
                   .distributions = {"uniform", "powerlaw_0.5_shuffled", "powerlaw_1_shuffled"}}};
  std::vector<std::uint64_t> split_counts;
  for (std::uint64_t splits = 1024; splits <= 10'240; splits += 1024)
    split_counts.push_back(splits);
  for (const std::uint64_t splits : {20'480U, 40'960U, 81'920U, 163'840U, 327'680U, 655'360U}) {
    split_counts.push_back(splits);
  }
  for (const split::SplitMethod& method : split::methods()) {
    const bool is_for_few = method.is_for_few_sections();
    Series series{method.name, method.name, [=, name = method.name](const Axes& axes) {
                    for (const std::string& distribution : axes.distributions) {
                      for (const std::uint64_t n : axes.sizes) {
                        for (const std::uint64_t splits : split_counts) {
                          if (is_for_few && splits > 1024) break;
                          const auto section_items = static_cast<Index>((n + splits - 1) / splits);
                          const GpuBuild build{.name = name,
                                               .method = {.split = name,
                                                          .pack = "baseline",
                                                          .elements = pack::ElementKind::index,
                                                          .section_items = section_items},
                                               .step = "split"};
                          add_gpu_build(build, "split", distribution, n, std::to_string(splits));
                        }
                      }
                    }
                  }};
    // Thresholds of the search, which the thesis tells of in words.
    if (method.name.find("_p_over_") != std::string::npos) {
      series.defaults.distributions = {"uniform"};
    }
    what.series.push_back(series);
  }
  for (const char* split : {"baseline", "partial_p_ary"}) {
    what.series.push_back(gpu_build_series(gpu_build({.split = split})));
  }
  return what;
}

}  // namespace wrsgpu::experiments
