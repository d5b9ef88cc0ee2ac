// Names of the items in their weight file.
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
  /// True if items are lines of CSV, to which a count can be appended as another field.
  [[nodiscard]] bool are_lines() const { return are_lines_; }
  /// Header of the column of items, or the file's own header; may be empty.
  [[nodiscard]] const std::string& header() const { return header_; }
  [[nodiscard]] std::string_view operator[](Index item) const { return names_[item]; }

 private:
  weights::Labels names_;
  std::string header_;
  bool are_lines_ = false;
};

}  // namespace wrsgpu::cli
