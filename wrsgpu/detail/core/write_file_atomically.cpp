#include "wrsgpu/detail/core/write_file_atomically.hpp"

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#include "wrsgpu/error.hpp"

namespace wrsgpu {

void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream&)>& write) {
  if (path.empty()) throw Error("cannot write a file that has no name");
  std::error_code ignored;
  const bool in_place =
      std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
  std::filesystem::path written = path;
  if (!in_place) written += ".part";
  errno = 0;
  std::ofstream stream(written, std::ios::binary | std::ios::trunc);
  if (!stream) {
    throw Error("cannot write '" + path.string() +
                "': " + std::generic_category().message(errno == 0 ? EIO : errno));
  }
  try {
    write(stream);
    stream.close();
    if (!stream) throw Error(path.string() + ": writing failed");
    if (!in_place) std::filesystem::rename(written, path);
  } catch (const std::exception& failure) {
    if (!in_place) std::filesystem::remove(written, ignored);
    throw Error(failure.what());
  }
}

}  // namespace wrsgpu
