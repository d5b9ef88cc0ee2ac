#include "wrsgpu/detail/weights/numbers_as_names.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

namespace wrsgpu::weights {
namespace {

bool is_ascending(const std::vector<std::uint64_t>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

bool is_consecutive(const std::vector<std::uint64_t>& values) {
  return !values.empty() && is_ascending(values) &&
         values.back() - values.front() == values.size() - 1;
}

bool are_years(const std::vector<std::uint64_t>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](std::uint64_t value) { return value >= 1900 && value <= 2100; });
}

/// Whether the first fields of the rows from `first` on are k, k + 1, k + 2, ...; returns k.
std::optional<std::uint64_t> counted_from(const std::vector<Row>& rows, std::size_t first) {
  std::vector<std::uint64_t> values;
  for (std::size_t k = first; k < rows.size(); ++k) {
    const std::optional<std::uint64_t> here = unsigned_integer(rows[k].fields.front());
    if (!here) return std::nullopt;
    values.push_back(*here);
  }
  return is_consecutive(values) ? std::optional(values.front()) : std::nullopt;
}

}  // namespace

NumbersAsNames::NumbersAsNames(const std::vector<Row>& rows, std::size_t column)
    : rows_(rows), column_(column) {
  const std::vector<std::string>& first = rows.front().fields;
  const auto begin = std::find_if(first.begin(), first.end(), begins_like_a_number);
  const auto end = std::find_if_not(begin, first.end(), begins_like_a_number);
  begin_ = static_cast<std::size_t>(begin - first.begin());
  end_ = static_cast<std::size_t>(end - first.begin());
  if (std::none_of(end, first.end(), begins_like_a_number)) values_ = values_of(rows.front());
}

NumbersAsNames::Answer NumbersAsNames::answer() const {
  if (values_.empty() || rows_.size() < 2 || column_ < begin_ || column_ >= end_) {
    return Answer::no;
  }
  if (values_.size() >= 2 && (begin_ > 0 || are_years(values_))) {
    const bool may_be_item = others_are_alike();
    if (is_consecutive(values_)) {
      if (begin_ == 0) return may_be_item ? Answer::no : Answer::maybe;
      return are_years(values_) && !may_be_item ? Answer::yes : Answer::maybe;
    }
    if (begin_ > 0 && are_years(values_) && is_ascending(values_) && !may_be_item) {
      return Answer::maybe;
    }
  }
  return are_default_names() && !is_counted() ? Answer::maybe : Answer::no;
}

bool NumbersAsNames::are_default_names_of_an_index() const {
  return begin_ == 1 && end_ == rows_.front().fields.size() && are_default_names_of_any() &&
         counted_from(rows_, 1) == 0;
}

std::vector<std::uint64_t> NumbersAsNames::values_of(const Row& row) const {
  std::vector<std::uint64_t> values;
  for (std::size_t k = begin_; k < end_; ++k) {
    const std::optional<std::uint64_t> value = unsigned_integer(row.fields[k]);
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

bool NumbersAsNames::others_are_alike() const {
  return std::any_of(rows_.begin() + 1, rows_.end(), [this](const Row& row) {
    const std::vector<std::uint64_t> values = values_of(row);
    return !values.empty() && (is_consecutive(values) || (are_years(values_) && are_years(values)));
  });
}

bool NumbersAsNames::are_default_names_of_any() const {
  return !values_.empty() && values_.front() == 0 && is_consecutive(values_);
}

bool NumbersAsNames::are_default_names() const {
  return are_default_names_of_any() && (values_.size() > 1 || others_have_decimals());
}

bool NumbersAsNames::is_counted() const {
  return values_.size() > 1 && begin_ == 0 && counted_from(rows_, 0).has_value();
}

bool NumbersAsNames::others_have_decimals() const {
  return rows_.size() > 2 && std::all_of(rows_.begin() + 1, rows_.end(), [&](const Row& row) {
           return row.fields[column_].find_first_of(".,eE") != std::string::npos;
         });
}

}  // namespace wrsgpu::weights
