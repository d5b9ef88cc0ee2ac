// The file that a command writes: whole or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wrsgpu/error.hpp"

namespace wrsgpu::cli {

/// Thrown when writing fails, for example for a full disk: exit code 1.
class RunError : public Error {
 public:
  using Error::Error;
};

/// Thrown when the reader of standard output has closed it, as in `wrsgpu sample … | head`.
class ReaderGone {};

/// A file that appears under its name only when it is complete: until `commit` it has a temporary
/// name, and is removed when the program ends early, by a signal too. A file that exists keeps its
/// mode, owner, access list and links; a read-only one is an error. "-" is standard output; devices
/// and pipes are written to directly. Signals that were ignored stay ignored.
class OutputFile {
 public:
  /// Throws `Error` when the file cannot be made.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Throws `Error`, with the numbers, where there is no room for a file of at least `bytes` bytes,
  /// or of as many: then the room is also reserved, where the file system can.
  void require_room(std::uint64_t bytes, bool is_exact);

  /// Throws `RunError`, or `ReaderGone` for a closed pipe.
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
  std::string path_;       // links followed
  std::string temporary_;  // empty when written to directly
  int descriptor_ = -1;
  std::uint32_t mode_ = 0;       // that the file shall have
  std::uint64_t old_bytes_ = 0;  // that the file has so far
  bool is_copied_ = false;       // into the file that there is, which a rename would not keep
  std::uint64_t bytes_ = 0;
  std::string buffer_;
};

/// A number of bytes for people, for example "800 MB".
[[nodiscard]] std::string shown_bytes(std::uint64_t bytes);

}  // namespace wrsgpu::cli
