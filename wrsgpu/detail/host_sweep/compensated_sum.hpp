// Sums whose rounding does not grow with the number of terms.
#pragma once

#include <type_traits>

namespace wrsgpu {

/// A running sum of masses. Sums of integers are exact; sums of doubles carry their rounding errors
/// (Knuth, The Art of Computer Programming 2, 4.2.2), so that `value` is almost always the exact
/// sum, rounded once. A plain sum of n equal masses is off by up to n^2 / 2 roundings of one of
/// them.
template <class Mass>
class CompensatedSum {
 public:
  void add(Mass term) {
    const Mass sum = sum_ + term;
    if constexpr (std::is_floating_point_v<Mass>) {
      const Mass part = sum - sum_;
      error_ += (sum_ - (sum - part)) + (term - part);
    }
    sum_ = sum;
  }
  void add(const CompensatedSum& other) {
    add(other.sum_);
    error_ += other.error_;
  }
  [[nodiscard]] Mass value() const { return sum_ + error_; }

 private:
  Mass sum_{0};
  Mass error_{0};
};

}  // namespace wrsgpu
