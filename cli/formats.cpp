#include "formats.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "wrsgpu/detail/weights/npy.hpp"

namespace wrsgpu::cli {
namespace {

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

Format named_format(std::string_view name, const std::string& path) {
  if (name == "text") return Format::text;
  if (name == "csv") return Format::csv;
  if (name == "npy") return Format::npy;
  if (!name.empty()) {
    throw Error(
        fmt::format("argument --format: unknown format '{}' (known: text, csv, npy)", name));
  }
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension.empty() || extension == ".txt") return Format::text;
  if (extension == ".csv") return Format::csv;
  if (extension == ".npy") return Format::npy;
  throw Error(fmt::format(
      "argument --output: '{}' has an extension of no format (.txt, .csv, .npy); give --format",
      path));
}

/// Throws `Error` unless there is space for `count` values of `bytes` bytes each and `more` bytes.
void require_room_for(OutputFile& file, std::uint64_t count, std::uint64_t bytes,
                      std::uint64_t more, bool is_exact) {
  std::uint64_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all) || __builtin_add_overflow(all, more, &all)) {
    all = ~std::uint64_t{0};
  }
  file.require_room(all, is_exact);
}

/// A CSV field, quoted if necessary (RFC 4180).
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) field.append(c == '"' ? 2 : 1, c);
  return field + '"';
}

std::string name_of(const ItemNames& names, Format format, Index item) {
  const bool is_field = format == Format::csv && !names.are_lines();
  return is_field ? csv_field(names[item]) : std::string(names[item]);
}

std::string header_of(const ItemNames& names) {
  return names.are_lines() ? names.header() : csv_field(names.header());
}

/// Throws `Error` for a label with a line break, where the format has a label a line.
void require_labels_fit(const ItemNames& names, Format format) {
  if (format != Format::text || names.are_lines()) return;
  for (std::uint64_t item = 0; item < names.size(); ++item) {
    if (names[static_cast<Index>(item)].find_first_of("\r\n") == std::string_view::npos) continue;
    throw Error(fmt::format(
        "argument --labels: the label of item {} has a line break, and text has a label a line; "
        "give --format csv, which quotes it",
        item));
  }
}

}  // namespace

Format choose_format(std::string_view name, const std::string& path) {
  const Format format = named_format(name, path);
  if (format == Format::npy && path == "-" && isatty(STDOUT_FILENO) == 1) {
    throw Error(
        "argument --format: npy is binary, and standard output is a terminal; give --output, or "
        "redirect it");
  }
  return format;
}

void require_room_for_items(OutputFile& file, Format format, std::uint64_t items,
                            std::size_t item_bytes) {
  if (format == Format::npy) {
    // The length of the header does not depend on the type.
    require_room_for(file, items, item_bytes, weights::npy_header<std::uint64_t>(items).size(),
                     true);
  } else {
    require_room_for(file, items, 1, 0, false);
  }
}

template <class Number>
ItemWriter<Number>::ItemWriter(OutputFile& file, Format format, std::uint64_t total)
    : file_(&file), format_(format) {
  if (format == Format::npy) file.write(weights::npy_header<Number>(total));
  if (format == Format::csv) file.write("item\n");
}

template <class Number>
void ItemWriter<Number>::write(std::span<const Number> items) {
  if (format_ == Format::npy) {
    file_->write(bytes_of(items));
    return;
  }
  std::string text;
  for (const Number item : items) {
    const fmt::format_int digits(item);
    text.assign(digits.data(), digits.size());
    text += '\n';
    file_->write(text);
  }
}

template class ItemWriter<std::uint32_t>;
template class ItemWriter<std::uint64_t>;

NameWriter::NameWriter(OutputFile& file, Format format, const ItemNames& names)
    : file_(&file), format_(format), names_(&names) {
  require_labels_fit(names, format);
  if (const std::string header = header_of(names); format == Format::csv && !header.empty()) {
    file.write(header + '\n');
  }
}

void NameWriter::write(std::span<const Index> items) {
  for (const Index item : items) file_->write(name_of(*names_, format_, item) + '\n');
}

HistogramWriter::HistogramWriter(OutputFile& file, Format format, std::uint64_t items,
                                 const ItemNames& names)
    : file_(&file), format_(format), names_(&names) {
  require_labels_fit(names, format);
  if (format == Format::npy) {
    require_room_for_items(file, format, items, sizeof(std::uint64_t));
    file.write(weights::npy_header<std::uint64_t>(items));
    return;
  }
  require_room_for(file, items, 3, 0, false);
  const std::string header = names.are_numbers() ? "item" : header_of(names);
  if (format == Format::csv && !header.empty()) file.write(header + ",count\n");
}

void HistogramWriter::write(std::span<const std::uint64_t> counts) {
  if (format_ == Format::npy) {
    file_->write(bytes_of(counts));
    return;
  }
  const bool are_numbers = names_->are_numbers();
  const char separator = format_ == Format::csv ? ',' : are_numbers ? ' ' : '\t';
  for (const std::uint64_t count : counts) {
    std::string line = are_numbers ? fmt::format_int(written_).str()
                                   : name_of(*names_, format_, static_cast<Index>(written_));
    line += separator;
    line += fmt::format_int(count).c_str();
    line += '\n';
    file_->write(line);
    ++written_;
  }
}

}  // namespace wrsgpu::cli
