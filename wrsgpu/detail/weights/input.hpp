// Buffered input from a file or a pipe, by blocks and lines, with lookahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace wrsgpu::weights {

/// Reads a file descriptor in large blocks. `std::cin` reads character by character while it is
/// synchronised with stdio, which a library should not change.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) {}

 protected:
  int_type underflow() override;
  std::streamsize xsgetn(char* to, std::streamsize count) override;

 private:
  /// Number of bytes that read(2) returned, 0 at the end. Throws `std::system_error`.
  std::size_t read_some(char* to, std::size_t count) const;

  int descriptor_;
  std::vector<char> block_;
};

/// A named stream that can be examined before it is read.
class Input {
 public:
  Input(std::istream& stream, std::string_view name) : stream_(stream), name_(name) {}

  [[nodiscard]] const std::string& name() const { return name_; }

  /// The next `bytes` bytes, fewer at the end. Valid until the next call of any member.
  [[nodiscard]] std::string_view peek(std::size_t bytes);
  void skip(std::size_t bytes);
  /// Reads up to `bytes` bytes; fewer are the last ones.
  [[nodiscard]] std::size_t read(char* to, std::size_t bytes);
  /// Number of bytes up to the end, for seekable streams.
  [[nodiscard]] std::optional<std::uint64_t> bytes_left();

  /// The next line without its \n; nothing at the end. Valid until the next call of any member.
  [[nodiscard]] std::optional<std::string_view> next_line();
  /// The last result of `next_line`, extended by one more line; nothing if it was the last line.
  [[nodiscard]] std::optional<std::string_view> extended_line();
  /// Number of lines consumed.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

 private:
  [[nodiscard]] std::string_view rest() const { return {buffer_.data() + begin_, end_ - begin_}; }
  /// Reads past the buffer. Returns fewer than `bytes` bytes only at the end.
  std::size_t read_stream(char* to, std::size_t bytes);
  /// Appends at least one byte to `rest()`; false at the end of the stream.
  bool fill();
  /// The end of the line that begins at `begin_`, searched from `from` on. Moves the line to the
  /// front of the buffer (`begin_` = 0) if more bytes are needed, so the result is relative to
  /// `begin_`.
  std::size_t line_end(std::size_t from);

  std::istream& stream_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // start of the unconsumed bytes, or of the line consumed last
  std::size_t end_ = 0;
  std::size_t taken_ = 0;  // number of bytes of the last line from begin_ on, with its \n
  std::uint64_t lines_ = 0;
  bool at_end_ = false;
};

}  // namespace wrsgpu::weights
