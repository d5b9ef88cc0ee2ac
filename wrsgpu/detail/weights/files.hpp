// Common code of the readers of weight files.
#pragma once

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "wrsgpu/error.hpp"

namespace wrsgpu::weights {

/// Throws `Error` that names the file and the reason if it cannot be opened.
[[nodiscard]] inline std::ifstream open_file(const std::filesystem::path& path) {
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) {
    throw Error("cannot read '" + path.string() + "': " + std::generic_category().message(EISDIR));
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw Error("cannot open '" + path.string() +
                "': " + std::generic_category().message(errno == 0 ? EIO : errno));
  }
  return stream;
}

/// `text` from a file in quotes, suitable for a message of one line: truncated if long, without
/// control characters.
[[nodiscard]] inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown(text.substr(0, longest));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return "'" + shown + (text.size() > longest ? "...'" : "'");
}

}  // namespace wrsgpu::weights
