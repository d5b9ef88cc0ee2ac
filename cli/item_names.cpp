#include "item_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "wrsgpu/detail/weights/text.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::cli {
namespace {

/// Whether the reader of weights skips a line.
bool is_skipped(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos || line[first] == '#';
}

/// Whether the reader takes the first line that it does not skip for the names of columns.
bool is_header(const std::string& line, const std::string& column) {
  const bool is_number =
      std::all_of(column.begin(), column.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) return true;
  std::istringstream stream(line);
  try {
    static_cast<void>(weights::read_text(stream, "", {.column = column}));
    return false;
  } catch (const Error&) {
    return true;
  }
}

bool has_no_lines(const std::string& path) {
  return path == "-" || path.ends_with(".npy") || path.ends_with(".npz");
}

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void require_lines(const std::string& path) {
  if (path == "-") {
    throw Error("arguments --lines, --labels: standard input can be read once only; give a file");
  }
  if (has_no_lines(path)) {
    throw Error(fmt::format("arguments --lines, --labels: '{}' has no lines", path));
  }
}

}  // namespace

ItemSource read_item_source(const std::string& path, const std::string& column, std::uint64_t items,
                            const std::string& label_column) {
  require_lines(path);
  ItemSource source;
  std::ifstream file(path, std::ios::binary);
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (is_skipped(line)) continue;
    if (source.line_of_item.empty() && source.header_line == 0 && is_header(line, column)) {
      source.header_line = number;
    } else {
      source.line_of_item.push_back(number);
    }
  }
  if (source.line_of_item.size() != items) {
    throw Error(fmt::format("arguments --lines, --labels: '{}' has {} lines and {} weights", path,
                            source.line_of_item.size(), items));
  }
  if (!label_column.empty()) source.labels = weights::read_labels(path, {.column = label_column});
  return source;
}

std::string header_note(const std::string& path, const std::string& column) {
  if (path.empty() || has_no_lines(path)) return {};
  std::ifstream file(path, std::ios::binary);
  bool has_header = false;
  std::uint64_t number = 1;
  for (std::string line; std::getline(file, line); ++number) {
    if (is_skipped(line)) continue;
    if (has_header || !is_header(line, column)) break;
    has_header = true;
  }
  if (!has_header) return {};
  return fmt::format("item 0 is line {} of {}, after the header; --lines writes the lines", number,
                     path);
}

ItemNames::ItemNames(const std::string& path, const std::string& column, std::uint64_t items,
                     const std::string& label_column)
    : source_(read_item_source(path, column, items, label_column)), label_column_(label_column) {
  if (label_column.empty()) lines_.emplace(path);
}

std::string_view ItemNames::line_text(std::uint64_t line) const {
  return without_return((*lines_)[line - 1]);
}

std::string ItemNames::header() const {
  if (lines_) {
    const std::uint64_t line = source_.header_line;
    return line == 0 ? std::string() : std::string(line_text(line));
  }
  const bool is_number = std::all_of(label_column_.begin(), label_column_.end(),
                                     [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? "label" : label_column_;
}

}  // namespace wrsgpu::cli
