// The formats that items and counts are written in.
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

/// `name` as given with --format, or empty for what the extension of `path` says (.npy, .csv,
/// .txt; text where there is none). Throws `Error` for unknown ones, and for .npy on a terminal.
[[nodiscard]] Format choose_format(std::string_view name, const std::string& path);

/// Throws `Error` where there is no room for `items` items of `item_bytes` each, or for their
/// minimum size as text.
void require_room_for_items(OutputFile& file, Format format, std::uint64_t items,
                            std::size_t item_bytes);

/// Writes `total` items of 32 or 64 bits, in chunks.
template <class Number>
class ItemWriter {
 public:
  ItemWriter(OutputFile& file, Format format, std::uint64_t total);
  void write(std::span<const Number> items);

 private:
  OutputFile* file_;
  Format format_;
};

/// Writes items by name, as text or CSV.
class NameWriter {
 public:
  NameWriter(OutputFile& file, Format format, const ItemNames& names);
  void write(std::span<const Index> items);

 private:
  OutputFile* file_;
  Format format_;
  const ItemNames* names_;
};

/// Writes the count of each of `items` items. Throws `Error` where there is no room. Takes the
/// counts in chunks, in order. As text a line has item and count, with a tab between where items
/// have names.
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
