#include "wrsgpu/detail/weights/trial.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "wrsgpu/detail/weights/numbers_as_names.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::weights {
namespace {

using Kind = Delimiter::Kind;

constexpr const char* header_hint = "; if the line is a header and not an item, give --header";

/// The reason that the sample is invalid under the interpretation being tried.
struct Failure {
  std::string message;
};

/// The value of --column or --labels.
struct ColumnChoice {
  std::string_view option;
  std::string name;        // empty: it is not a name
  std::size_t number = 0;  // counted from 1; 0: it is not a number

  [[nodiscard]] bool is_given() const { return number > 0 || !name.empty(); }
  [[nodiscard]] bool must_be_name() const { return number == 0 && !name.empty(); }
};

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

}  // namespace

Trial try_reading(const std::vector<Line>& lines, bool is_whole, const std::string& name,
                  const WeightFileOptions& options, const Delimiter& delimiter, Notation notation) {
  return Attempt(lines, is_whole, name, options, delimiter, notation).run();
}

}  // namespace wrsgpu::weights
