#include "output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "wrsgpu/detail/weights/npy.hpp"

namespace wrsgpu::cli {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

// The one temporary file, for the signal handler, which may touch nothing else.
std::array<char, PATH_MAX> temporary_path{};

extern "C" void remove_temporary(int signal_number) {
  unlink(temporary_path.data());
  std::signal(signal_number, SIG_DFL);
  static_cast<void>(raise(signal_number));
}

std::string reason(int error) { return std::generic_category().message(error); }

// The file that `path` stands for, symbolic links followed.
std::string resolved(const std::string& path) {
  std::error_code error;
  const auto target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

Format choose_format(std::string_view name, const std::string& path) {
  if (name == "text") return Format::text;
  if (name == "csv") return Format::csv;
  if (name == "npy") return Format::npy;
  if (!name.empty()) {
    throw Error(
        fmt::format("argument --format: unknown format '{}' (known: text, csv, npy)", name));
  }
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension.empty() || extension == ".txt") return Format::text;
  if (extension == ".csv") return Format::csv;
  if (extension == ".npy") return Format::npy;
  throw Error(fmt::format(
      "argument --output: '{}' has an extension of no format (.txt, .csv, .npy); give --format",
      path));
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  buffer_.reserve(buffer_bytes);
  if (path_ == "-") {
    descriptor_ = STDOUT_FILENO;
    path_ = "standard output";
    return;
  }
  path_ = resolved(path_);
  struct stat status {};
  if (stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary_ = path_ + ".XXXXXX";
    if (temporary_.size() < temporary_path.size()) {
      descriptor_ = mkostemp(temporary_.data(), O_CLOEXEC);
    } else {
      errno = ENAMETOOLONG;
    }
  }
  if (descriptor_ < 0) {
    throw Error(fmt::format("argument --output: cannot write '{}': {}", path_, reason(errno)));
  }
  if (temporary_.empty()) return;
  std::memcpy(temporary_path.data(), temporary_.c_str(), temporary_.size() + 1);
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    std::signal(signal_number, remove_temporary);
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_path.front() = '\0';
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_bytes) flush();
  buffer_ += bytes;
}

void OutputFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) throw ReaderGone();
    if (written < 0) {
      throw RunError(
          fmt::format("argument --output: writing '{}' failed: {}", path_, reason(errno)));
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void OutputFile::commit() {
  flush();
  if (temporary_.empty()) return;
  // mkostemp makes files that only the owner may read.
  const mode_t mask = umask(0);
  umask(mask);
  const int descriptor = std::exchange(descriptor_, -1);
  if (fchmod(descriptor, 0666 & ~mask) != 0 || close(descriptor) != 0 ||
      rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw RunError(fmt::format("argument --output: writing '{}' failed: {}", path_, reason(errno)));
  }
  temporary_.clear();
}

template <class Number>
ItemWriter<Number>::ItemWriter(OutputFile& file, Format format, std::uint64_t total)
    : file_(&file), format_(format) {
  if (format == Format::npy) file.write(weights::npy_header<Number>(total));
  if (format == Format::csv) file.write("item\n");
}

template <class Number>
void ItemWriter<Number>::write(std::span<const Number> items) {
  if (format_ == Format::npy) {
    file_->write(bytes_of(items));
    return;
  }
  for (const Number item : items) {
    file_->write(fmt::format_int(item).c_str());
    file_->write("\n");
  }
}

template class ItemWriter<std::uint32_t>;
template class ItemWriter<std::uint64_t>;

void write_histogram(OutputFile& file, Format format, std::span<const std::uint64_t> counts) {
  if (format == Format::npy) {
    file.write(weights::npy_header<std::uint64_t>(counts.size()));
    file.write(bytes_of(counts));
    return;
  }
  if (format == Format::csv) file.write("item,count\n");
  const char separator = format == Format::csv ? ',' : ' ';
  for (std::size_t item = 0; item < counts.size(); ++item) {
    file.write(fmt::format("{}{}{}\n", item, separator, counts[item]));
  }
}

}  // namespace wrsgpu::cli
