// The search of the parameter optimiser (thesis 4.8.4).
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "wrsgpu/detail/random/philox_engine.hpp"

namespace wrsgpu::experiments {

/// Simulated annealing over points with integer coordinates: each step changes one coordinate of
/// the best point so far at random, by less and less; a worse point is left behind at once, as in
/// the thesis. No point is tried twice.
class Annealing {
 public:
  using Point = std::vector<int>;

  /// Coordinate i is in [0, sizes[i]); points for which `is_allowed` is false are not tried, except
  /// `start`.
  Annealing(std::vector<int> sizes, Point start, int steps,
            std::function<bool(const Point&)> is_allowed);

  /// Whether there is another point to try: `steps` have not been tried, and not all either.
  [[nodiscard]] bool is_finished() const { return is_finished_; }
  /// The point to try. Not to be called when finished.
  [[nodiscard]] const Point& current() const { return current_; }
  /// Sets how long `current` takes and moves on.
  void report(double seconds);
  /// The point with the least time; the start before any is reported.
  [[nodiscard]] const Point& best() const { return best_; }

 private:
  [[nodiscard]] Point neighbour();
  [[nodiscard]] bool is_new(const Point& point) const;
  void move_on();
  [[nodiscard]] bool find_untried(Point& point, std::size_t axis) const;

  std::vector<int> sizes_;
  int steps_;
  std::function<bool(const Point&)> is_allowed_;
  random::PhiloxEngine<> generator_{RandomState{2020, 0}};
  Point current_;
  Point best_;
  double best_seconds_;
  std::set<Point> tried_;
  bool is_finished_ = false;
};

}  // namespace wrsgpu::experiments
