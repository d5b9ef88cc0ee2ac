// A progress bar for work that takes long.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace wrsgpu::cli {

/// Draws a bar on stderr when that is a terminal and the work has taken longer than half a second;
/// the destructor wipes it away again.
class Progress {
 public:
  Progress(std::string what, std::uint64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Says that `done` of the total is done.
  void update(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  std::uint64_t total_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point next_;
};

}  // namespace wrsgpu::cli
