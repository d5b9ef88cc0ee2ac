#include "wrsgpu/weight_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "wrsgpu/detail/weights/fields.hpp"
#include "wrsgpu/detail/weights/foreign_formats.hpp"
#include "wrsgpu/detail/weights/input.hpp"
#include "wrsgpu/detail/weights/npy.hpp"
#include "wrsgpu/detail/weights/text.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::weights {
namespace {

/// Throws `Error` that names the file and the reason if it cannot be opened.
std::ifstream open_file(const std::filesystem::path& path) {
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

void refuse_options(const WeightFileOptions& options, const std::string& name) {
  const auto refuse = [&](bool is_given, const std::string& option) {
    if (is_given) throw Error(option + ": " + name + " is a .npy file, which has no lines of text");
  };
  refuse(!options.column.empty(), "--column " + in_quotes(options.column));
  refuse(!options.delimiter.empty(), "--delimiter " + in_quotes(options.delimiter));
  refuse(options.header.has_value(), options.header.value_or(false) ? "--header" : "--no-header");
  refuse(options.decimal_comma, "--decimal-comma");
  refuse(!options.comment.empty(), "--comment " + in_quotes(options.comment));
  refuse(!options.labels.empty(), "--labels " + in_quotes(options.labels));
  refuse(options.line_numbers || options.lines, "--lines");
}

}  // namespace

WeightFile read_weight_file(std::istream& stream, std::string_view name,
                            const WeightFileOptions& options) {
  Input input(stream, name);
  // UTF-8 text never begins with the first byte of a .npy file.
  const bool begins_as_npy = input.peek(1) == npy_magic.substr(0, 1);
  if (!begins_as_npy) refuse_foreign_formats(input);
  if (!begins_as_npy && !name.ends_with(".npy")) return read_text(input, options);
  refuse_options(options, input.name());
  return read_npy(input, options.round_integers);
}

WeightFile read_weight_file(const std::filesystem::path& path, const WeightFileOptions& options) {
  if (path == "-") {
    DescriptorBuffer buffer(STDIN_FILENO);
    std::istream stream(&buffer);
    return read_weight_file(stream, "standard input", options);
  }
  std::ifstream stream = open_file(path);
  return read_weight_file(stream, path.string(), options);
}

OwnedWeights read_weights(const std::filesystem::path& path, const WeightFileOptions& options) {
  return read_weight_file(path, options).weights;
}

}  // namespace wrsgpu::weights
