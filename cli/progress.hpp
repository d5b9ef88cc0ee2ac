// Reports on stderr: progress, and the time of each phase.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wrsgpu::cli {

using Clock = std::chrono::steady_clock;

[[nodiscard]] double seconds_since(Clock::time_point start);

/// Formats a large count, for example "1.50 G".
[[nodiscard]] std::string short_count(double count);

/// A progress bar with rate and remaining time on stderr, shown if that is a terminal and the work
/// has taken more than half a second. The destructor erases it.
class Progress {
 public:
  Progress(std::string what, std::uint64_t total, bool quiet);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Reports that `done` of the total is complete.
  void update(std::uint64_t done);

 private:
  std::string what_;
  std::uint64_t total_;
  bool is_shown_;
  bool is_drawn_ = false;
  Clock::time_point start_;
  Clock::time_point next_;
};

/// Options --quiet and --timings, and the messages that they control.
class Reporting {
 public:
  void add_to(CLI::App& command);

  [[nodiscard]] bool quiet() const { return quiet_; }

  /// Runs `part` and adds its time to the phase `name`.
  template <class Part>
  decltype(auto) time(std::string_view name, Part&& part) {
    const Timer timer(*this, name);
    return std::forward<Part>(part)();
  }

  /// Prints a line unless --quiet was given.
  void say(const std::string& line) const;
  /// Prints the time of each phase if --timings was given.
  void print_timings() const;

 private:
  class Timer {
   public:
    Timer(Reporting& reporting, std::string_view name)
        : reporting_(&reporting), name_(name), start_(Clock::now()) {}
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() { reporting_->add(name_, seconds_since(start_)); }

   private:
    Reporting* reporting_;
    std::string_view name_;
    Clock::time_point start_;
  };

  void add(std::string_view name, double seconds);

  bool quiet_ = false;
  bool timings_ = false;
  Clock::time_point start_ = Clock::now();
  std::vector<std::pair<std::string, double>> parts_;
};

}  // namespace wrsgpu::cli
