#include "wrsgpu/detail/weights/reading.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "wrsgpu/detail/weights/files.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::weights {
namespace {

using Kind = Delimiter::Kind;

constexpr std::size_t max_sample_lines = 1000;

/// The reason that the sample is invalid under the interpretation being tried.
struct Failure {
  std::string message;
};

struct Line {
  std::uint64_t number = 0;  // counted from 1
  std::string_view text;
};

struct Row {
  Line line;
  std::vector<std::string> fields;
};

struct Trial {
  std::optional<Reading> reading;
  std::vector<double> weights;  // of the sample
  bool needs_option = false;    // valid, but chosen only by an explicit option
  bool counts_up = false;       // the first column holds k, k + 1, k + 2, ...
  bool has_columns = false;     // the first row has several fields
  std::string failure;
};

/// The value of --column or --labels.
struct ColumnChoice {
  std::string_view option;
  std::string name;        // empty: it is not a name
  std::size_t number = 0;  // counted from 1; 0: it is not a number

  [[nodiscard]] bool is_given() const { return number > 0 || !name.empty(); }
  [[nodiscard]] bool must_be_name() const { return number == 0 && !name.empty(); }
};

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::uint64_t> unsigned_integer(std::string_view text) {
  std::uint64_t value = 0;
  if (!is_digits(text)) return std::nullopt;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc{} ? std::optional(value) : std::nullopt;
}

ColumnChoice parse_choice(std::string_view option, std::string_view text) {
  ColumnChoice choice{option, {}, 0};
  if (text.starts_with("name=")) {
    choice.name = text.substr(5);
    return choice;
  }
  const bool is_number = text.starts_with("number=");
  const std::string_view digits = is_number ? text.substr(7) : text;
  if (is_number || is_digits(digits)) {
    choice.number = unsigned_integer(digits).value_or(0);
    if (is_number && choice.number == 0) {
      throw Error(std::string(option) + " " + in_quotes(text) + ": columns are counted from 1");
    }
  }
  if (!is_number) choice.name = text;
  return choice;
}

bool begins_like_a_number(std::string_view field) {
  return !field.empty() &&
         (std::string_view("0123456789+-.").find(field.front()) != std::string_view::npos ||
          parse_number(field).is_number());
}

/// Texts that programs write for a missing value, which are not column names.
bool is_missing(std::string_view field) {
  constexpr std::array<std::string_view, 9> markers{"",     "NA",   "N/A",  "n/a", "null",
                                                    "NULL", "None", "<NA>", "?"};
  return std::find(markers.begin(), markers.end(), field) != markers.end();
}

/// Whether `field` is a valid number both with a thousands separator and with a decimal comma.
bool has_thousands(std::string_view field) {
  const std::size_t comma = field.find(',');
  return comma >= 1 && comma <= 3 && field.size() == comma + 4 && field.front() != '0' &&
         is_digits(field.substr(0, comma)) && is_digits(field.substr(comma + 1));
}

bool counts_up(const std::vector<Row>& rows, std::size_t first) {
  for (std::size_t k = first; k < rows.size(); ++k) {
    const std::optional<std::uint64_t> here = unsigned_integer(rows[k].fields.front());
    if (!here) return false;
    if (k > first && *here != *unsigned_integer(rows[k - 1].fields.front()) + 1) return false;
  }
  return true;
}

/// Detects a first row of column names that are numbers.
class NumbersAsNames {
 public:
  enum class Answer { no, yes, maybe };

  NumbersAsNames(const std::vector<Row>& rows, std::size_t column) : rows_(rows), column_(column) {
    const std::vector<std::string>& first = rows.front().fields;
    first_is_number_ = begins_like_a_number(first.front());
    for (std::size_t k = first_is_number_ ? 0 : 1; k < first.size(); ++k) {
      const std::optional<std::uint64_t> value = unsigned_integer(first[k]);
      if (!value) return;
      values_.push_back(*value);
    }
    all_integers_ = true;
  }

  [[nodiscard]] Answer answer() const {
    if (!all_integers_ || values_.empty() || rows_.size() < 2) return Answer::no;
    if (are_years()) return is_consecutive() ? Answer::yes : Answer::maybe;
    return are_default_names() ? Answer::maybe : Answer::no;
  }

 private:
  static bool is_year(std::uint64_t value) { return value >= 1900 && value <= 2100; }

  [[nodiscard]] bool is_consecutive() const {
    return values_.back() - values_.front() == values_.size() - 1;
  }

  [[nodiscard]] bool are_years() const {
    const auto not_later = [](std::uint64_t a, std::uint64_t b) { return a >= b; };
    if (first_is_number_ || values_.size() < 2 ||
        !std::all_of(values_.begin(), values_.end(), is_year) ||
        std::adjacent_find(values_.begin(), values_.end(), not_later) != values_.end()) {
      return false;
    }
    return std::none_of(rows_.begin() + 1, rows_.end(), [](const Row& row) {
      return std::all_of(row.fields.begin() + 1, row.fields.end(), [](const std::string& field) {
        const std::optional<std::uint64_t> value = unsigned_integer(field);
        return value && is_year(*value);
      });
    });
  }

  /// 0, 1, 2, ... are the names that pandas gives to columns without names.
  [[nodiscard]] bool are_default_names() const {
    if (values_.front() != 0 || !is_consecutive()) return false;
    if (values_.size() == 1) return others_have_decimals();
    return !(first_is_number_ && counts_up(rows_, 0));
  }

  /// A writer that prints 1.0 for 1 does not print 0 for 0.
  [[nodiscard]] bool others_have_decimals() const {
    return rows_.size() > 2 && std::all_of(rows_.begin() + 1, rows_.end(), [&](const Row& row) {
             return row.fields[column_].find_first_of(".,eE") != std::string::npos;
           });
  }

  const std::vector<Row>& rows_;
  std::size_t column_;
  bool first_is_number_ = false;
  bool all_integers_ = false;
  std::vector<std::uint64_t> values_;
};

/// Reads the sample under one delimiter and one decimal separator.
class Attempt {
 public:
  Attempt(const std::vector<Line>& lines, bool is_whole, const std::string& name,
          const WeightFileOptions& options, const Delimiter& delimiter, bool decimal_comma)
      : lines_(lines),
        is_whole_(is_whole),
        name_(name),
        options_(options),
        weights_choice_(parse_choice("--column", options.column)),
        labels_choice_(parse_choice("--labels", options.labels)) {
    reading_.delimiter = delimiter;
    reading_.decimal_comma = decimal_comma;
  }

  [[nodiscard]] Trial run() {
    Trial trial;
    try {
      trial.has_columns = divides_first_line();
      take_rows();
      // Prose has blanks in every line; uneven lines are not a blank-delimited table.
      const bool has_blanks = reading_.delimiter.kind == Kind::blanks;
      trial.has_columns = !has_blanks && rows_.front().fields.size() > 1;
      check_columns();
      trial.has_columns = reading_.columns > 1;
      find_header();
      find_columns();
      take_weights(trial);
      trial.counts_up = rows_.size() - body_ >= 3 && counts_up(rows_, body_);
      if (trial.weights.empty()) throw Failure{name_ + ": holds no weights"};
      trial.reading = reading_;
    } catch (const Failure& failure) {
      trial.failure = failure.message;
    }
    return trial;
  }

 private:
  [[noreturn]] void fail(const Line& line, const std::string& reason) const {
    throw Failure{name_ + ", line " + std::to_string(line.number) + ": " + reason};
  }

  [[nodiscard]] bool divides_first_line() const {
    return reading_.delimiter.kind == Kind::character && !lines_.empty() &&
           lines_.front().text.find(reading_.delimiter.character) != std::string_view::npos;
  }

  void take_rows() {
    std::vector<Line> hashes;
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      const std::string_view text = trimmed(lines_[k].text);
      if (is_comment(text, options_)) continue;
      if (may_be_comment(text, options_)) {
        hashes.push_back(lines_[k]);
        continue;
      }
      if (rows_.empty() && !hashes.empty()) comment_before_rows_ = hashes.back();
      k = take_row(rows_, k);
    }
    if (rows_.empty()) {  // lines that begin with # alone: perhaps tags
      for (const Line& line : hashes) add_row(rows_, line);
    }
    if (rows_.empty()) throw Failure{name_ + ": holds no weights"};
  }

  /// Takes the row that begins with line k, and returns its last line.
  std::size_t take_row(std::vector<Row>& rows, std::size_t k) {
    Line line = lines_[k];
    Fields::Outcome outcome = fields_.split(line.text, reading_.delimiter);
    while (outcome == Fields::Outcome::open_quote && k + 1 < lines_.size()) {
      const std::string_view next = lines_[++k].text;
      line.text = {line.text.data(), next.data() + next.size()};
      outcome = fields_.split(line.text, reading_.delimiter);
    }
    if (outcome == Fields::Outcome::open_quote && !is_whole_ && !rows.empty()) return k;
    keep(rows, line, outcome);
    return k;
  }

  void add_row(std::vector<Row>& rows, const Line& line) {
    keep(rows, line, fields_.split(line.text, reading_.delimiter));
  }

  void keep(std::vector<Row>& rows, const Line& line, Fields::Outcome outcome) const {
    if (outcome == Fields::Outcome::open_quote) {
      fail(line, "a quote is not closed: " + in_quotes(line.text));
    }
    if (outcome == Fields::Outcome::text_after_quote) {
      fail(line, "text after a closing quote: " + in_quotes(line.text));
    }
    if (outcome == Fields::Outcome::no_count) {
      fail(line, "no count at the beginning: " + in_quotes(line.text));
    }
    rows.push_back({line, {fields_.all().begin(), fields_.all().end()}});
  }

  void check_columns() {
    reading_.columns = rows_.front().fields.size();
    for (const Row& row : rows_) {
      if (row.fields.size() == reading_.columns) continue;
      fail(row.line, std::to_string(row.fields.size()) + " columns, but " +
                         std::to_string(reading_.columns) +
                         " in the lines before: " + in_quotes(row.line.text));
    }
  }

  void find_header() {
    const bool needs_names = weights_choice_.must_be_name() || labels_choice_.must_be_name();
    if (needs_names && options_.header == false) {
      const ColumnChoice& choice =
          weights_choice_.must_be_name() ? weights_choice_ : labels_choice_;
      throw Error(std::string(choice.option) + " " + in_quotes(choice.name) +
                  " is a name, but --no-header says that there are none");
    }
    const std::vector<std::string> in_comment = names_in_comment();
    bool has_header = options_.header.value_or(false);
    if (!options_.header && reading_.delimiter.kind != Kind::uniq) {
      has_header = (needs_names && in_comment.empty()) || first_row_is_header();
    }
    body_ = has_header ? 1 : 0;
    if (has_header) reading_.header_line = rows_.front().line.number;
    reading_.names = has_header ? rows_.front().fields : in_comment;
    if (!has_header && !in_comment.empty()) {
      reading_.header_line = comment_before_rows_->number;
      reading_.header_reason = "after #";
    }
    if (has_header && reading_.delimiter.kind == Kind::none && options_.delimiter.empty() &&
        reading_.names.front().find_first_of(",;\t|") != std::string::npos) {
      fail(rows_.front().line, "a header of several names, but lines of one number");
    }
  }

  /// The names of "# name,weight", where that is the last line before the first row.
  std::vector<std::string> names_in_comment() {
    if (!comment_before_rows_ || options_.header.has_value()) return {};
    const std::string_view text = trimmed(comment_before_rows_->text).substr(1);
    if (fields_.split(trimmed(text), reading_.delimiter) != Fields::Outcome::ok) return {};
    const auto& all = fields_.all();
    if (all.size() < 2 || all.size() != reading_.columns ||
        std::any_of(all.begin(), all.end(), begins_like_a_number)) {
      return {};
    }
    return {all.begin(), all.end()};
  }

  bool first_row_is_header() {
    const std::vector<std::string>& first = rows_.front().fields;
    const std::size_t column = weights_choice_.number > 0 && weights_choice_.number <= first.size()
                                   ? weights_choice_.number - 1
                                   : numbers_column(std::min<std::size_t>(1, rows_.size() - 1));
    if (is_missing(first[column])) return false;
    if (std::none_of(first.begin(), first.end(), begins_like_a_number)) return true;
    if (has_empty_first_name()) {
      reading_.header_reason = "its first name is empty";
      return true;
    }
    const NumbersAsNames::Answer answer = NumbersAsNames(rows_, column).answer();
    if (answer == NumbersAsNames::Answer::maybe) {
      fail(rows_.front().line, in_quotes(rows_.front().line.text) +
                                   " can be names of columns or an item: --header says names, "
                                   "--no-header an item");
    }
    if (answer == NumbersAsNames::Answer::yes) reading_.header_reason = "its names are years";
    return answer == NumbersAsNames::Answer::yes;
  }

  /// Handles an index column that a program wrote without a name.
  [[nodiscard]] bool has_empty_first_name() const {
    return reading_.columns > 1 && rows_.size() > 1 && rows_.front().fields.front().empty() &&
           std::none_of(rows_.begin() + 1, rows_.end(),
                        [](const Row& row) { return row.fields.front().empty(); });
  }

  void find_columns() {
    if (labels_choice_.is_given()) reading_.labels = find(labels_choice_);
    if (weights_choice_.is_given()) {
      reading_.column = find(weights_choice_);
      return;
    }
    reading_.column = numbers_column(body_);
    reading_.one_line = is_whole_ && rows_.size() == 1 && body_ == 0 && reading_.columns > 1 &&
                        !labels_choice_.is_given() && reading_.delimiter.kind != Kind::uniq &&
                        std::all_of(rows_[0].fields.begin(), rows_[0].fields.end(),
                                    [&](const std::string& field) { return holds_number(field); });
  }

  std::size_t find(const ColumnChoice& choice) const {
    const std::vector<std::string>& names = reading_.names;
    const auto by_name = std::find(names.begin(), names.end(), choice.name);
    const bool is_number = choice.number > 0 && choice.number <= reading_.columns;
    const std::string option = std::string(choice.option) + " ";
    if (by_name != names.end() && !choice.name.empty()) {
      if (std::find(by_name + 1, names.end(), choice.name) != names.end()) {
        fail_in_header("two columns " + in_quotes(choice.name));
      }
      const auto at = static_cast<std::size_t>(by_name - names.begin());
      if (is_number && at != choice.number - 1) {
        throw Failure{name_ + ": " + option + choice.name + " can be column " + choice.name +
                      " or column " + std::to_string(at + 1) + ", which has that name: " + option +
                      "number=" + choice.name + ", " + option + "name=" + choice.name};
      }
      return at;
    }
    if (is_number) return choice.number - 1;
    if (choice.number == 0) {
      fail_in_header("no column " + in_quotes(choice.name) +
                     (is_digits(choice.name) ? ", and columns are counted from 1," : ""));
    }
    const bool is_in_first = std::find(rows_[0].fields.begin(), rows_[0].fields.end(),
                                       choice.name) != rows_[0].fields.end();
    fail(rows_.front().line, "column " + std::to_string(choice.number) + " of " +
                                 std::to_string(reading_.columns) + ": " +
                                 in_quotes(rows_.front().line.text) +
                                 (is_in_first ? "; --header makes the line one of names" : ""));
  }

  [[noreturn]] void fail_in_header(const std::string& reason) const {
    const Line& line = body_ == 0 && comment_before_rows_ ? *comment_before_rows_ : rows_[0].line;
    fail(line, reason + " in the header " + in_quotes(trimmed(line.text)));
  }

  /// The column of the weights if none is named: the last one, or the only one of numbers.
  std::size_t numbers_column(std::size_t body) const {
    if (reading_.delimiter.kind == Kind::uniq) return 0;
    std::size_t last = reading_.columns - 1;
    if (last == reading_.labels && last > 0) {
      if (reading_.columns > 2 && numbers_in(last, body) > 0) {
        fail(rows_[body].line, "column " + std::to_string(last + 1) +
                                   " would hold the weights, as the last one, and --labels takes "
                                   "it: " +
                                   in_quotes(rows_[body].line.text) +
                                   "; --column says which one holds the weights");
      }
      --last;
    }
    if (numbers_in(last, body) > 0 || body >= rows_.size()) return last;
    std::vector<std::size_t> of_numbers;
    for (std::size_t column = 0; column < last; ++column) {
      const bool is_labels = column == reading_.labels;
      if (!is_labels && numbers_in(column, body) == rows_.size() - body) {
        of_numbers.push_back(column);
      }
    }
    if (of_numbers.size() > 1) {
      fail(rows_[body].line, "columns " + std::to_string(of_numbers[0] + 1) + " and " +
                                 std::to_string(of_numbers[1] + 1) +
                                 " hold numbers, the last one does not: " +
                                 in_quotes(rows_[body].line.text) + "; --column says which");
    }
    return of_numbers.empty() ? last : of_numbers.front();
  }

  std::size_t numbers_in(std::size_t column, std::size_t body) const {
    return static_cast<std::size_t>(
        std::count_if(rows_.begin() + static_cast<std::ptrdiff_t>(body), rows_.end(),
                      [&](const Row& row) { return holds_number(row.fields[column]); }));
  }

  bool holds_number(std::string_view field) const {
    return parse_number(field, reading_.decimal_comma).kind != Number::Kind::none;
  }

  void take_weights(Trial& trial) const {
    bool has_comma = false;
    bool may_be_thousands = true;
    const auto take = [&](const Line& line, const std::string& field) {
      const Number number = parse_number(field, reading_.decimal_comma);
      if (number.kind == Number::Kind::none) fail_at(line, field);
      trial.weights.push_back(number.value);
      if (field.find(',') == std::string::npos) return;
      has_comma = true;
      may_be_thousands = may_be_thousands && has_thousands(field);
    };
    if (reading_.one_line) {
      for (const std::string& field : rows_.front().fields) take(rows_.front().line, field);
    } else {
      for (std::size_t k = body_; k < rows_.size(); ++k) {
        take(rows_[k].line, rows_[k].fields[reading_.column]);
      }
    }
    // Without names, a comma in a line of one number may also separate columns.
    const bool may_divide =
        reading_.delimiter.kind == Kind::none && options_.delimiter.empty() && body_ == 0;
    trial.needs_option = has_comma && !options_.decimal_comma && (may_be_thousands || may_divide);
  }

  [[noreturn]] void fail_at(const Line& line, const std::string& field) const {
    std::string hint;
    if (field.empty()) {
      hint = "the cell is empty; write 0 for an item that is never drawn";
    } else {
      hint = in_quotes(field) + " is not a number";
      if (body_ == 0 && line.number == rows_.front().line.number && rows_.size() > 1) {
        hint += "; --header makes the line one of names";
      }
    }
    const std::string column = reading_.columns > 1 ? ", " + column_text(reading_) : "";
    throw Failure{name_ + ", line " + std::to_string(line.number) + column + ": " + hint};
  }

  const std::vector<Line>& lines_;
  bool is_whole_;
  const std::string& name_;
  const WeightFileOptions& options_;
  ColumnChoice weights_choice_;
  ColumnChoice labels_choice_;
  Reading reading_;
  Fields fields_;
  std::vector<Row> rows_;
  std::size_t body_ = 0;  // the first row that is an item
  std::optional<Line> comment_before_rows_;
};

/// The lines of the sample that are not blank; `is_whole` becomes false if some are omitted.
std::vector<Line> lines_of(std::string_view sample, bool& is_whole, std::uint64_t number,
                           const std::string& name) {
  std::vector<Line> lines;
  while (!sample.empty() && lines.size() < max_sample_lines) {
    const std::size_t end = sample.find('\n');
    if (end == std::string_view::npos && !is_whole) break;
    const std::string_view text = sample.substr(0, end);
    if (const std::size_t at = text.find('\r'); at < text.size() && at + 1 < text.size()) {
      throw Error(name + ", line " + std::to_string(number) +
                  R"(: a carriage return within the line: lines end in \n or \r\n)");
    }
    if (!trimmed(text).empty()) lines.push_back({number, text});
    ++number;
    sample.remove_prefix(end == std::string_view::npos ? sample.size() : end + 1);
  }
  is_whole = is_whole && sample.empty();
  return lines;
}

std::vector<Delimiter> candidates(const std::vector<Line>& lines,
                                  const WeightFileOptions& options) {
  if (!options.delimiter.empty()) return {parse_delimiter(options.delimiter)};
  std::vector<Delimiter> all{{Kind::character, '\t'}, {Kind::character, ';'}};
  if (!options.decimal_comma) all.push_back({Kind::character, ','});
  all.push_back({Kind::character, '|'});
  const bool is_aligned = std::any_of(lines.begin(), lines.end(),
                                      [](const Line& line) { return line.text.starts_with(' '); });
  if (is_aligned) all.push_back({Kind::uniq, ' '});
  all.push_back({Kind::blanks, ' '});
  all.push_back({Kind::none, ','});
  return all;
}

/// "--delimiter comma gives 435, 286, 118"
std::string description(const Trial& trial) {
  const Reading& reading = *trial.reading;
  std::string text = reading.decimal_comma ? "--decimal-comma" : "";
  if (reading.delimiter.kind != Kind::none || !reading.decimal_comma) {
    text += (text.empty() ? "--delimiter " : " --delimiter ") + delimiter_name(reading.delimiter);
  }
  text += " gives";
  constexpr std::size_t shown = 3;
  for (std::size_t k = 0; k < std::min(shown, trial.weights.size()); ++k) {
    std::array<char, 32> digits;
    char* const end =
        std::to_chars(digits.data(), digits.data() + digits.size(), trial.weights[k]).ptr;
    text += (k == 0 ? " " : ", ") + std::string(digits.data(), end);
  }
  return text + (trial.weights.size() > shown ? ", ..." : "");
}

bool is_comma(const Trial& trial) {
  return trial.reading && trial.reading->delimiter == Delimiter{Kind::character, ','};
}

bool is_same(double a, double b) { return a == b || (a != a && b != b); }

bool is_same(const Trial& a, const Trial& b) {
  return std::equal(a.weights.begin(), a.weights.end(), b.weights.begin(), b.weights.end(),
                    [](double x, double y) { return is_same(x, y); });
}

Reading choose(std::vector<Trial> valid, const std::string& failure, const std::string& name) {
  if (valid.empty()) throw Error(failure);
  // A tab is rarely part of a field.
  if (valid.front().reading->delimiter == Delimiter{Kind::character, '\t'}) valid.resize(1);
  // 0,3 then 1,5 then 2,7 are numbered items, not 0.3, 1.5 and 2.7.
  if (std::any_of(valid.begin(), valid.end(),
                  [](const Trial& trial) { return is_comma(trial) && trial.counts_up; })) {
    std::erase_if(valid, [](const Trial& trial) { return trial.needs_option; });
  }
  const Trial& first = valid.front();
  const auto other = std::find_if(valid.begin() + 1, valid.end(),
                                  [&](const Trial& trial) { return !is_same(first, trial); });
  if (other != valid.end()) {
    throw Error(name + ": is ambiguous: " + description(first) + "; " + description(*other));
  }
  if (first.needs_option) {
    throw Error((failure.empty() ? name + ": commas can be decimal or mark thousands" : failure) +
                "; " + description(first));
  }
  return *first.reading;
}

}  // namespace

std::string column_text(const Reading& reading) {
  std::string text = "column " + std::to_string(reading.column + 1);
  if (!reading.names.empty() && !reading.names[reading.column].empty()) {
    text += " " + in_quotes(reading.names[reading.column]);
  }
  return text;
}

bool is_comment(std::string_view line, const WeightFileOptions& options) {
  return !options.comment.empty() && options.comment != "none" && line.starts_with(options.comment);
}

bool may_be_comment(std::string_view line, const WeightFileOptions& options) {
  return options.comment.empty() && line.starts_with('#');
}

Reading choose_reading(std::string_view sample, bool is_whole, std::uint64_t first_line,
                       const std::string& name, const WeightFileOptions& options) {
  const std::vector<Line> lines = lines_of(sample, is_whole, first_line, name);
  const bool has_comma = sample.find(',') != std::string_view::npos;
  std::vector<Trial> valid;
  std::string failure;       // of the first delimiter that divides the first row
  std::string last_failure;  // of the others
  for (const Delimiter& delimiter : candidates(lines, options)) {
    const auto attempt = [&](bool comma) {
      Trial trial = Attempt(lines, is_whole, name, options, delimiter, comma).run();
      const bool divides = trial.has_columns || delimiter.kind == Kind::none;
      if (!divides && options.delimiter.empty()) trial.reading.reset();
      return trial;
    };
    Trial trial = attempt(options.decimal_comma);
    if (!trial.reading) {
      const bool counts = trial.has_columns && delimiter.kind != Kind::uniq;
      if (counts && failure.empty()) failure = trial.failure;
      if (!trial.failure.empty()) last_failure = trial.failure;
      if (has_comma && !options.decimal_comma) trial = attempt(true);
    }
    if (trial.reading) valid.push_back(std::move(trial));
  }
  return choose(std::move(valid), failure.empty() ? last_failure : failure, name);
}

}  // namespace wrsgpu::weights
