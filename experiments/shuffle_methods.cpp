// Shuffles of 64-bit keys on the GPU (shuffling paper, Tables 1 and 2, Figures 12 and 13).
// Names: shuffle/<method>/<n>.
#include "experiments/common/gpu_shuffles.hpp"
#include "shuffle/gpu_shuffle.cuh"

namespace wrsgpu::experiments {

Experiment experiment() {
  Experiment what{.name = "shuffle_methods",
                  .summary = "shuffles of 64-bit keys",
                  .needs_gpu = true,
                  .defaults = {.sizes = shuffle_sizes()}};
  for (const shuffle::GpuShuffleMethod& method : shuffle::gpu_shuffle_methods()) {
    what.series.push_back(gpu_shuffle_series(method.name));
  }
  return what;
}

}  // namespace wrsgpu::experiments
