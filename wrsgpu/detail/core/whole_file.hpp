// Files that are there only when they are complete.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>

namespace wrsgpu {

/// Calls `write` with a stream whose bytes become the file `path`: until they are all there, they
/// have the name `path` + ".part", and an older file stays. A path that exists and is no regular
/// file, such as a pipe, is written to as it is. Throws `Error` that names the file.
void write_whole_file(const std::filesystem::path& path,
                      const std::function<void(std::ostream&)>& write);

}  // namespace wrsgpu
