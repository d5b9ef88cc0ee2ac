#include "wrsgpu/detail/weights/reading.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

#include "wrsgpu/detail/weights/trial.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::weights {
namespace {

using Kind = Delimiter::Kind;

constexpr std::size_t max_sample_lines = 1000;

/// Refuses a file whose only line is an array as JSON or Python writes it, of which a number in the
/// middle would be taken for the weight of the only item.
void refuse_brackets(std::string_view line, const std::string& name) {
  if ((line.starts_with('[') && line.ends_with(']')) ||
      (line.starts_with('{') && line.ends_with('}'))) {
    throw Error(name +
                ": its only line is in brackets; write the numbers without them, one a line");
  }
}

/// The lines of the sample that are not blank; `is_whole` becomes false if some are omitted.
std::vector<Line> lines_of(std::string_view sample, bool& is_whole, std::uint64_t number,
                           const std::string& name) {
  if (sample.substr(0, sample.find('\n')).find('\0') != std::string_view::npos) {
    throw Error(
        name +
        ": its first line has null characters, as no text has; save the weights as CSV or .npy");
  }
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
  if (is_whole && lines.size() == 1) refuse_brackets(trimmed(lines.front().text), name);
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
      try_reading(sample.lines, sample.is_whole, sample.name, options, delimiter, notation);
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
