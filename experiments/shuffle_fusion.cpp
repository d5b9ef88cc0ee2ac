// The bijective shuffle in three passes, in two and in one, beside the random gather (shuffling
// paper, Figure 11). Names: shuffle/<method>/<n>.
#include "experiments/common/gpu_shuffles.hpp"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{.name = "shuffle_fusion",
                  .summary = "the bijective shuffle in three passes, in two and in one",
                  .needs_gpu = true,
                  .defaults = {.sizes = shuffle_sizes()}};
  for (const char* method :
       {"gather", "bijective0_varphilox", "bijective1_varphilox", "bijective2_varphilox"}) {
    what.series.push_back(gpu_shuffle_series(method));
  }
  return what;
}

}  // namespace wrsgpu::experiments
