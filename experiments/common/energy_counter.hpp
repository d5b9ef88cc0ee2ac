// Energy counters of the hardware (thesis 5.4).
#pragma once

#include <memory>
#include <string>

namespace wrsgpu::experiments {

/// A counter that grows with the energy used.
class EnergyCounter {
 public:
  EnergyCounter() = default;
  EnergyCounter(const EnergyCounter&) = delete;
  EnergyCounter& operator=(const EnergyCounter&) = delete;
  virtual ~EnergyCounter() = default;
  /// Joules since some fixed time.
  [[nodiscard]] virtual double joules() = 0;
};

/// The counter of the first GPU, by the driver's management library, or nullptr and the reason.
[[nodiscard]] std::unique_ptr<EnergyCounter> gpu_energy_counter(std::string& why_none);
/// The counter of all processor packages (RAPL, by Linux), or nullptr and the reason.
[[nodiscard]] std::unique_ptr<EnergyCounter> cpu_energy_counter(std::string& why_none);

}  // namespace wrsgpu::experiments
