#include "wrsgpu/detail/weights/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include "wrsgpu/detail/weights/files.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// All of `text` as a number; nothing when it is none, `out_of_range` when double has none like it.
struct Number {
  double value = 0;
  bool out_of_range = false;
};
std::optional<Number> parse_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  Number number;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number.value);
  if (status == std::errc::invalid_argument || stop != end) return std::nullopt;
  number.out_of_range = status == std::errc::result_out_of_range;
  return number;
}

bool begins_like_a_number(std::string_view field) {
  return !field.empty() &&
         (std::string_view("0123456789+-.").find(field.front()) != std::string_view::npos ||
          parse_number(field).has_value());
}

/// Goes through the lines of a text and knows which field is meant.
class Rows {
 public:
  Rows(std::istream& stream, std::string_view name, const TextFormat& format)
      : stream_(stream), name_(name), format_(format) {
    const std::string& column = format.column;
    by_name_ = !column.empty() && !std::all_of(column.begin(), column.end(),
                                               [](char c) { return c >= '0' && c <= '9'; });
    if (column.empty() || by_name_) return;
    std::size_t number = 0;
    const auto [stop, status] =
        std::from_chars(column.data(), column.data() + column.size(), number);
    if (status != std::errc{} || number == 0) {
      throw Error("argument 'column' is " + in_quotes(column) + "; columns are counted from 1");
    }
    column_ = number - 1;
  }

  /// The chosen field of the next row; nothing at the end.
  [[nodiscard]] std::optional<std::string_view> next() {
    while (read_line()) {
      split();
      if (columns_ == 0) {
        if (choose_column()) continue;
      } else if (fields_.size() != columns_) {
        fail(std::to_string(fields_.size()) + " columns, but " + std::to_string(columns_) +
             " in the lines before: " + in_quotes(line_));
      }
      return fields_[column_];
    }
    if (stream_.bad())
      throw Error(name_ + ": reading failed after line " + std::to_string(number_));
    if (columns_ == 0 && by_name_) throw Error(name_ + ": no header line, the file is empty");
    return std::nullopt;
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(name_ + ", line " + std::to_string(number_) + ": " + reason);
  }

 private:
  /// Reads up to the next line that is neither blank nor a comment.
  bool read_line() {
    while (std::getline(stream_, line_)) {
      ++number_;
      // Of a line that ends in \r\n the \r is blank; elsewhere it would hide the rest of the text.
      if (const std::size_t at = line_.find('\r');
          at != std::string::npos && at + 1 < line_.size()) {
        fail(R"(a carriage return within the line: lines end in \n or \r\n)");
      }
      if (number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.erase(0, 3);  // a UTF-8 mark
      const std::string_view text = trimmed(line_);
      if (!text.empty() && text.front() != '#') return true;
    }
    return false;
  }

  void split() {
    fields_.clear();
    const std::string_view line = line_;
    for (std::size_t at = 0; at <= line.size();) {
      std::size_t end = line.find(format_.separator, at);
      const std::size_t first = line.find_first_not_of(" \t", at);
      if (first < std::min(end, line.size()) && line[first] == '"') {
        end = take_quoted(first + 1);
      } else {
        end = std::min(end, line.size());
        fields_.emplace_back(trimmed(line.substr(at, end - at)));
      }
      at = end + 1;
    }
  }

  /// Takes the field whose text begins at `at`, after its quote, and returns where it ends.
  std::size_t take_quoted(std::size_t at) {
    std::string field;
    for (;; ++at) {
      if (at >= line_.size()) fail("a quote is not closed: " + in_quotes(line_));
      if (line_[at] != '"') {
        field += line_[at];
      } else if (at + 1 < line_.size() && line_[at + 1] == '"') {
        field += line_[++at];
      } else {
        break;
      }
    }
    const std::size_t end = std::min(line_.find(format_.separator, at), line_.size());
    if (!trimmed(std::string_view(line_).substr(at + 1, end - at - 1)).empty()) {
      fail("text after a closing quote: " + in_quotes(line_));
    }
    fields_.push_back(std::move(field));
    return end;
  }

  /// Looks at the first row, and says whether it is a header.
  bool choose_column() {
    columns_ = fields_.size();
    if (by_name_) {
      const auto found = std::find(fields_.begin(), fields_.end(), format_.column);
      if (found == fields_.end()) {
        fail("no column " + in_quotes(format_.column) + " in the header " + in_quotes(line_));
      }
      if (std::find(found + 1, fields_.end(), format_.column) != fields_.end()) {
        fail("two columns " + in_quotes(format_.column) + " in the header " + in_quotes(line_));
      }
      column_ = static_cast<std::size_t>(found - fields_.begin());
      return true;
    }
    if (format_.column.empty()) column_ = columns_ - 1;
    if (column_ >= columns_) {
      fail("column " + format_.column + " of " + std::to_string(columns_) + ": " +
           in_quotes(line_));
    }
    // A weight that is missing is a mistake, not a title.
    return columns_ > 1 && !fields_[column_].empty() &&
           std::none_of(fields_.begin(), fields_.end(), begins_like_a_number);
  }

  std::istream& stream_;
  std::string name_;
  TextFormat format_;
  bool by_name_ = false;
  std::size_t column_ = 0;
  std::size_t columns_ = 0;  // 0 before the first row
  std::string line_;
  std::uint64_t number_ = 0;
  std::vector<std::string> fields_;
};

}  // namespace

OwnedWeights read_text(std::istream& stream, std::string_view name, const TextFormat& format) {
  Rows rows(stream, name, format);
  std::vector<double> weights;
  const auto keep = [&](double weight) {
    try {
      weights.push_back(weight);
    } catch (const std::bad_alloc&) {
      throw OutOfMemory(std::string(name) + ": out of memory after " +
                        std::to_string(weights.size()) + " weights");
    }
  };
  while (const std::optional<std::string_view> field = rows.next()) {
    const std::optional<Number> number = parse_number(*field);
    if (!number) rows.fail(in_quotes(*field) + " is not a number");
    if (number->out_of_range) rows.fail(in_quotes(*field) + " is outside the range of double");
    if (weights.size() == max_items) {
      rows.fail("more than the " + std::to_string(max_items) + " items that an index can name");
    }
    keep(number->value);
  }
  if (weights.empty()) throw Error(std::string(name) + ": holds no weights");
  HostBuffer<double> buffer(weights.size());
  std::copy(weights.begin(), weights.end(), buffer.data());
  return OwnedWeights(std::move(buffer));
}

OwnedWeights read_text(const std::filesystem::path& path, const TextFormat& format) {
  std::ifstream stream = open_file(path);
  return read_text(stream, path.string(), format);
}

std::vector<std::string> read_labels(std::istream& stream, std::string_view name,
                                     const TextFormat& format) {
  Rows rows(stream, name, format);
  std::vector<std::string> labels;
  while (const std::optional<std::string_view> field = rows.next()) labels.emplace_back(*field);
  return labels;
}

std::vector<std::string> read_labels(const std::filesystem::path& path, const TextFormat& format) {
  std::ifstream stream = open_file(path);
  return read_labels(stream, path.string(), format);
}

}  // namespace wrsgpu::weights
