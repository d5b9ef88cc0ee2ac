#include "wrsgpu/weight_file.hpp"

#include <iostream>

#include "wrsgpu/detail/weights/files.hpp"
#include "wrsgpu/detail/weights/npy.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::weights {
namespace {

OwnedWeights read(std::istream& stream, const std::string& name, const TextFormat& format) {
  // No text in UTF-8 begins with the first byte of a .npy file.
  const bool is_npy = name.ends_with(".npy") ||
                      stream.peek() == std::istream::traits_type::to_int_type(npy_magic.front());
  if (!is_npy) return read_text(stream, name, format);
  if (!format.column.empty()) {
    throw Error("argument 'column' is '" + format.column + "', but " + name + " is a .npy file");
  }
  return read_npy(stream, name);
}

}  // namespace

OwnedWeights read_weights(const std::filesystem::path& path, const TextFormat& format) {
  if (path == "-") return read(std::cin, "standard input", format);
  std::ifstream stream = open_file(path);
  return read(stream, path.string(), format);
}

}  // namespace wrsgpu::weights
