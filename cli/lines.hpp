// The lines of a file in memory, with random access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "wrsgpu/detail/core/host_buffer.hpp"

namespace wrsgpu::cli {

/// Uses 8 bytes per line in addition to the text.
class Lines {
 public:
  /// Reads a file, or standard input for "-". Throws `Error` if it cannot be read.
  explicit Lines(const std::string& path);

  [[nodiscard]] std::uint64_t size() const { return begins_.size() - 1; }
  /// Line `k`, counted from 0, including its '\n', which the last line has, too.
  [[nodiscard]] std::string_view with_end(std::uint64_t k) const {
    return {text_.get() + begins_[k], begins_[k + 1] - begins_[k]};
  }

  /// Prefetch the offset of line `k` and, once that is cached, the line itself.
  void prefetch_begin(std::uint64_t k) const { __builtin_prefetch(begins_.data() + k); }
  void prefetch(std::uint64_t k) const { __builtin_prefetch(text_.get() + begins_[k]); }

 private:
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };

  void read(int descriptor);
  void make_room(std::size_t bytes);
  void find_lines();

  std::unique_ptr<char[], Free> text_;
  std::size_t bytes_ = 0;
  std::size_t capacity_ = 0;
  HostBuffer<std::uint64_t> begins_;  // offset of each line, and the end of the text
};

}  // namespace wrsgpu::cli
