// Atomic file output.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>

namespace wrsgpu {

/// Calls `write` with a stream whose bytes become the file `path`. Until it is complete, the file
/// is named `path` + ".part", and an older file is kept. A path that exists and is not a regular
/// file, such as a pipe, is written directly. Throws `Error` that names the file.
void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream&)>& write);

}  // namespace wrsgpu
