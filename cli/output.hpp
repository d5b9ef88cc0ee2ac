// The output file of a command, written completely or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wrsgpu/error.hpp"

namespace wrsgpu::cli {

/// Thrown if writing fails, for example because the disk is full: exit code 1.
class RunError : public Error {
 public:
  using Error::Error;
};

/// Thrown if the reader of standard output has closed it, as in `wrsgpu sample … | head`.
class BrokenPipe {};

/// A file that appears under its name only when it is complete: until `commit` it has a temporary
/// name, under which it is removed if the program ends early, also by a signal. An existing file
/// keeps its mode, owner, access control list and links; a read-only one is an error. "-" is
/// standard output; devices and pipes are written to directly. Signals that were ignored remain
/// ignored.
class OutputFile {
 public:
  /// Throws `Error` if the file cannot be created.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Throws `Error`, giving both sizes, if there is no space for a file of `bytes` bytes, or of at
  /// least `bytes` unless `is_exact`. An exact size is also reserved if the file system supports
  /// it.
  void require_room(std::uint64_t bytes, bool is_exact);

  /// Throws `RunError`, or `BrokenPipe` for a closed pipe.
  void write(std::string_view bytes);
  void commit();

  /// Name of the destination for messages, and the number of bytes written.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] bool is_standard_output() const;

 private:
  void open_temporary(bool exists);
  void flush();
  void write_through(std::string_view bytes);
  void replace();
  void copy_into_place();
  [[noreturn]] void throw_unwritable(int error) const;
  [[noreturn]] void throw_failed(int error) const;

  std::string name_;
  std::string path_;       // with symbolic links resolved
  std::string temporary_;  // empty if the file is written to directly
  int descriptor_ = -1;
  std::uint32_t mode_ = 0;       // of the finished file
  std::uint64_t old_bytes_ = 0;  // size of the file to be replaced
  bool is_copied_ = false;       // into the existing file, because a rename would not preserve it
  std::uint64_t bytes_ = 0;
  std::string buffer_;
};

/// Formats a number of bytes, for example "800 MB".
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace wrsgpu::cli
