#include "wrsgpu/detail/weights/text.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "wrsgpu/detail/weights/fields.hpp"
#include "wrsgpu/detail/weights/reading.hpp"
#include "wrsgpu/detail/weights/rounded_integers.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {
namespace {

constexpr std::size_t sample_bytes = std::size_t{1} << 20;

/// Examines the first lines, at least one whole line, and consumes nothing.
Reading look_ahead(Input& input, const WeightFileOptions& options) {
  std::size_t wanted = sample_bytes;
  std::string_view sample = input.peek(wanted);
  while (sample.size() == wanted && sample.find('\n') == std::string_view::npos) {
    wanted *= 2;
    sample = input.peek(wanted);
  }
  return choose_reading(sample, sample.size() < wanted, input.lines() + 1, input.name(), options);
}

/// The first line that Excel writes to set the delimiter, such as "sep=;".
std::optional<char> stated_delimiter(std::string_view line) {
  line = trimmed(line);
  if (line.size() > 1 && line.front() == '"' && line.back() == '"') {
    line = line.substr(1, line.size() - 2);
  }
  if (!line.starts_with("sep=") || line.size() != 5) return std::nullopt;
  return line.back();
}

/// Consumes the preamble: a byte order mark and a "sep=" line.
void skip_preamble(Input& input, WeightFileOptions& options) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (input.peek(mark.size()) == mark) input.skip(mark.size());
  const std::string_view start = input.peek(10);
  const std::optional<char> stated = stated_delimiter(start.substr(0, start.find('\n')));
  if (!stated || !options.delimiter.empty()) return;
  options.delimiter = std::string(1, *stated);
  static_cast<void>(input.next_line());
}

/// A line without a final \r, for error messages.
std::string_view without_return(std::string_view line) {
  return line.substr(0, line.find_last_not_of('\r') + 1);
}

class TextReader {
 public:
  TextReader(Input& input, const WeightFileOptions& options, Reading reading)
      : input_(input), options_(options), reading_(std::move(reading)) {}

  [[nodiscard]] WeightFile read() {
    try {
      while (const std::optional<std::string_view> line = input_.next_line()) take(*line);
      if (weights_.empty()) throw Error(input_.name() + ": holds no weights");
      return result();
    } catch (const std::bad_alloc&) {
      throw OutOfMemory(input_.name() + ": out of memory after " + std::to_string(weights_.size()) +
                        " weights");
    }
  }

 private:
  void take(std::string_view line) {
    line_ = input_.lines();
    // The \r of a line that ends in \r\n is a blank; elsewhere it would hide the rest of the text
    // on a terminal.
    if (const std::size_t at = line.find('\r'); at < line.size() && at + 1 < line.size()) {
      fail(R"(a carriage return within the line: lines end in \n or \r\n)");
    }
    const std::string_view text = trimmed(line);
    if (text.empty()) {
      if (blank_line_ == 0) blank_line_ = line_;
      return;
    }
    if (line_ == reading_.header_line && text.front() == '#') header_ = trimmed(text.substr(1));
    if (is_comment(text, options_)) {
      ++comments_;
    } else if (may_be_comment(text, options_)) {
      take_hash(line);
    } else {
      split(line);
      take_row(line);
    }
  }

  void split(std::string_view& line) {
    Fields::Outcome outcome = fields_.split(line, reading_.delimiter);
    while (outcome == Fields::Outcome::open_quote) {
      const std::optional<std::string_view> longer = input_.extended_line();
      if (!longer) fail("a quote is not closed: " + in_quotes(line));
      line = *longer;
      outcome = fields_.split(line, reading_.delimiter);
    }
    if (outcome == Fields::Outcome::text_after_quote) {
      fail("text after a closing quote: " + in_quotes(line));
    }
    if (outcome == Fields::Outcome::no_count) {
      fail("no count at the beginning: " + in_quotes(line));
    }
  }

  /// A line that begins with # is an item when it could be one, were it not for the #.
  void take_hash(std::string_view line) {
    const bool is_row =
        fields_.split(line, reading_.delimiter) == Fields::Outcome::ok && fields_.size() > 1 &&
        fields_.size() == reading_.columns &&
        parse_number(fields_[reading_.column], reading_.decimal_comma).kind != Number::Kind::none;
    if (const std::string_view text = trimmed(line); begins_with_spreadsheet_error(text)) {
      fail(in_quotes(text) + " is a missing value" + std::string(missing_weight_help) +
           (is_row ? "; --comment none makes it an item, --comment '#' a comment" : ""));
    }
    std::uint64_t& first = is_row ? first_hash_item_ : first_hash_comment_;
    if (first == 0) first = line_;
    if (first_hash_item_ > 0 && first_hash_comment_ > 0) {
      throw Error(
          input_.name() + ": of the lines that begin with #, line " +
          std::to_string(first_hash_item_) + " can be an item, line " +
          std::to_string(first_hash_comment_) +
          " cannot: --comment '#' skips both; a longer beginning, such as --comment '# ', can "
          "tell them apart");
    }
    if (!is_row) {
      ++comments_;
    } else {
      ++hash_items_;
      take_row(line);
    }
  }

  void take_row(std::string_view line) {
    if (fields_.size() != reading_.columns) {
      fail(std::to_string(fields_.size()) + " columns, but " + std::to_string(reading_.columns) +
           " in the lines before: " + in_quotes(line));
    }
    check_blank_line();
    if (line_ == reading_.header_line) {
      header_taken_ = true;
      header_ = without_return(line);
      return;
    }
    if (reading_.one_line) {
      if (options_.lines) fail("all items are on one line; --lines needs one item per line");
      for (std::size_t k = 0; k < fields_.size(); ++k) take_item(k, line);
    } else {
      take_item(reading_.column, line);
    }
  }

  /// A blank line in a file of one weight per line is a missing weight, which would shift later
  /// items.
  void check_blank_line() {
    if (blank_line_ == 0) return;
    const bool is_within = header_taken_ || !weights_.empty();
    const bool is_at_top = reading_.header_line > 0 || comments_ > 0;
    if (reading_.columns == 1 && (is_within || !is_at_top)) {
      line_ = blank_line_;
      fail(
          "an empty line where a weight should be; write 0 for an item that is never drawn, or "
          "remove the line");
    }
    blank_line_ = 0;
  }

  void take_item(std::size_t column, std::string_view line) {
    const std::string_view field = fields_[column];
    const Number number = parse_number(field, reading_.decimal_comma);
    if (number.kind != Number::Kind::number) check(number, field);
    if (std::isnan(number.value)) fail_in_column(not_a_weight(field));
    if (number.value < 0) fail_in_column(in_quotes(field) + " is negative");
    if (std::isinf(number.value)) fail_in_column(in_quotes(field) + " is infinite");
    if (weights_.size() == max_items) {
      fail("more than the " + std::to_string(max_items) + " items that an index can name");
    }
    if (weights_.empty()) first_line_ = line_;
    weights_.push_back(number.value);
    if (reading_.labels) file_labels_.push_back(fields_[*reading_.labels]);
    if (options_.line_numbers) line_numbers_.push_back(line_);
    if (options_.lines) lines_.push_back(without_return(line));
  }

  void check(const Number& number, std::string_view field) {
    if (number.kind == Number::Kind::rounded) {
      rounded_.note(line_, in_quotes(field));
      return;
    }
    if (number.kind == Number::Kind::out_of_range) {
      fail_in_column(in_quotes(field) + " is outside the range of double");
    }
    const bool has_comma = parse_number(field, true).kind != Number::Kind::none;
    fail_in_column(not_a_weight(field) + (has_comma ? "; --decimal-comma reads it" : ""));
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(input_.name() + ", line " + std::to_string(line_) + ": " + reason);
  }
  [[noreturn]] void fail_in_column(const std::string& reason) const {
    throw Error(input_.name() + ", line " + std::to_string(line_) +
                (reading_.columns > 1 ? ", " + column_text(reading_) : "") + ": " + reason);
  }

  WeightFile result() {
    HostBuffer<double> buffer(weights_.size());
    std::copy(weights_.begin(), weights_.end(), buffer.data());
    return {OwnedWeights(std::move(buffer)),
            std::move(file_labels_),
            std::move(line_numbers_),
            std::move(lines_),
            interpretation(),
            warnings(),
            std::move(header_),
            labels_name()};
  }

  std::string labels_name() const {
    return reading_.labels && !reading_.names.empty() ? reading_.names[*reading_.labels] : "";
  }

  std::string interpretation() const {
    std::string text =
        std::to_string(weights_.size()) + (weights_.size() == 1 ? " item" : " items");
    if (reading_.one_line) {
      text += " from the fields of line " + std::to_string(line_) + ", the only one (delimiter " +
              delimiter_name(reading_.delimiter) + ")";
    } else if (reading_.columns == 1) {
      text += ", one a line";
    } else {
      text += " from " + column_text(reading_) + " of " + std::to_string(reading_.columns) +
              " (delimiter " + delimiter_name(reading_.delimiter) + ")";
    }
    if (reading_.header_line > 0) {
      text += "; header in line " + std::to_string(reading_.header_line);
      if (!reading_.header_reason.empty()) text += ", " + reading_.header_reason;
    } else {
      text += "; no header";
    }
    if (reading_.decimal_comma) text += "; decimal comma";
    if (comments_ > 0) {
      text += "; " + std::to_string(comments_) +
              (comments_ == 1 ? " comment skipped" : " comments skipped");
    }
    if (first_line_ != 1 && !reading_.one_line) {
      text += "; item 0 is line " + std::to_string(first_line_);
    }
    return text;
  }

  std::vector<std::string> warnings() const {
    std::vector<std::string> all;
    if (hash_items_ > 0) {
      all.push_back(input_.name() + ": " + std::to_string(hash_items_) +
                    (hash_items_ == 1 ? " line begins with # and is an item"
                                      : " lines begin with # and are items") +
                    "; --comment '#' skips such lines");
    }
    for (std::string& warning :
         rounded_.report(input_.name() + ", line", options_.round_integers)) {
      all.push_back(std::move(warning));
    }
    return all;
  }

  Input& input_;
  const WeightFileOptions& options_;
  Reading reading_;
  Fields fields_;
  std::uint64_t line_ = 0;
  std::uint64_t blank_line_ = 0;  // the first since the last row; 0: none
  bool header_taken_ = false;
  std::string header_;
  std::uint64_t first_line_ = 0;  // of item 0
  std::uint64_t comments_ = 0;
  std::uint64_t hash_items_ = 0;
  std::uint64_t first_hash_item_ = 0;  // their lines; 0: none
  std::uint64_t first_hash_comment_ = 0;
  RoundedIntegers rounded_;
  std::vector<double> weights_;
  Labels file_labels_;
  std::vector<std::uint64_t> line_numbers_;
  Labels lines_;
};

}  // namespace

WeightFile read_text(Input& input, const WeightFileOptions& options) {
  WeightFileOptions stated = options;
  skip_preamble(input, stated);
  return TextReader(input, stated, look_ahead(input, stated)).read();
}

}  // namespace wrsgpu::weights
