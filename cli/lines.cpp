#include "lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include "wrsgpu/error.hpp"

namespace wrsgpu::cli {
namespace {

[[noreturn]] void throw_unreadable(const std::string& path, int error) {
  throw Error(fmt::format("cannot read '{}': {}", path, std::generic_category().message(error)));
}

}  // namespace

Lines::Lines(const std::string& path) {
  const bool is_input = path == "-";
  const int descriptor = is_input ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw_unreadable(path, errno);
  errno = 0;
  read(descriptor);
  const int error = errno;
  if (!is_input) close(descriptor);
  if (error != 0) throw_unreadable(is_input ? "standard input" : path, error);
  find_lines();
}

// Leaves errno unchanged unless reading fails.
void Lines::read(int descriptor) {
  struct stat status {};
  const bool has_size = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  // One more byte for a final '\n', and one to detect the end of the file.
  make_room(has_size ? static_cast<std::size_t>(status.st_size) + 2 : std::size_t{1} << 20);
  for (;;) {
    if (bytes_ + 1 >= capacity_) make_room(capacity_ + capacity_ / 2);
    const ssize_t got = ::read(descriptor, text_.get() + bytes_, capacity_ - bytes_ - 1);
    if (got < 0 && errno == EINTR) {
      errno = 0;
      continue;
    }
    if (got <= 0) break;
    bytes_ += static_cast<std::size_t>(got);
  }
}

// realloc remaps the pages of large blocks instead of copying them, and untouched pages occupy no
// memory.
void Lines::make_room(std::size_t bytes) {
  char* const larger = static_cast<char*>(std::realloc(text_.get(), bytes));
  if (larger == nullptr) throw std::bad_alloc();
  static_cast<void>(text_.release());
  text_.reset(larger);
  capacity_ = bytes;
}

void Lines::find_lines() {
  if (bytes_ > 0 && text_[bytes_ - 1] != '\n') text_[bytes_++] = '\n';
  const char* const begin = text_.get();
  const char* const end = begin + bytes_;
  begins_ = HostBuffer<std::uint64_t>(static_cast<std::size_t>(std::count(begin, end, '\n')) + 1);
  std::size_t line = 0;
  begins_[0] = 0;
  for (const char* at = begin; at < end;) {
    const auto left = static_cast<std::size_t>(end - at);
    at = static_cast<const char*>(std::memchr(at, '\n', left)) + 1;
    begins_[++line] = static_cast<std::uint64_t>(at - begin);
  }
}

}  // namespace wrsgpu::cli
