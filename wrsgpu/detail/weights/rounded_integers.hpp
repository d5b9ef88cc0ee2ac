// Integers in a file of weights that a double does not represent exactly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wrsgpu/error.hpp"

namespace wrsgpu::weights {

/// Collects the integers that were rounded while a file was read.
class RoundedIntegers {
 public:
  /// @param place the number of its line or item
  /// @param value as it is shown
  void note(std::uint64_t place, const std::string& value) {
    if (count_ == 0 || place < first_place_) {
      first_place_ = place;
      first_value_ = value;
    }
    ++count_;
  }

  /// The warnings about them, for the user who allowed rounding.
  /// @param where the name of the file and what a place counts, such as "w.csv, line"
  /// @throws Error if there are any and `may_round` is false
  [[nodiscard]] std::vector<std::string> report(std::string_view where, bool may_round) const {
    if (count_ == 0) return {};
    std::string text(where);
    text += " " + std::to_string(first_place_) + ": " + first_value_;
    if (count_ > 1) text += " and " + std::to_string(count_ - 1) + " more";
    text += count_ > 1 ? " are" : " is";
    text += " not exactly representable as a double; ";
    if (!may_round) throw Error(text + "--round-integers rounds to the nearest");
    return {text + "rounded to the nearest"};
  }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t first_place_ = 0;
  std::string first_value_;
};

}  // namespace wrsgpu::weights
