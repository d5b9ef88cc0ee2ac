// The fields of a line of text, and the numbers in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wrsgpu::weights {

/// The delimiter between the fields of a line.
struct Delimiter {
  enum class Kind {
    character,
    blanks,  // one or more blanks and tabs
    uniq,    // a count, one blank, and the rest of the line
    none,
  };
  Kind kind = Kind::none;
  char character = ',';

  bool operator==(const Delimiter&) const = default;
};

/// The delimiter that --delimiter names. Throws `Error` for one that cannot divide numbers.
[[nodiscard]] Delimiter parse_delimiter(std::string_view text);
/// Its name, as `parse_delimiter` takes it.
[[nodiscard]] std::string delimiter_name(const Delimiter& delimiter);

/// `text` without blanks, tabs and carriage returns around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The fields of one line.
class Fields {
 public:
  enum class Outcome { ok, open_quote, text_after_quote, no_count };

  /// Splits `line`. The fields are parts of it, or of this object if quotes were doubled, and valid
  /// until the next call. A field that begins with a quote ends at the next quote that is not
  /// doubled, across lines and delimiters; after `open_quote`, the caller must extend the line.
  [[nodiscard]] Outcome split(std::string_view line, const Delimiter& delimiter);

  [[nodiscard]] std::size_t size() const { return fields_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t k) const { return fields_[k]; }
  [[nodiscard]] const std::vector<std::string_view>& all() const { return fields_; }

 private:
  Outcome split_count(std::string_view line);
  Outcome split_at(std::string_view line, const Delimiter& delimiter);
  /// Takes the field that begins with the quote at `begin`, and returns the position of its last
  /// quote.
  std::size_t take_quoted(std::string_view line, std::size_t begin);

  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;  // a deque does not move its elements
};

/// A line of a text.
struct Line {
  std::uint64_t number = 0;  // counted from 1
  std::string_view text;
};

/// A line, and its fields.
struct Row {
  Line line;
  std::vector<std::string> fields;
};

struct Number {
  enum class Kind { number, rounded, none, out_of_range };
  Kind kind = Kind::none;  // rounded: an integer that double does not hold exactly
  double value = 0;

  [[nodiscard]] bool is_number() const { return kind == Kind::number || kind == Kind::rounded; }
};

/// Parses all of `text` as a number with a decimal point or, with `decimal_comma`, a decimal comma.
[[nodiscard]] Number parse_number(std::string_view text, bool decimal_comma = false);

/// The digits of `text`, whose thousands `mark` separates, as in 1,234,567; nothing if it has no
/// marks, or other characters, or marks elsewhere.
[[nodiscard]] std::optional<std::string> without_thousands(std::string_view text, char mark);

/// Parses `text` as a number whose thousands are separated by `mark`, a comma (1,234.5) or a point
/// (1.234,5); small numbers lack it. Sets `is_evident` if `text` is no number without such marks.
[[nodiscard]] Number parse_with_thousands(std::string_view text, char mark, bool& is_evident);

/// Whether `text` consists of digits alone.
[[nodiscard]] bool is_digits(std::string_view text);
/// The integer that `text` is, if it consists of digits alone and has 64 bits at most.
[[nodiscard]] std::optional<std::uint64_t> unsigned_integer(std::string_view text);
/// Whether `field` begins like a number, perhaps after a sign.
[[nodiscard]] bool begins_like_a_number(std::string_view field);
/// Whether `field` is a number after a currency, such as EUR 5 or US$5.
[[nodiscard]] bool is_amount(std::string_view field);

/// `text` from a file in quotes, suitable for a message of one line: truncated if long, without
/// control characters.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Whether `field` is empty or a text that programs write for a missing value, such as NA or #N/A.
[[nodiscard]] bool is_missing_value(std::string_view field);
/// Whether `line` begins with an error value of a spreadsheet, such as #N/A, followed by no letter
/// or digit.
[[nodiscard]] bool begins_with_spreadsheet_error(std::string_view line);
/// What the user can do about a missing weight.
inline constexpr std::string_view missing_weight_help =
    "; write 0 for an item that is never drawn, or remove the line";
/// The reason that `field` is no weight, for a message.
[[nodiscard]] std::string not_a_weight(std::string_view field);

}  // namespace wrsgpu::weights
