#include "experiments/common/annealing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "wrsgpu/detail/random/uniform.hpp"

namespace wrsgpu::experiments {

Annealing::Annealing(std::vector<int> sizes, Point start, int steps,
                     std::function<bool(const Point&)> is_allowed)
    : sizes_(std::move(sizes)),
      steps_(steps),
      is_allowed_(std::move(is_allowed)),
      current_(start),
      best_(std::move(start)),
      best_seconds_(std::numeric_limits<double>::infinity()) {}

void Annealing::report(double seconds) {
  if (seconds < best_seconds_) {
    best_ = current_;
    best_seconds_ = seconds;
  }
  tried_.insert(current_);
  move_on();
}

void Annealing::move_on() {
  if (static_cast<int>(tried_.size()) >= steps_) {
    is_finished_ = true;
    return;
  }
  // Near a corner of a small space, steps at random may all lead back.
  constexpr int attempts = 1000;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    current_ = neighbour();
    if (is_new(current_)) return;
  }
  current_.assign(sizes_.size(), 0);
  is_finished_ = !find_untried(current_, 0);
}

Annealing::Point Annealing::neighbour() {
  Point point = best_;
  const auto axis = static_cast<std::size_t>(random::uniform_double(generator_) *
                                             static_cast<double>(sizes_.size()));
  const double temperature = 1 - static_cast<double>(tried_.size()) / static_cast<double>(steps_);
  const int reach = std::max(1, static_cast<int>(std::lround(sizes_[axis] * temperature / 2)));
  point[axis] +=
      static_cast<int>(std::lround((2 * random::uniform_double(generator_) - 1) * reach));
  return point;
}

bool Annealing::is_new(const Point& point) const {
  for (std::size_t axis = 0; axis < point.size(); ++axis) {
    if (point[axis] < 0 || point[axis] >= sizes_[axis]) return false;
  }
  return tried_.count(point) == 0 && is_allowed_(point);
}

/// The first one in lexicographic order, with the coordinates before `axis` as they are.
bool Annealing::find_untried(Point& point, std::size_t axis) const {
  if (axis == sizes_.size()) return is_new(point);
  for (point[axis] = 0; point[axis] < sizes_[axis]; ++point[axis]) {
    if (find_untried(point, axis + 1)) return true;
  }
  return false;
}

}  // namespace wrsgpu::experiments
