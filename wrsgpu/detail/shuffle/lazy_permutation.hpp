// Permutations without storage: each place is computed on demand.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/shuffle/product_feistel.hpp"

namespace wrsgpu::shuffle {

/// A bijection of [0, size) made of one that has more numbers, by cycle walking: an image outside
/// is mapped again until it lies inside, which happens because a cycle that begins inside ends
/// there. That takes bijection.size() / size evaluations on average. If all permutations of the
/// larger set are equally likely, so are all of [0, size).
///
/// A trivially copyable value: made on the host, it is passed to kernels by value, and both compute
/// the same.
template <class Bijection>
class CycleWalk {
 public:
  class Iterator;

  /// size <= bijection.size(), at least 1.
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

  /// Random access to the places in order. The permutation must outlive its iterators on the host;
  /// in a kernel they are taken from the kernel's own copy.
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

/// That of [0, size) under `seed`; size in [1, max_keys], which `require_size` checks.
[[nodiscard]] inline WRSGPU_HD LazyPermutation lazy_permutation(std::uint64_t size,
                                                                std::uint64_t seed) {
  return {size, ProductFeistel<>(size, seed)};
}

/// Throws `Error` naming `what` unless `size` is in [1, max_keys].
void require_size(std::uint64_t size, const char* what);

}  // namespace wrsgpu::shuffle
