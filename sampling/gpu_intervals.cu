#include "sampling/gpu_intervals.cuh"

#include "construction/device_masses.cuh"
#include "wrsgpu/detail/core/scan_in_place.cuh"

namespace wrsgpu {

void GpuIntervals::build(WeightsView weights) {
  masses_on_device(weights, [&] {
    if (ends_.size() != weights.size()) {
      ends_ = {};
      ends_ = DeviceBuffer<std::uint64_t>(weights.size());
    }
    return ends_.data();
  });
  scan_in_place(ends_.span());
}

std::vector<double> GpuIntervals::probabilities() const {
  std::vector<std::uint64_t> ends(ends_.size());
  copy_to_host(ends_.data(), std::span(ends));
  std::vector<double> p(ends.size());
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    p[i] = static_cast<double>(ends[i] - before) / static_cast<double>(ends.back());
    before = ends[i];
  }
  return p;
}

}  // namespace wrsgpu
