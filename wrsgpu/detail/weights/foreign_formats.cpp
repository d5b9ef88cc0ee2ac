#include "wrsgpu/detail/weights/foreign_formats.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "wrsgpu/detail/weights/fields.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::weights {
namespace {

using std::string_view_literals::operator""sv;

struct ForeignFormat {
  std::string_view start;
  std::string_view what;
  std::string_view command;  // before the name of the file
};

constexpr std::array<ForeignFormat, 11> formats{{
    {"\x1F\x8B"sv, "compressed by gzip"sv, "gzip -dc "sv},
    {"\xFD"
     "7zXZ"sv,
     "compressed by xz"sv, "xz -dc "sv},
    {"\x28\xB5\x2F\xFD"sv, "compressed by zstd"sv, "zstd -dc "sv},
    {"\x04\x22\x4D\x18"sv, "compressed by lz4"sv, "lz4 -dc "sv},
    {"\xFF\xFE"sv, "text in UTF-16"sv, "iconv -f UTF-16 -t UTF-8 "sv},
    {"\xFE\xFF"sv, "text in UTF-16"sv, "iconv -f UTF-16 -t UTF-8 "sv},
    {"\x89HDF"sv, "an HDF5 file"sv, ""sv},
    {"PAR1\x15"sv, "a Parquet file"sv, ""sv},
    {"\xD0\xCF\x11\xE0"sv, "a workbook of Excel"sv, ""sv},
    {"%PDF"sv, "a PDF file"sv, ""sv},
    {"wrsgpu table\x01"sv, "a table of wrsgpu, which C++ and Python load"sv, ""sv},
}};

constexpr std::string_view zip_start = "PK\x03\x04";

/// The name of the first file in the archive, as its local header says; empty when it is cut off.
std::string first_member(Input& input) {
  constexpr std::size_t header_bytes = 30;
  const std::string_view header = input.peek(header_bytes);
  if (header.size() < header_bytes) return {};
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(header[k]); };
  const std::size_t length = byte(26) + std::size_t{256} * byte(27);
  const std::string_view start = input.peek(header_bytes + length);
  return start.size() < header_bytes + length ? std::string()
                                              : std::string(start.substr(header_bytes));
}

/// Whether `text` needs no quoting in a shell.
bool is_plain(std::string_view text) {
  return !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("_.-/").find(c) != std::string_view::npos;
  });
}

std::string shell_word(const std::string& text) { return is_plain(text) ? text : "FILE"; }

[[noreturn]] void refuse_archive(Input& input) {
  const std::string member = first_member(input);
  if (member.ends_with(".npy")) {
    throw Error(input.name() + ": a .npz archive of NumPy; take one array out of it: unzip -p " +
                shell_word(input.name()) + " " + (is_plain(member) ? member : "ARRAY.npy") +
                " | wrsgpu ... --weights -");
  }
  if (member == "[Content_Types].xml" || member.starts_with("xl/") || member == "mimetype") {
    throw Error(input.name() + ": a spreadsheet; save it as CSV");
  }
  if (member.ends_with("/data.pkl")) {
    throw Error(input.name() + ": a file of torch.save; save the weights as CSV or .npy");
  }
  throw Error(input.name() + ": a ZIP archive" +
              (member.empty() ? "" : ", the first file in it " + in_quotes(member)) +
              "; take one file out of it: unzip -p " + shell_word(input.name()) + " " +
              (is_plain(member) ? member : "MEMBER") + " | wrsgpu ... --weights -");
}

}  // namespace

void refuse_foreign_formats(Input& input) {
  constexpr std::size_t longest_start = 13;
  const std::string start(input.peek(longest_start));
  if (start.starts_with(zip_start)) refuse_archive(input);
  if (start.starts_with("BZh") && start.find("1AY&") == 4) {
    throw Error(input.name() + ": compressed by bzip2: bzip2 -dc " + shell_word(input.name()) +
                " | wrsgpu ... --weights -");
  }
  const auto* const format =
      std::find_if(formats.begin(), formats.end(),
                   [&](const ForeignFormat& known) { return start.starts_with(known.start); });
  if (format == formats.end()) return;
  const std::string help = format->command.empty()
                               ? "; save the weights as CSV or .npy"
                               : ": " + std::string(format->command) + shell_word(input.name()) +
                                     " | wrsgpu ... --weights -";
  throw Error(input.name() + ": " + std::string(format->what) + help);
}

}  // namespace wrsgpu::weights
