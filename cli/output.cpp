#include "output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "progress.hpp"

namespace wrsgpu::cli {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

// Path of the temporary file, for the signal handler: the only state that it accesses.
std::array<char, PATH_MAX> temporary_path{};

extern "C" void remove_temporary(int signal_number) {
  unlink(temporary_path.data());
  std::signal(signal_number, SIG_DFL);
  static_cast<void>(raise(signal_number));
}

// Signals that are already ignored, as under nohup or in background jobs, remain ignored.
void remove_temporary_on_signals() {
  for (const int signal_number : ending_signals) {
    struct sigaction before {};
    if (sigaction(signal_number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    std::signal(signal_number, remove_temporary);
  }
}

// Blocks the signals that end the program for its lifetime.
class SignalBlocker {
 public:
  SignalBlocker() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal_number : ending_signals) sigaddset(&ending, signal_number);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  SignalBlocker(const SignalBlocker&) = delete;
  SignalBlocker& operator=(const SignalBlocker&) = delete;
  ~SignalBlocker() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

std::string reason(int error) { return std::generic_category().message(error); }

// `path` with symbolic links resolved.
std::string resolved(const std::string& path) {
  std::error_code error;
  const auto target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

int make_temporary(std::string& name) {
  if (name.size() < temporary_path.size()) return mkostemp(name.data(), O_CLOEXEC);
  errno = ENAMETOOLONG;
  return -1;
}

bool has_access_list(const std::string& path) {
  return getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

mode_t mode_of_new_files() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

// Maximum file size (`ulimit -f`).
std::uint64_t largest_file() {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

}  // namespace

std::string format_bytes(std::uint64_t bytes) {
  return short_count(static_cast<double>(bytes)) + "B";
}

OutputFile::OutputFile(const std::string& path) : name_(path), path_(path) {
  buffer_.reserve(buffer_bytes);
  if (path == "-") {
    descriptor_ = STDOUT_FILENO;
    name_ = "standard output";
    return;
  }
  path_ = resolved(path);
  struct stat status {};
  const bool exists = stat(path_.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else if (!exists) {
    mode_ = mode_of_new_files();
    open_temporary(false);
  } else if (access(path_.c_str(), W_OK) == 0) {
    mode_ = status.st_mode & 07777;
    old_bytes_ = static_cast<std::uint64_t>(status.st_size);
    is_copied_ = status.st_nlink > 1 || has_access_list(path_);
    open_temporary(true);
    if (!is_copied_) is_copied_ = fchown(descriptor_, status.st_uid, status.st_gid) != 0;
  }
  if (descriptor_ < 0) throw_unwritable(errno);
}

void OutputFile::open_temporary(bool exists) {
  temporary_ = path_ + ".XXXXXX";
  descriptor_ = make_temporary(temporary_);
  if (descriptor_ < 0 && exists) {
    // The directory is read-only, but the file itself is writable.
    temporary_ = (std::filesystem::temp_directory_path() / "wrsgpu.XXXXXX").string();
    descriptor_ = make_temporary(temporary_);
    is_copied_ = true;
  }
  if (descriptor_ < 0) {
    const int error = errno;
    temporary_.clear();
    throw_unwritable(error);
  }
  std::memcpy(temporary_path.data(), temporary_.c_str(), temporary_.size() + 1);
  remove_temporary_on_signals();
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_path.front() = '\0';
}

bool OutputFile::is_standard_output() const { return path_ == "-"; }

void OutputFile::require_room(std::uint64_t bytes, bool is_exact) {
  struct stat status {};
  struct statvfs system {};
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const auto reject = [&](std::string_view limit, std::uint64_t room, std::string_view rest) {
    throw Error(fmt::format("argument --output: '{}' needs {}{} bytes ({}), but {} {} bytes ({}){}",
                            name_, is_exact ? "" : "at least ", bytes, format_bytes(bytes), limit,
                            room, format_bytes(room), rest));
  };
  if (bytes > largest_file()) reject("files are limited to", largest_file(), " (ulimit -f)");
  if (fstatvfs(descriptor_, &system) != 0) return;
  const std::uint64_t room = std::uint64_t{system.f_bavail} * system.f_frsize;
  // The temporary file and its copy exist at the same time.
  const std::uint64_t copy = is_copied_ && bytes > old_bytes_ ? bytes - old_bytes_ : 0;
  if (bytes > room || copy > room - bytes) reject("only", room, " are available");
  if (!is_exact || temporary_.empty() || bytes == 0) return;
  if (fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) != 0 &&
      (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)) {
    reject("at most", room, " are available");
  }
}

void OutputFile::write(std::string_view bytes) {
  bytes_ += bytes.size();
  if (buffer_.size() + bytes.size() > buffer_bytes) flush();
  if (bytes.size() >= buffer_bytes) {
    write_through(bytes);
  } else {
    buffer_ += bytes;
  }
}

void OutputFile::flush() {
  write_through(buffer_);
  buffer_.clear();
}

void OutputFile::write_through(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) throw BrokenPipe();
    if (written < 0) throw_failed(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::throw_unwritable(int error) const {
  throw Error(fmt::format("argument --output: cannot write '{}': {}", name_, reason(error)));
}

void OutputFile::throw_failed(int error) const {
  throw RunError(fmt::format("argument --output: writing '{}' failed: {}", name_, reason(error)));
}

void OutputFile::commit() {
  flush();
  if (temporary_.empty()) return;
  if (is_copied_) {
    copy_into_place();
  } else {
    replace();
  }
}

void OutputFile::replace() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (fchmod(descriptor, mode_) != 0 || close(descriptor) != 0 ||
      rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw_failed(errno);
  }
  temporary_.clear();
}

void OutputFile::copy_into_place() {
  const int target = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (target < 0) throw_failed(errno);
  const SignalBlocker signal_blocker;
  int error = 0;
  if (bytes_ > 0 && fallocate(target, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes_)) != 0 &&
      errno != EOPNOTSUPP) {
    error = errno;  // the old content is intact
  }
  off_t place = 0;
  while (error == 0 && std::cmp_less(place, bytes_)) {
    const ssize_t copied =
        sendfile(target, descriptor_, &place, bytes_ - static_cast<std::uint64_t>(place));
    if (copied <= 0) error = copied < 0 ? errno : EIO;
  }
  if (error == 0 && ftruncate(target, static_cast<off_t>(bytes_)) != 0) error = errno;
  if (close(target) != 0 && error == 0) error = errno;
  if (error != 0) throw_failed(error);
}

}  // namespace wrsgpu::cli
