// Weights on the GPU, and verification of tables built from them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "construction/sampling_algorithm.hpp"
#include "registry/verify.hpp"
#include "verification/reconstruction.hpp"
#include "wrsgpu/weights_view.hpp"

namespace wrsgpu::experiments {

struct DeviceWorkload {
  std::shared_ptr<const void> memory;  // keeps what `view` is of
  WeightsView view;

  [[nodiscard]] std::uint64_t weight_bytes() const;
  /// Compares a built structure with a copy of the weights on the host.
  [[nodiscard]] verification::TableReport verify(const SamplingAlgorithm& built) const;
};

/// `n` weights of the distribution `name`, of either type.
[[nodiscard]] DeviceWorkload device_workload(WeightsView::Type type, const std::string& name,
                                             std::uint64_t n);

}  // namespace wrsgpu::experiments
