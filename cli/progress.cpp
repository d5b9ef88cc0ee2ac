#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace wrsgpu::cli {
namespace {

/// Formats a duration, for example "3:05" or "12 s".
std::string duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::min(seconds, 1e15) + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string short_count(double count) {
  constexpr std::array<const char*, 5> units{"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  while (count >= 1000 && unit + 1 < units.size()) {
    count /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", count, units[unit]);
}

Progress::Progress(std::string what, std::uint64_t total, bool quiet)
    : what_(std::move(what)),
      total_(total),
      is_shown_(!quiet && isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      next_(start_ + std::chrono::milliseconds(500)) {}

Progress::~Progress() {
  if (is_drawn_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::update(std::uint64_t done) {
  if (!is_shown_ || done == 0 || Clock::now() < next_) return;
  next_ = Clock::now() + std::chrono::milliseconds(100);
  is_drawn_ = true;
  constexpr std::size_t width = 30;
  const double fraction = static_cast<double>(done) / static_cast<double>(total_);
  const double seconds = seconds_since(start_);
  const std::string bar(static_cast<std::size_t>(fraction * width), '#');
  fmt::print(stderr, "\r{} [{:-<{}}] {:3.0f}%, {}/s, {} left \x1b[K", what_, bar, width,
             100 * fraction, short_count(static_cast<double>(done) / seconds),
             duration(seconds / fraction - seconds));
  std::fflush(stderr);
}

void Reporting::add_to(CLI::App& command) {
  command.add_flag("--quiet", quiet_, "Neither progress nor what was written on stderr");
  command.add_flag("--timings", timings_, "How long the parts of the work took, on stderr");
}

void Reporting::add(std::string_view name, double seconds) {
  const auto part = std::find_if(parts_.begin(), parts_.end(),
                                 [&](const auto& each) { return each.first == name; });
  if (part == parts_.end()) {
    parts_.emplace_back(name, seconds);
  } else {
    part->second += seconds;
  }
}

void Reporting::say(const std::string& line) const {
  if (!quiet_) fmt::print(stderr, "wrsgpu: {}\n", line);
}

void Reporting::print_timings() const {
  if (!timings_) return;
  double rest = seconds_since(start_);
  const double all = rest;
  for (const auto& [name, seconds] : parts_) {
    fmt::print(stderr, "{:<32}{:8.3f} s\n", name, seconds);
    rest -= seconds;
  }
  fmt::print(stderr, "{:<32}{:8.3f} s\n{:<32}{:8.3f} s\n", "other", rest, "all", all);
}

}  // namespace wrsgpu::cli
