// What the program writes: samples and histograms, whole or not at all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "wrsgpu/error.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::cli {

/// Thrown when writing fails, for example for a full disk: exit code 1.
class RunError : public Error {
 public:
  using Error::Error;
};

/// Thrown when whoever read standard output has seen enough, as in `wrsgpu sample … | head`.
class ReaderGone {};

enum class Format { text, csv, npy };

/// `name` as given with --format, or empty for what the extension of `path` says (.npy, .csv,
/// .txt; text where there is none). Throws `Error` for unknown ones.
[[nodiscard]] Format choose_format(std::string_view name, const std::string& path);

/// A file that appears under its name only when it is complete: until `commit` it has a temporary
/// name beside it, and is removed when the program ends early, by a signal too. "-" is standard
/// output; devices and pipes are written to as they are.
class OutputFile {
 public:
  /// Throws `Error` when the file cannot be made.
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Throws `RunError`, or `ReaderGone` for a closed pipe.
  void write(std::string_view bytes);
  void commit();

 private:
  void flush();

  std::string path_;
  std::string temporary_;  // empty when written to directly
  int descriptor_ = -1;
  std::string buffer_;
};

/// Writes `total` items that come in pieces, of 32 or 64 bits.
template <class Number>
class ItemWriter {
 public:
  ItemWriter(OutputFile& file, Format format, std::uint64_t total);
  void write(std::span<const Number> items);

 private:
  OutputFile* file_;
  Format format_;
};

using SampleWriter = ItemWriter<Index>;

/// Writes how often each item was drawn: `counts[i]` for item i.
void write_histogram(OutputFile& file, Format format, std::span<const std::uint64_t> counts);

}  // namespace wrsgpu::cli
