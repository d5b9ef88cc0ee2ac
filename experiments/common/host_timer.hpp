// Time on the host.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>

namespace wrsgpu::experiments {

/// Seconds since construction.
class HostTimer {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Calls `work` in each iteration and sets how long it took as the iteration's time. Returns the
/// mean in seconds.
template <class Work>
double time_on_host(benchmark::State& state, const Work& work) {
  double seconds = 0;
  for (auto _ : state) {
    const HostTimer timer;
    work();
    const double elapsed = timer.seconds();
    state.SetIterationTime(elapsed);
    seconds += elapsed;
  }
  return seconds / static_cast<double>(state.iterations());
}

}  // namespace wrsgpu::experiments
