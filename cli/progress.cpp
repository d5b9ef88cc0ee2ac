#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace wrsgpu::cli {

Progress::Progress(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) == 1),
      next_(Clock::now() + std::chrono::milliseconds(500)) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::update(std::uint64_t done) {
  if (!terminal_ || Clock::now() < next_) return;
  next_ = Clock::now() + std::chrono::milliseconds(100);
  drawn_ = true;
  constexpr std::size_t width = 40;
  const double fraction = static_cast<double>(done) / static_cast<double>(total_);
  const std::string bar(static_cast<std::size_t>(fraction * width), '#');
  fmt::print(stderr, "\r{} [{:-<{}}] {:3.0f}%", what_, bar, width, 100 * fraction);
  std::fflush(stderr);
}

}  // namespace wrsgpu::cli
