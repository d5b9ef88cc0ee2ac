// Permutations without storage: every place is computed on demand.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/shuffle/product_feistel.hpp"

namespace wrsgpu::shuffle {

/// A bijection of [0, size) derived from one of a larger range by cycle walking: an image outside
/// is mapped again until it is inside, which terminates because a cycle that starts inside returns
/// there. That takes bijection.size() / size evaluations on average. If all permutations of the
/// larger range are equally likely, so are all of [0, size).
///
/// Trivially copyable: constructed on the host and passed to kernels by value; both compute the
/// same values.
template <class Bijection>
class CycleWalk {
 public:
  class Iterator;

  /// `size` is in [1, bijection.size()].
  WRSGPU_HD CycleWalk(std::uint64_t size, const Bijection& bijection)
      : size_(size), bijection_(bijection) {}

  [[nodiscard]] WRSGPU_HD std::uint64_t size() const { return size_; }
  [[nodiscard]] WRSGPU_HD const Bijection& bijection() const { return bijection_; }

  /// The value at place `index` < size().
  [[nodiscard]] WRSGPU_HD std::uint64_t operator()(std::uint64_t index) const {
    do {
      index = bijection_(index);
    } while (index >= size_);
    return index;
  }
  [[nodiscard]] WRSGPU_HD std::uint64_t operator[](std::uint64_t index) const {
    return (*this)(index);
  }
  /// The place of `value` < size().
  [[nodiscard]] WRSGPU_HD std::uint64_t inverse(std::uint64_t value) const {
    do {
      value = bijection_.inverse(value);
    } while (value >= size_);
    return value;
  }

  /// Random-access iterator over the values in order of their places. On the host, the permutation
  /// must outlive its iterators; in a kernel, they refer to the kernel's own copy.
  [[nodiscard]] WRSGPU_HD Iterator begin() const { return {this, 0}; }
  [[nodiscard]] WRSGPU_HD Iterator end() const {
    return {this, static_cast<std::ptrdiff_t>(size_)};
  }

 private:
  std::uint64_t size_;
  Bijection bijection_;
};

template <class Bijection>
class CycleWalk<Bijection>::Iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::uint64_t;
  using difference_type = std::ptrdiff_t;
  using reference = std::uint64_t;
  using pointer = void;

  Iterator() = default;
  WRSGPU_HD Iterator(const CycleWalk* permutation, difference_type place)
      : permutation_(permutation), place_(place) {}

  [[nodiscard]] WRSGPU_HD reference operator*() const { return (*this)[0]; }
  [[nodiscard]] WRSGPU_HD reference operator[](difference_type steps) const {
    return (*permutation_)(static_cast<std::uint64_t>(place_ + steps));
  }
  WRSGPU_HD Iterator& operator+=(difference_type steps) {
    place_ += steps;
    return *this;
  }
  WRSGPU_HD Iterator& operator-=(difference_type steps) { return *this += -steps; }
  WRSGPU_HD Iterator& operator++() { return *this += 1; }
  WRSGPU_HD Iterator& operator--() { return *this += -1; }
  WRSGPU_HD Iterator operator++(int) {
    const Iterator before = *this;
    ++*this;
    return before;
  }
  WRSGPU_HD Iterator operator--(int) {
    const Iterator before = *this;
    --*this;
    return before;
  }
  [[nodiscard]] friend WRSGPU_HD Iterator operator+(Iterator from, difference_type steps) {
    return from += steps;
  }
  [[nodiscard]] friend WRSGPU_HD Iterator operator+(difference_type steps, Iterator from) {
    return from += steps;
  }
  [[nodiscard]] friend WRSGPU_HD Iterator operator-(Iterator from, difference_type steps) {
    return from -= steps;
  }
  [[nodiscard]] friend WRSGPU_HD difference_type operator-(const Iterator& a, const Iterator& b) {
    return a.place_ - b.place_;
  }
  [[nodiscard]] friend WRSGPU_HD bool operator==(const Iterator& a, const Iterator& b) {
    return a.place_ == b.place_;
  }
  [[nodiscard]] friend WRSGPU_HD auto operator<=>(const Iterator& a, const Iterator& b) {
    return a.place_ <=> b.place_;
  }

 private:
  const CycleWalk* permutation_ = nullptr;
  difference_type place_ = 0;
};

/// The permutation that this library shuffles with.
using LazyPermutation = CycleWalk<ProductFeistel<>>;

/// The permutation of [0, size) under `seed`; size is in [1, max_keys], which `require_size`
/// checks.
[[nodiscard]] inline WRSGPU_HD LazyPermutation lazy_permutation(std::uint64_t size,
                                                                std::uint64_t seed) {
  return {size, ProductFeistel<>(size, seed)};
}

/// Throws `Error` naming `what` unless `size` is in [1, max_keys].
void require_size(std::uint64_t size, const char* what);

}  // namespace wrsgpu::shuffle
