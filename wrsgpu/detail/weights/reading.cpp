#include "wrsgpu/detail/weights/reading.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <iterator>
#include <utility>

#include "wrsgpu/error.hpp"

namespace wrsgpu::weights {
namespace {

using Kind = Delimiter::Kind;

constexpr std::size_t max_sample_lines = 1000;
constexpr const char* header_hint = "; if the line is a header and not an item, give --header";

/// The reason that the sample is invalid under the interpretation being tried.
struct Failure {
  std::string message;
};

/// How numbers are written. Marks of thousands are recognised to reject them.
enum class Notation {
  decimal_point,
  decimal_comma,
  thousands_commas,  // 1,234.5
  thousands_points,  // 1.234,5
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
  std::vector<double> weights;         // of the sample
  bool needs_option = false;           // valid, but chosen only by an explicit option
  bool has_thousands = false;          // valid once the marks of thousands are removed
  bool has_columns = false;            // the first row has several fields
  std::uint64_t open_header_line = 0;  // a line that can be column names or an item; 0: none
  std::optional<bool> header;          // the choice tried for such a line
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

/// `field` without blanks, currency signs, a typographic minus and other signs at its beginning
/// that `parse_number` does not accept.
std::string_view without_signs(std::string_view field) {
  // No-break spaces, pound, yen, euro, rupee, plus-minus, en dash, minus, almost equal, at most.
  constexpr std::array<std::string_view, 11> signs{
      "\xC2\xA0", "\xE2\x80\xAF", "\xC2\xA3",     "\xC2\xA5",     "\xE2\x82\xAC", "\xE2\x82\xB9",
      "\xC2\xB1", "\xE2\x80\x93", "\xE2\x88\x92", "\xE2\x89\x88", "\xE2\x89\xA4"};
  for (bool is_skipped = true; is_skipped && !field.empty();) {
    const auto* const sign = std::find_if(
        signs.begin(), signs.end(), [&](std::string_view one) { return field.starts_with(one); });
    const bool is_ascii =
        std::string_view(" $'(<=>~").find(field.front()) != std::string_view::npos;
    is_skipped = is_ascii || sign != signs.end();
    if (is_skipped) field.remove_prefix(is_ascii ? 1 : sign->size());
  }
  return field;
}

/// Whether `field` begins like a number, perhaps after a sign.
bool begins_like_a_number(std::string_view field) {
  if (parse_number(field).is_number()) return true;
  const std::string_view rest = without_signs(field);
  return !rest.empty() &&
         std::string_view("0123456789+-.").find(rest.front()) != std::string_view::npos;
}

/// Number of bytes of the currency that `field` begins with: an abbreviation, a letter or two
/// before a dollar sign, or three capital letters before a blank. COL1 and V1 are names.
std::size_t currency_bytes(std::string_view field) {
  constexpr std::array<std::string_view, 16> abbreviations{
      "EUR", "USD", "GBP", "JPY", "CHF", "Euro", "euro",      "Fr.",
      "Kr.", "kr.", "Kr",  "kr",  "Rs.", "Rs",   "z\xC5\x82", "K\xC4\x8D"};
  const std::size_t capitals =
      std::min(field.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), field.size());
  const std::string_view rest = field.substr(capitals);
  if (capitals >= 1 && capitals <= 2 && rest.starts_with('$')) return capitals + 1;
  if (capitals == 3 && (rest.starts_with(' ') || rest.starts_with("\xC2\xA0"))) return capitals;
  const auto* const found =
      std::find_if(abbreviations.begin(), abbreviations.end(),
                   [&](std::string_view known) { return field.starts_with(known); });
  return found == abbreviations.end() ? 0 : found->size();
}

/// Whether `field` is a number after a currency, such as EUR 5 or US$5.
bool is_amount(std::string_view field) {
  const std::size_t bytes = currency_bytes(field);
  const std::string_view number = without_signs(field.substr(bytes));
  return bytes > 0 && number.find_first_not_of("0123456789.,'+- ") == std::string_view::npos &&
         number.find_first_of("0123456789") != std::string_view::npos;
}

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

/// Detects a first row of column names that are numbers.
class NumbersAsNames {
 public:
  enum class Answer { no, yes, maybe };

  NumbersAsNames(const std::vector<Row>& rows, std::size_t column) : rows_(rows), column_(column) {
    const std::vector<std::string>& first = rows.front().fields;
    const auto begin = std::find_if(first.begin(), first.end(), begins_like_a_number);
    const auto end = std::find_if_not(begin, first.end(), begins_like_a_number);
    begin_ = static_cast<std::size_t>(begin - first.begin());
    end_ = static_cast<std::size_t>(end - first.begin());
    if (std::none_of(end, first.end(), begins_like_a_number)) values_ = values_of(rows.front());
  }

  [[nodiscard]] Answer answer() const {
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

  /// Whether the first row is what pandas writes for columns without names: an empty name for the
  /// index, which counts from 0, and 0, 1, 2, ...
  [[nodiscard]] bool are_default_names_of_an_index() const {
    return begin_ == 1 && end_ == rows_.front().fields.size() && are_default_names_of_any() &&
           counted_from(rows_, 1) == 0;
  }

 private:
  /// The integers in the columns of the first row's numbers; empty if there are others.
  [[nodiscard]] std::vector<std::uint64_t> values_of(const Row& row) const {
    std::vector<std::uint64_t> values;
    for (std::size_t k = begin_; k < end_; ++k) {
      const std::optional<std::uint64_t> value = unsigned_integer(row.fields[k]);
      if (!value) return {};
      values.push_back(*value);
    }
    return values;
  }

  /// Whether another row has consecutive numbers, too, or years.
  [[nodiscard]] bool others_are_alike() const {
    return std::any_of(rows_.begin() + 1, rows_.end(), [this](const Row& row) {
      const std::vector<std::uint64_t> values = values_of(row);
      return !values.empty() &&
             (is_consecutive(values) || (are_years(values_) && are_years(values)));
    });
  }

  /// 0, 1, 2, ... are the names that pandas gives to columns without names.
  [[nodiscard]] bool are_default_names_of_any() const {
    return !values_.empty() && values_.front() == 0 && is_consecutive(values_);
  }

  [[nodiscard]] bool are_default_names() const {
    return are_default_names_of_any() && (values_.size() > 1 || others_have_decimals());
  }

  [[nodiscard]] bool is_counted() const {
    return values_.size() > 1 && begin_ == 0 && counted_from(rows_, 0).has_value();
  }

  /// A writer that prints 1.0 for 1 does not print 0 for 0.
  [[nodiscard]] bool others_have_decimals() const {
    return rows_.size() > 2 && std::all_of(rows_.begin() + 1, rows_.end(), [&](const Row& row) {
             return row.fields[column_].find_first_of(".,eE") != std::string::npos;
           });
  }

  const std::vector<Row>& rows_;
  std::size_t column_;
  std::size_t begin_ = 0;  // the columns of numbers in the first row
  std::size_t end_ = 0;
  std::vector<std::uint64_t> values_;
};

/// Reads the sample under one delimiter and one notation of numbers.
class Attempt {
 public:
  Attempt(const std::vector<Line>& lines, bool is_whole, const std::string& name,
          const WeightFileOptions& options, const Delimiter& delimiter, Notation notation)
      : lines_(lines),
        is_whole_(is_whole),
        name_(name),
        options_(options),
        notation_(notation),
        weights_choice_(parse_choice("--column", options.column)),
        labels_choice_(parse_choice("--labels", options.labels)) {
    reading_.delimiter = delimiter;
    reading_.decimal_comma = notation == Notation::decimal_comma;
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
      if (trial.weights.empty()) throw Failure{name_ + ": holds no weights"};
      trial.reading = reading_;
    } catch (const Failure& failure) {
      trial.failure = failure.message;
    }
    trial.open_header_line = open_header_line_;
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
    if (is_missing_value(first[column])) return false;
    // Some programs write ,5 for 0,5; they do so in every line.
    if (reading_.columns == 1 && reading_.decimal_comma && holds_number(first[0]) &&
        std::all_of(rows_.begin(), rows_.end(),
                    [](const Row& row) { return row.fields[0].starts_with(','); })) {
      return false;
    }
    // With other columns beside it, USD 2019 is more likely a name.
    if (reading_.columns == 1 && is_amount(first[0])) return false;
    if (std::none_of(first.begin(), first.end(), begins_like_a_number)) return true;
    const NumbersAsNames numbers(rows_, column);
    const bool has_empty_name = has_empty_first_name();
    if (has_empty_name &&
        (!begins_like_a_number(first[column]) || numbers.are_default_names_of_an_index())) {
      reading_.header_reason = "its first name is empty";
      return true;
    }
    const NumbersAsNames::Answer answer = numbers.answer();
    if (answer == NumbersAsNames::Answer::yes) {
      reading_.header_reason = "its names are years";
      return true;
    }
    if ((has_empty_name && holds_number(first[column])) ||
        answer == NumbersAsNames::Answer::maybe) {
      open_header_line_ = rows_.front().line.number;
      fail(rows_.front().line, "can be column names or an item");
    }
    return false;
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
      fail_in_header(std::string(choice.option) + ": no column " + in_quotes(choice.name) +
                     (is_digits(choice.name) ? ", and columns are counted from 1," : ""));
    }
    const bool is_in_first = std::find(rows_[0].fields.begin(), rows_[0].fields.end(),
                                       choice.name) != rows_[0].fields.end();
    fail(rows_.front().line,
         "column " + std::to_string(choice.number) + " of " + std::to_string(reading_.columns) +
             ": " + in_quotes(rows_.front().line.text) + (is_in_first ? header_hint : ""));
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

  Number parse(std::string_view field, bool& is_evident) const {
    if (notation_ == Notation::thousands_commas || notation_ == Notation::thousands_points) {
      const char mark = notation_ == Notation::thousands_commas ? ',' : '.';
      return parse_with_thousands(field, mark, is_evident);
    }
    is_evident = true;
    return parse_number(field, reading_.decimal_comma);
  }

  bool holds_number(std::string_view field) const {
    bool is_evident = false;
    return parse(field, is_evident).kind != Number::Kind::none;
  }

  void take_weights(Trial& trial) const {
    bool has_comma = false;
    bool has_unquoted_comma = false;
    bool may_be_thousands = true;
    bool is_evident = false;
    const auto take = [&](const Line& line, const std::string& field) {
      const Number number = parse(field, is_evident);
      if (number.kind == Number::Kind::none) fail_at(line, field);
      trial.weights.push_back(number.value);
      if (field.find(',') == std::string::npos) return;
      has_comma = true;
      has_unquoted_comma = has_unquoted_comma || line.text.find('"') == std::string_view::npos;
      may_be_thousands = may_be_thousands && without_thousands(field, ',').has_value();
    };
    if (reading_.one_line) {
      for (const std::string& field : rows_.front().fields) take(rows_.front().line, field);
    } else {
      for (std::size_t k = body_; k < rows_.size(); ++k) {
        take(rows_[k].line, rows_[k].fields[reading_.column]);
      }
    }
    // Evidence is required in the weights, not in other columns.
    if (!is_evident && !trial.weights.empty()) throw Failure{name_ + ": has no marks of thousands"};
    trial.has_thousands =
        notation_ == Notation::thousands_commas || notation_ == Notation::thousands_points;
    // Without names, a comma in a line of one number may also separate columns.
    const bool may_divide = has_unquoted_comma && reading_.delimiter.kind == Kind::none &&
                            options_.delimiter.empty() && body_ == 0;
    trial.needs_option = has_comma && !options_.decimal_comma && (may_be_thousands || may_divide);
  }

  [[noreturn]] void fail_at(const Line& line, const std::string& field) const {
    std::string hint = not_a_weight(field);
    if (body_ == 0 && line.number == rows_.front().line.number && rows_.size() > 1) {
      hint += header_hint;
    }
    const std::string column = reading_.columns > 1 ? ", " + column_text(reading_) : "";
    throw Failure{name_ + ", line " + std::to_string(line.number) + column + ": " + hint};
  }

  const std::vector<Line>& lines_;
  bool is_whole_;
  const std::string& name_;
  const WeightFileOptions& options_;
  Notation notation_;
  ColumnChoice weights_choice_;
  ColumnChoice labels_choice_;
  Reading reading_;
  Fields fields_;
  std::vector<Row> rows_;
  std::size_t body_ = 0;  // the first row that is an item
  std::uint64_t open_header_line_ = 0;
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

std::vector<Notation> notations(std::string_view sample, const WeightFileOptions& options) {
  const bool has_comma = sample.find(',') != std::string_view::npos;
  const bool has_point = sample.find('.') != std::string_view::npos;
  std::vector<Notation> all{Notation::decimal_point};
  if (options.decimal_comma) all = {Notation::decimal_comma};
  if (has_comma && !options.decimal_comma) all.push_back(Notation::decimal_comma);
  if (has_comma) all.push_back(Notation::thousands_commas);
  if (has_point) all.push_back(Notation::thousands_points);
  return all;
}

bool has_same_fields(const Reading& a, const Reading& b) {
  return a.delimiter == b.delimiter && a.decimal_comma == b.decimal_comma;
}

std::string options_of(const Trial& trial, bool with_fields) {
  const Reading& reading = *trial.reading;
  std::string text;
  if (with_fields && reading.decimal_comma) text += " --decimal-comma";
  if (with_fields && (reading.delimiter.kind != Kind::none || !reading.decimal_comma)) {
    text += " --delimiter " + delimiter_name(reading.delimiter);
  }
  if (trial.header) text += *trial.header ? " --header" : " --no-header";
  return text.substr(1) + " gives ";
}

/// "--delimiter comma gives 435, 286, 118"; without the delimiter if only the header is open.
std::string description(const Trial& trial, bool with_fields = true) {
  std::string text = trial.has_thousands ? "with marks of thousands, which must be removed, it is "
                                         : options_of(trial, with_fields || !trial.header);
  constexpr std::size_t shown = 3;
  for (std::size_t k = 0; k < std::min(shown, trial.weights.size()); ++k) {
    std::array<char, 32> digits;
    char* const end =
        std::to_chars(digits.data(), digits.data() + digits.size(), trial.weights[k]).ptr;
    text += (k == 0 ? "" : ", ") + std::string(digits.data(), end);
  }
  return text + (trial.weights.size() > shown ? ", ..." : "");
}

bool is_same(double a, double b) { return a == b || (a != a && b != b); }

bool is_same(const Trial& a, const Trial& b) {
  return std::equal(a.weights.begin(), a.weights.end(), b.weights.begin(), b.weights.end(),
                    [](double x, double y) { return is_same(x, y); });
}

/// Throws for two valid interpretations that give different weights.
[[noreturn]] void throw_ambiguous(const Trial& a, const Trial& b, const std::string& name) {
  const bool only_header = a.header != b.header && has_same_fields(*a.reading, *b.reading);
  const std::string line = std::to_string(a.reading->header_line);
  throw Error(name + ": is ambiguous: " +
              (only_header ? "line " + line + " can be column names or an item: " : "") +
              description(a, !only_header) + "; " + description(b, !only_header));
}

Reading choose(std::vector<Trial> valid, const std::string& failure, const std::string& name) {
  if (valid.empty()) throw Error(failure);
  // A tab is rarely part of a field.
  const Delimiter tab{Kind::character, '\t'};
  if (valid.front().reading->delimiter == tab) {
    std::erase_if(valid, [&](const Trial& trial) { return trial.reading->delimiter != tab; });
  }
  const Trial& first = valid.front();
  const auto other = std::find_if(valid.begin() + 1, valid.end(),
                                  [&](const Trial& trial) { return !is_same(first, trial); });
  if (other != valid.end()) throw_ambiguous(first, *other, name);
  if (first.needs_option || first.has_thousands) {
    throw Error((failure.empty() ? name + ": commas can be decimal or mark thousands" : failure) +
                "; " + description(first));
  }
  return *first.reading;
}

/// The first lines of a text.
struct Sample {
  const std::vector<Line>& lines;
  bool is_whole;
  const std::string& name;
  const WeightFileOptions& options;
};

Trial attempt(const Sample& sample, const Delimiter& delimiter, Notation notation,
              std::optional<bool> header) {
  WeightFileOptions options = sample.options;
  if (header) options.header = header;
  Trial trial =
      Attempt(sample.lines, sample.is_whole, sample.name, options, delimiter, notation).run();
  trial.header = header;
  const bool divides = trial.has_columns || delimiter.kind == Kind::none;
  if (!divides && options.delimiter.empty()) trial.reading.reset();
  return trial;
}

/// What --header or --no-header gives, or why it fails.
std::string outcome(const Trial& trial, const std::string& name) {
  if (trial.reading) return description(trial, false);
  const std::size_t prefix = trial.failure.starts_with(name) ? name.size() + 2 : 0;
  return (*trial.header ? "--header: " : "--no-header: ") + trial.failure.substr(prefix);
}

/// One trial; or two, if the first row can be column names or an item.
std::vector<Trial> attempts(const Sample& sample, const Delimiter& delimiter, Notation notation) {
  Trial trial = attempt(sample, delimiter, notation, std::nullopt);
  if (trial.open_header_line == 0) return {std::move(trial)};
  Trial names = attempt(sample, delimiter, notation, true);
  Trial item = attempt(sample, delimiter, notation, false);
  if (names.reading && item.reading) return {std::move(names), std::move(item)};
  if (!names.reading && !item.reading) return {std::move(item)};
  // A column that only names have decides.
  const bool has_choice = !sample.options.column.empty() || !sample.options.labels.empty();
  if (names.reading && has_choice) return {std::move(names)};
  throw Error(sample.name + ": is ambiguous: line " + std::to_string(trial.open_header_line) +
              " can be column names or an item: " + outcome(names, sample.name) + "; " +
              outcome(item, sample.name));
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
  std::vector<Trial> valid;
  std::string failure;       // of the first delimiter that divides the first row
  std::string last_failure;  // of the others
  for (const Delimiter& delimiter : candidates(lines, options)) {
    bool is_first = true;
    for (const Notation notation : notations(sample, options)) {
      std::vector<Trial> trials = attempts({lines, is_whole, name, options}, delimiter, notation);
      const Trial& trial = trials.front();
      if (trial.reading) {
        std::move(trials.begin(), trials.end(), std::back_inserter(valid));
        break;
      }
      if (std::exchange(is_first, false)) {
        const bool counts = trial.has_columns && delimiter.kind != Kind::uniq;
        if (counts && failure.empty()) failure = trial.failure;
        if (!trial.failure.empty()) last_failure = trial.failure;
      }
    }
  }
  return choose(std::move(valid), failure.empty() ? last_failure : failure, name);
}

}  // namespace wrsgpu::weights
