#include "wrsgpu/detail/weights/input.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "wrsgpu/error.hpp"

namespace wrsgpu::weights {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

}  // namespace

std::size_t DescriptorBuffer::read_some(char* to, std::size_t count) const {
  for (;;) {
    const ssize_t got = ::read(descriptor_, to, count);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw std::system_error(errno, std::generic_category());
  }
}

DescriptorBuffer::int_type DescriptorBuffer::underflow() {
  block_.resize(block_bytes);
  const std::size_t got = read_some(block_.data(), block_.size());
  setg(block_.data(), block_.data(), block_.data() + got);
  return got == 0 ? traits_type::eof() : traits_type::to_int_type(block_.front());
}

std::streamsize DescriptorBuffer::xsgetn(char* to, std::streamsize count) {
  std::streamsize done = std::min<std::streamsize>(egptr() - gptr(), count);
  std::copy_n(gptr(), done, to);
  setg(eback(), gptr() + done, egptr());
  while (done < count) {
    const std::size_t got = read_some(to + done, static_cast<std::size_t>(count - done));
    if (got == 0) break;
    done += static_cast<std::streamsize>(got);
  }
  return done;
}

std::size_t Input::read_stream(char* to, std::size_t bytes) {
  errno = 0;
  stream_.read(to, static_cast<std::streamsize>(bytes));
  if (stream_.bad()) {
    const std::string place = lines_ == 0 ? "" : " after line " + std::to_string(lines_);
    const std::string reason = errno == 0 ? "" : ": " + std::generic_category().message(errno);
    throw Error(name_ + ": reading failed" + place + reason);
  }
  at_end_ = !stream_;
  return static_cast<std::size_t>(stream_.gcount());
}

bool Input::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  if (buffer_.size() - end_ < block_bytes / 2) {
    buffer_.resize(std::max(block_bytes, 2 * buffer_.size()));
  }
  const std::size_t got = read_stream(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  return got > 0;
}

std::string_view Input::peek(std::size_t bytes) {
  skip(0);
  while (end_ - begin_ < bytes && fill()) {
  }
  return rest().substr(0, bytes);
}

void Input::skip(std::size_t bytes) { begin_ += std::exchange(taken_, 0) + bytes; }

std::size_t Input::read(char* to, std::size_t bytes) {
  skip(0);
  const std::string_view ready = rest().substr(0, bytes);
  std::copy(ready.begin(), ready.end(), to);
  skip(ready.size());
  if (ready.size() == bytes || at_end_) return ready.size();
  return ready.size() + read_stream(to + ready.size(), bytes - ready.size());
}

std::optional<std::uint64_t> Input::bytes_left() {
  const std::uint64_t ready = end_ - begin_ - taken_;
  if (at_end_) return ready;
  const std::istream::pos_type here = stream_.tellg();
  if (here == std::istream::pos_type(-1)) {
    stream_.clear();
    return std::nullopt;
  }
  stream_.seekg(0, std::ios::end);
  const std::istream::pos_type end = stream_.tellg();
  stream_.seekg(here);
  if (!stream_ || end < here) {
    stream_.clear();
    return std::nullopt;
  }
  return ready + static_cast<std::uint64_t>(end - here);
}

std::size_t Input::line_end(std::size_t from) {
  for (;;) {
    const std::string_view text = rest();
    const std::size_t end = text.find('\n', from);
    if (end != std::string_view::npos) return end;
    from = text.size();
    if (!fill()) return from;
  }
}

std::optional<std::string_view> Input::next_line() {
  skip(0);
  const std::size_t end = line_end(0);
  if (rest().empty()) return std::nullopt;
  ++lines_;
  taken_ = std::min(end + 1, rest().size());
  return rest().substr(0, end);
}

std::optional<std::string_view> Input::extended_line() {
  const std::size_t end = line_end(taken_);
  if (end <= taken_ && taken_ == rest().size()) return std::nullopt;
  ++lines_;
  taken_ = std::min(end + 1, rest().size());
  return rest().substr(0, end);
}

}  // namespace wrsgpu::weights
