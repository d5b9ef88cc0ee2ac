// Values that are expensive to make and shared by benchmarks that follow each other.
#pragma once

#include <optional>
#include <string>

namespace wrsgpu::experiments {

/// The last value made, and the key it was made for. Benchmarks are functions that Google Benchmark
/// calls several times; what they prepare must outlive a call, but not the benchmarks that use it.
template <class T>
class Kept {
 public:
  /// The value for `key`: the one kept, or `make()` after the other one has been given back.
  template <class Make>
  T& get(const std::string& key, Make&& make) {
    if (!value_ || key_ != key) {
      value_.reset();
      value_.emplace(make());
      key_ = key;
    }
    return *value_;
  }

 private:
  std::optional<T> value_;
  std::string key_;
};

}  // namespace wrsgpu::experiments
