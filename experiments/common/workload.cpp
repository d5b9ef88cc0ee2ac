#include "experiments/common/workload.hpp"

#include "experiments/common/kept.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/generate_weights.hpp"

namespace wrsgpu::experiments {

std::span<const double> workload(const std::string& name, std::uint64_t n) {
  static Kept<HostBuffer<double>> weights;
  return weights
      .get(name + "/" + std::to_string(n),
           [&] { return wrsgpu::weights::generate<double>(name, n, weights_seed); })
      .span();
}

}  // namespace wrsgpu::experiments
