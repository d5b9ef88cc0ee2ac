// What items are called in the file that their weights come from.
#pragma once

#include <string>
#include <string_view>

#include "wrsgpu/types.hpp"
#include "wrsgpu/weight_file.hpp"

namespace wrsgpu::cli {

/// How items are written: as numbers, or with --labels or --lines as the file has them.
class ItemNames {
 public:
  ItemNames() = default;
  /// Takes the lines of the file, or its labels, whichever were read.
  explicit ItemNames(weights::WeightFile file);

  [[nodiscard]] bool are_numbers() const { return names_.empty(); }
  /// Whether an item is a line of CSV, to which a count can be added as another field.
  [[nodiscard]] bool are_lines() const { return are_lines_; }
  /// What a column of items is called in a header, or the file's own header; may be empty.
  [[nodiscard]] const std::string& header() const { return header_; }
  [[nodiscard]] std::string_view operator[](Index item) const { return names_[item]; }

 private:
  weights::Labels names_;
  std::string header_;
  bool are_lines_ = false;
};

}  // namespace wrsgpu::cli
