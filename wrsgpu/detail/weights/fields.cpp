#include "wrsgpu/detail/weights/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "wrsgpu/error.hpp"

namespace wrsgpu::weights {
namespace {

using std::string_view_literals::operator""sv;
using Kind = Delimiter::Kind;

constexpr std::array<std::pair<std::string_view, Delimiter>, 8> named_delimiters{
    {{"comma", {Kind::character, ','}},
     {"semicolon", {Kind::character, ';'}},
     {"tab", {Kind::character, '\t'}},
     {"bar", {Kind::character, '|'}},
     {"blank", {Kind::blanks, ' '}},
     {"uniq", {Kind::uniq, ' '}},
     {"none", {Kind::none, ','}},
     {"\\t", {Kind::character, '\t'}}}};

/// What programs write for a missing value, in lower case; those that begin with # are errors of a
/// spreadsheet, as is Err: with a number.
constexpr std::array missing_values{
    ""sv,        "-"sv,       "--"sv,      "\xE2\x80\x93"sv, "\xE2\x80\x94"sv, "."sv,
    "?"sv,       "na"sv,      "n/a"sv,     "<na>"sv,         "nan"sv,          "nil"sv,
    "null"sv,    "(null)"sv,  R"(\n)"sv,   "none"sv,         "missing"sv,      "#n/a"sv,
    "#ref!"sv,   "#value!"sv, "#div/0!"sv, "#name?"sv,       "#null!"sv,       "#num!"sv,
    "#spill!"sv, "#calc!"sv};

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool may_divide_numbers(char c) {
  return !is_alphanumeric(c) && std::string_view("\"+-.\r\n").find(c) == std::string_view::npos;
}

bool is_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether a double represents the integer `text` exactly; `value` is the number read from it.
bool is_exact(std::string_view text, double value) {
  constexpr double first_gap = 9007199254740992;  // 2^53
  if (std::abs(value) < first_gap || !is_integer(text)) return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  std::array<char, 400> digits;  // the largest double has 309
  const auto [end, status] = std::to_chars(digits.data(), digits.data() + digits.size(),
                                           std::abs(value), std::chars_format::fixed);
  return status == std::errc{} && text == std::string_view(digits.data(), end);
}

Number parse_with_point(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  Number number;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number.value);
  if (status == std::errc::invalid_argument || stop != end) return {};
  number.kind = status == std::errc::result_out_of_range ? Number::Kind::out_of_range
                : is_exact(text, number.value)           ? Number::Kind::number
                                                         : Number::Kind::rounded;
  return number;
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

}  // namespace

Delimiter parse_delimiter(std::string_view text) {
  const auto* const named =
      std::find_if(named_delimiters.begin(), named_delimiters.end(),
                   [&](const auto& delimiter) { return delimiter.first == text; });
  if (named != named_delimiters.end()) return named->second;
  if (text == " ") return {Kind::blanks, ' '};
  if (text.size() == 1 && may_divide_numbers(text.front())) return {Kind::character, text.front()};
  throw Error(
      "--delimiter " + in_quotes(text) +
      ": give one character that numbers do not hold, or comma, semicolon, tab, bar, blank, "
      "uniq or none");
}

std::string delimiter_name(const Delimiter& delimiter) {
  const auto* const named =
      std::find_if(named_delimiters.begin(), named_delimiters.end(),
                   [&](const auto& known) { return known.second == delimiter; });
  return named != named_delimiters.end() ? std::string(named->first)
                                         : std::string(1, delimiter.character);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

Fields::Outcome Fields::split(std::string_view line, const Delimiter& delimiter) {
  fields_.clear();
  if (!unquoted_.empty()) unquoted_.clear();
  if (delimiter.kind == Kind::uniq) return split_count(line);
  if (delimiter.kind == Kind::none && line.find('"') == std::string_view::npos) {
    fields_.push_back(trimmed(line));
    return Outcome::ok;
  }
  return split_at(line, delimiter);
}

Fields::Outcome Fields::split_count(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  const std::size_t end = line.find_first_not_of("0123456789", std::min(begin, line.size()));
  if (begin == std::string_view::npos || end == std::string_view::npos || end == begin ||
      line[end] != ' ') {
    return Outcome::no_count;
  }
  const std::string_view rest = line.substr(end + 1);
  fields_ = {line.substr(begin, end - begin),
             rest.ends_with('\r') ? rest.substr(0, rest.size() - 1) : rest};
  return Outcome::ok;
}

Fields::Outcome Fields::split_at(std::string_view line, const Delimiter& delimiter) {
  const bool at_blanks = delimiter.kind == Kind::blanks;
  const bool at_tabs = delimiter.kind == Kind::character && delimiter.character == '\t';
  if (at_blanks) line = trimmed(line);
  const auto next_delimiter = [&](std::size_t from) {
    const std::size_t at = delimiter.kind == Kind::none ? std::string_view::npos
                           : at_blanks                  ? line.find_first_of(" \t", from)
                                                        : line.find(delimiter.character, from);
    return std::min(at, line.size());
  };
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t first =
        std::min(line.find_first_not_of(at_tabs ? " " : " \t", at), line.size());
    std::size_t end = first;
    if (first < line.size() && line[first] == '"') {
      const std::size_t quote = take_quoted(line, first);
      if (quote == std::string_view::npos) return Outcome::open_quote;
      end = next_delimiter(quote + 1);
      if (!trimmed(line.substr(quote + 1, end - quote - 1)).empty()) {
        return Outcome::text_after_quote;
      }
    } else {
      end = next_delimiter(at);
      fields_.push_back(trimmed(line.substr(at, end - at)));
    }
    at = end + 1;
    if (at_blanks && end < line.size()) at = line.find_first_not_of(" \t", end);
  }
  return Outcome::ok;
}

std::size_t Fields::take_quoted(std::string_view line, std::size_t begin) {
  std::size_t quote = line.find('"', begin + 1);
  if (quote == std::string_view::npos) return quote;
  if (!line.substr(quote + 1).starts_with('"')) {
    fields_.push_back(line.substr(begin + 1, quote - begin - 1));
    return quote;
  }
  std::string& field = unquoted_.emplace_back();
  for (std::size_t from = begin + 1;; from = quote + 2, quote = line.find('"', from)) {
    if (quote == std::string_view::npos) return quote;
    field.append(line.substr(from, quote - from));
    if (!line.substr(quote + 1).starts_with('"')) break;
    field += '"';
  }
  fields_.push_back(field);
  return quote;
}

Number parse_number(std::string_view text, bool decimal_comma) {
  const std::size_t comma = decimal_comma ? text.find(',') : std::string_view::npos;
  if (comma == std::string_view::npos) return parse_with_point(text);
  if (text.find('.') != std::string_view::npos) return {};
  std::string with_point(text);
  with_point[comma] = '.';
  return parse_with_point(with_point);
}

std::optional<std::string> without_thousands(std::string_view text, char mark) {
  if (text.size() < 5 || text.front() == '0' || text.front() == mark) return std::nullopt;
  std::string digits;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool is_place = (text.size() - k) % 4 == 0;
    const bool is_valid = is_place ? text[k] == mark : text[k] >= '0' && text[k] <= '9';
    if (!is_valid) return std::nullopt;
    if (!is_place) digits += text[k];
  }
  return digits;
}

Number parse_with_thousands(std::string_view text, char mark, bool& is_evident) {
  const char decimal = mark == ',' ? '.' : ',';
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::string_view whole = text.substr(sign, text.find(decimal, sign) - sign);
  if (whole.find(mark) == std::string_view::npos) return parse_number(text, decimal == ',');
  const std::optional<std::string> digits = without_thousands(whole, mark);
  if (!digits) return {};
  const std::string_view fraction = text.substr(sign + whole.size());
  is_evident = is_evident || whole.size() - digits->size() > 1 || !fraction.empty();
  std::string plain(text.substr(0, sign));
  plain += *digits;
  plain += fraction;
  return parse_number(plain, decimal == ',');
}

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

bool begins_like_a_number(std::string_view field) {
  if (parse_number(field).is_number()) return true;
  const std::string_view rest = without_signs(field);
  return !rest.empty() &&
         std::string_view("0123456789+-.").find(rest.front()) != std::string_view::npos;
}

bool is_amount(std::string_view field) {
  const std::size_t bytes = currency_bytes(field);
  const std::string_view number = without_signs(field.substr(bytes));
  return bytes > 0 && number.find_first_not_of("0123456789.,'+- ") == std::string_view::npos &&
         number.find_first_of("0123456789") != std::string_view::npos;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown(text.substr(0, longest));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return "'" + shown + (text.size() > longest ? "...'" : "'");
}

bool is_missing_value(std::string_view field) {
  const std::string lower = in_lower_case(field);
  if (lower.starts_with("err:") && is_integer(std::string_view(lower).substr(4))) return true;
  return std::find(missing_values.begin(), missing_values.end(), lower) != missing_values.end();
}

bool begins_with_spreadsheet_error(std::string_view line) {
  constexpr std::size_t longest = 16;
  const std::string start = in_lower_case(line.substr(0, longest));
  return std::any_of(missing_values.begin(), missing_values.end(), [&](std::string_view value) {
    return value.starts_with('#') && start.starts_with(value) &&
           (start.size() == value.size() || !is_alphanumeric(start[value.size()]));
  });
}

std::string not_a_weight(std::string_view field) {
  if (!is_missing_value(field)) return in_quotes(field) + " is not a number";
  return (field.empty() ? "the cell is empty" : in_quotes(field) + " is a missing value") +
         std::string(missing_weight_help);
}

}  // namespace wrsgpu::weights
