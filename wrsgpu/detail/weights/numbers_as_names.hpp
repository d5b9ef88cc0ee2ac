// Column names that are numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wrsgpu/detail/weights/fields.hpp"

namespace wrsgpu::weights {

/// Detects a first row of column names that are numbers.
class NumbersAsNames {
 public:
  enum class Answer { no, yes, maybe };

  /// @param column that of the weights
  NumbersAsNames(const std::vector<Row>& rows, std::size_t column);

  [[nodiscard]] Answer answer() const;

  /// Whether the first row is what pandas writes for columns without names: an empty name for the
  /// index, which counts from 0, and 0, 1, 2, ...
  [[nodiscard]] bool are_default_names_of_an_index() const;

 private:
  /// The integers in the columns of the first row's numbers; empty if there are others.
  [[nodiscard]] std::vector<std::uint64_t> values_of(const Row& row) const;
  /// Whether another row has consecutive numbers, too, or years.
  [[nodiscard]] bool others_are_alike() const;
  /// 0, 1, 2, ... are the names that pandas gives to columns without names.
  [[nodiscard]] bool are_default_names_of_any() const;
  [[nodiscard]] bool are_default_names() const;
  [[nodiscard]] bool is_counted() const;
  /// A writer that prints 1.0 for 1 does not print 0 for 0.
  [[nodiscard]] bool others_have_decimals() const;

  const std::vector<Row>& rows_;
  std::size_t column_;
  std::size_t begin_ = 0;  // the columns of numbers in the first row
  std::size_t end_ = 0;
  std::vector<std::uint64_t> values_;
};

}  // namespace wrsgpu::weights
