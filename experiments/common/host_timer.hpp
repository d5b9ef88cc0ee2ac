// Time on the host.
#pragma once

#include <chrono>

namespace wrsgpu::experiments {

/// Seconds since it was made.
class HostTimer {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace wrsgpu::experiments
