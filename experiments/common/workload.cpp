#include "common/workload.hpp"

#include "common/kept.hpp"
#include "wrsgpu/core/host_buffer.hpp"
#include "wrsgpu/weights/generate.hpp"

namespace wrsgpu::experiments {

std::span<const double> workload(const std::string& name, std::uint64_t n) {
  static Kept<HostBuffer<double>> weights;
  return weights
      .get(name + "/" + std::to_string(n),
           [&] { return wrsgpu::weights::generate<double>(name, n, weights_seed); })
      .span();
}

}  // namespace wrsgpu::experiments
