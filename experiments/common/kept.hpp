// Cache of values that are expensive to make and shared by consecutive benchmarks.
#pragma once

#include <optional>
#include <string>

namespace wrsgpu::experiments {

/// The last value made, and its key. Benchmarks are functions that Google Benchmark calls several
/// times; the values that they prepare must outlive a call, but not the benchmarks that use them.
template <class T>
class Kept {
 public:
  /// The value for `key`: the cached one, or the result of `make()` after the old value has been
  /// freed.
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
