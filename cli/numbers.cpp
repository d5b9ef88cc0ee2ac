#include "numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "wrsgpu/detail/weights/fields.hpp"

namespace wrsgpu::cli {
namespace {

using Whole = std::optional<std::uint64_t>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// a * b, or nullopt on overflow.
Whole product(Whole a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (!a || __builtin_mul_overflow(*a, b, &result)) return std::nullopt;
  return result;
}

Whole power(std::uint64_t base, std::uint64_t exponent) {
  if (base < 2) return exponent == 0 ? 1 : base;
  Whole result = 1;
  for (std::uint64_t k = 0; result && k < exponent; ++k) result = product(result, base);
  return result;
}

/// Parses digits with optional single underscores between them.
Whole digits(std::string_view text) {
  if (text.empty() || !is_digit(text.front()) || !is_digit(text.back())) return std::nullopt;
  Whole number = 0;
  char last = '0';
  for (const char c : text) {
    if (c == '_' && last == '_') return std::nullopt;
    if (c != '_') {
      if (!is_digit(c)) return std::nullopt;
      const auto digit = static_cast<std::uint64_t>(c - '0');
      number = product(number, 10);
      std::uint64_t sum = 0;
      if (!number || __builtin_add_overflow(*number, digit, &sum)) return std::nullopt;
      number = sum;
    }
    last = c;
  }
  return number;
}

/// `text` * factor * 10^exponent, where `text` may have a decimal point; nullopt unless the result
/// is a whole number.
Whole scaled(std::string_view text, std::uint64_t factor, std::uint64_t exponent) {
  std::string whole(text.substr(0, text.find('.')));
  const bool has_point = whole.size() < text.size();
  std::string fraction(has_point ? text.substr(whole.size() + 1) : "");
  if (has_point && !digits(fraction)) return std::nullopt;
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  if (fraction.empty())
    return product(product(digits(whole), factor), power(10, exponent).value_or(0));
  if (fraction.size() > exponent) return std::nullopt;
  const Whole zeros = power(10, exponent - fraction.size());
  return zeros ? product(product(digits(whole + fraction), factor), *zeros) : std::nullopt;
}

/// Suffix of a number: a factor and a power of 10.
struct Unit {
  std::string_view name;
  std::uint64_t factor;
  std::uint64_t exponent;
};
constexpr std::array units{
    Unit{"Ki", std::uint64_t{1} << 10, 0},
    Unit{"Mi", std::uint64_t{1} << 20, 0},
    Unit{"Gi", std::uint64_t{1} << 30, 0},
    Unit{"Ti", std::uint64_t{1} << 40, 0},
    Unit{"k", 1, 3},
    Unit{"K", 1, 3},
    Unit{"M", 1, 6},
    Unit{"G", 1, 9},
    Unit{"T", 1, 12},
};

Whole parse(std::string_view text) {
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    return scaled(text.substr(0, text.size() - unit.name.size()), unit.factor, unit.exponent);
  }
  if (const std::size_t caret = text.find('^'); caret != std::string_view::npos) {
    const Whole base = digits(text.substr(0, caret));
    const Whole exponent = digits(text.substr(caret + 1));
    return base && exponent ? power(*base, *exponent) : std::nullopt;
  }
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos) return scaled(text, 1, 0);
  std::string_view exponent = text.substr(e + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  const Whole tens = digits(exponent);
  return tens && *tens < 20 ? scaled(text.substr(0, e), 1, *tens) : std::nullopt;
}

/// Whether commas separate the thousands of the number that `text` begins with, before its unit.
bool has_thousands(std::string_view text) {
  text = text.substr(0, text.find_last_of("0123456789") + 1);
  return weights::without_thousands(text, ',').has_value();
}

/// How to write a number that has commas; empty if it is none.
std::string explain_commas(std::string_view text, std::uint64_t largest) {
  std::string plain(text);
  std::string with_underscores(text);
  std::string with_point(text);
  const auto commas = std::erase(plain, ',');
  std::replace(with_underscores.begin(), with_underscores.end(), ',', '_');
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  std::string decimal;  // the number if the comma is decimal; empty if that is no whole number
  if (const Whole value = parse(with_point); commas == 1 && value && *value <= largest) {
    decimal = std::to_string(*value);
  }
  if (has_thousands(text)) {
    const Whole whole = parse(plain);
    if (!whole || *whole > largest) return {};
    if (commas > 1) {
      return fmt::format("'{}' has commas: write {} or {}", text, plain, with_underscores);
    }
    return fmt::format("'{}' is ambiguous: write {} or {}; if the comma is decimal, {}", text,
                       plain, with_underscores,
                       decimal.empty() ? "it is no whole number" : "write " + decimal);
  }
  if (decimal.empty()) return {};
  return fmt::format("'{}' has a decimal comma: write {} or {}", text, with_point, decimal);
}

}  // namespace

std::string parse_whole_number(std::string_view text, std::uint64_t least, std::uint64_t largest,
                               std::uint64_t& number) {
  if (text.find(',') != std::string_view::npos) {
    std::string help = explain_commas(text, largest);
    if (!help.empty()) return help;
  }
  const Whole parsed = parse(text);
  const bool is_negative = text.starts_with('-') && parse(text.substr(1));
  if (is_negative || (parsed && *parsed < least)) {
    return fmt::format("'{}' must be at least {}", text, least);
  }
  if (parsed && *parsed > largest) {
    return fmt::format("'{}' must be at most {}", text, largest);
  }
  if (!parsed) {
    return fmt::format(
        "'{}' is not a whole number from {} to {}, such as 1000, 10_000, 1e6, 1M or 2^20", text,
        least, largest);
  }
  number = *parsed;
  return {};
}

void take_whole_numbers(CLI::Option& option, std::uint64_t least, std::uint64_t largest) {
  const CLI::Validator validator(
      [least, largest](std::string& text) {
        std::uint64_t number = 0;
        std::string problem = parse_whole_number(text, least, largest, number);
        if (problem.empty()) text = std::to_string(number);
        return problem;
      },
      "");
  option.transform(validator);
}

}  // namespace wrsgpu::cli
