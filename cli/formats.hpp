// Output formats of items and counts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "item_names.hpp"
#include "output.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::cli {

enum class Format { text, csv, npy };

/// The format given by `name` (--format) or, if that is empty, by the extension of `path` (.npy,
/// .csv, .txt; text without an extension). Throws `Error` for an unknown one, and for .npy on a
/// terminal.
[[nodiscard]] Format choose_format(std::string_view name, const std::string& path);

/// Throws `Error` unless there is space for `items` items: of `item_bytes` bytes each, or of their
/// minimum size as text.
void require_room_for_items(OutputFile& file, Format format, std::uint64_t items,
                            std::size_t item_bytes);

/// Writes `total` 32-bit or 64-bit items, in chunks.
template <class Number>
class ItemWriter {
 public:
  ItemWriter(OutputFile& file, Format format, std::uint64_t total);
  void write(std::span<const Number> items);

 private:
  OutputFile* file_;
  Format format_;
};

/// Writes items by name, as text or CSV. Throws `Error` for a label with a line break in text,
/// which has a label a line.
class NameWriter {
 public:
  NameWriter(OutputFile& file, Format format, const ItemNames& names);
  void write(std::span<const Index> items);

 private:
  OutputFile* file_;
  Format format_;
  const ItemNames* names_;
};

/// Writes the count of each of `items` items, which are passed in order and in chunks. Throws
/// `Error` if there is no space, and for labels as `NameWriter` does. In text format a line has
/// item and count, separated by a tab if items have names and by a blank otherwise.
class HistogramWriter {
 public:
  HistogramWriter(OutputFile& file, Format format, std::uint64_t items, const ItemNames& names);
  void write(std::span<const std::uint64_t> counts);

 private:
  OutputFile* file_;
  Format format_;
  const ItemNames* names_;
  std::uint64_t written_ = 0;
};

}  // namespace wrsgpu::cli
