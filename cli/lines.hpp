// The lines of a file in memory, each at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "wrsgpu/detail/core/host_buffer.hpp"

namespace wrsgpu::cli {

/// 8 bytes a line besides the text.
class Lines {
 public:
  /// Reads a file, or standard input for "-". Throws `Error` when it cannot be read.
  explicit Lines(const std::string& path);

  [[nodiscard]] std::uint64_t size() const { return begins_.size() - 1; }
  /// Line `k`, counted from 0, with the '\n' that each has, the last one too.
  [[nodiscard]] std::string_view with_end(std::uint64_t k) const {
    return {text_.get() + begins_[k], begins_[k + 1] - begins_[k]};
  }

  /// Starts to load where line `k` begins; and the line, when that is there.
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
  HostBuffer<std::uint64_t> begins_;  // and after the last line
};

}  // namespace wrsgpu::cli
