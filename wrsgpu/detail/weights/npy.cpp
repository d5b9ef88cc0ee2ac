#include "wrsgpu/detail/weights/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "wrsgpu/detail/core/whole_file.hpp"
#include "wrsgpu/detail/weights/files.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {
namespace {

constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';

struct Header {
  std::string type;  // byte order and code, such as "<f8"
  std::uint64_t items = 0;
};

/// The header of a .npy file: a Python dictionary of three known keys.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  [[nodiscard]] Header parse() {
    Header header;
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !has_type) {
        has_type = true;
        header.type = string();
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        c_order();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        header.items = shape();
      } else {
        fail("unknown or repeated key " + in_quotes(key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ != text_.size()) fail("text after the dictionary");
    if (!has_type || !has_order || !has_shape) fail("not all of descr, fortran_order and shape");
    return header;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("'") + c + "' expected");
  }
  bool accept_word(std::string_view word) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  std::string_view string() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    if (quote != '\'' && quote != '"') fail("a string expected (structured types are not read)");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a string is not closed");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }
  void c_order() {
    if (accept_word("False")) return;
    fail(accept_word("True") ? "the array is in Fortran order; only C order is read"
                             : "True or False expected");
  }
  std::uint64_t shape() {
    expect('(');
    std::vector<std::uint64_t> sizes;
    while (!accept(')')) {
      skip_blanks();
      std::uint64_t size = 0;
      const char* const end = text_.data() + text_.size();
      const auto [stop, status] = std::from_chars(text_.data() + at_, end, size);
      if (status != std::errc{}) {
        const std::string_view rest = text_.substr(at_);
        fail("a size expected, not " + in_quotes(rest.substr(0, rest.find_first_of(",)"))));
      }
      at_ = static_cast<std::size_t>(stop - text_.data());
      sizes.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    if (sizes.size() != 1) {
      fail("the array has " + std::to_string(sizes.size()) + " dimensions; only 1 is read");
    }
    return sizes.front();
  }
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(std::string(name_) + ", header, character " + std::to_string(at_) + ": " + reason);
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
};

std::size_t read_bytes(std::istream& stream, std::string_view name, char* to, std::size_t bytes) {
  stream.read(to, static_cast<std::streamsize>(bytes));
  if (stream.bad()) throw Error(std::string(name) + ": reading failed");
  return static_cast<std::size_t>(stream.gcount());
}

Header read_header(std::istream& stream, std::string_view name) {
  const auto read = [&](char* to, std::size_t bytes) {
    if (read_bytes(stream, name, to, bytes) != bytes) {
      throw Error(std::string(name) + ": ends inside its header");
    }
  };
  std::array<char, npy_magic.size() + 2> start;
  read(start.data(), start.size());
  if (!std::string_view(start.data(), start.size()).starts_with(npy_magic)) {
    throw Error(std::string(name) + ": does not begin as a .npy file does");
  }
  const int major = static_cast<unsigned char>(start[npy_magic.size()]);
  const int minor = static_cast<unsigned char>(start[npy_magic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw Error(std::string(name) + ": .npy version " + std::to_string(major) + "." +
                std::to_string(minor) + " is not read (1.0, 2.0 and 3.0 are)");
  }
  std::array<char, 4> length_bytes{};
  read(length_bytes.data(), major == 1 ? 2 : 4);
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < length_bytes.size(); ++i) {
    length |= std::uint32_t{static_cast<unsigned char>(length_bytes[i])} << (8 * i);
  }
  constexpr std::uint32_t longest = 1 << 16;  // a one-dimensional array's is some hundred bytes
  if (length > longest) {
    throw Error(std::string(name) + ": a header of " + std::to_string(length) + " bytes");
  }
  std::string text(length, '\0');
  read(text.data(), length);
  return HeaderParser(text, name).parse();
}

/// Bytes from here to the end of a stream that can tell.
std::optional<std::uint64_t> bytes_left(std::istream& stream) {
  const std::istream::pos_type here = stream.tellg();
  if (here == std::istream::pos_type(-1)) {
    stream.clear();
    return std::nullopt;
  }
  stream.seekg(0, std::ios::end);
  const std::istream::pos_type end = stream.tellg();
  stream.seekg(here);
  if (!stream || end < here) {
    stream.clear();
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(end - here);
}

template <class T>
T reversed(T value) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof(T));
  std::reverse(bytes.begin(), bytes.end());
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

template <class T>
double exact_double(T value, std::uint64_t item, std::string_view name) {
  if constexpr (sizeof(T) == 8) {
    constexpr T limit = T{1} << 53;
    if (value > limit || (std::is_signed_v<T> && value < T{0} - limit)) {
      throw Error(std::string(name) + ", item " + std::to_string(item) + ": " +
                  std::to_string(value) + " is beyond 2^53, where double is not exact");
    }
  }
  return static_cast<double>(value);
}

/// Reads the data of a file of `Stored` values as weights.
template <class Stored>
OwnedWeights read_values(std::istream& stream, const Header& header, std::string_view name) {
  using Weight = std::conditional_t<std::is_same_v<Stored, float>, float, double>;
  const std::uint64_t bytes = header.items * sizeof(Stored);  // items <= max_items: no overflow
  const auto ends_after = [&](std::uint64_t found) {
    return Error(std::string(name) + ": ends after " + std::to_string(found / sizeof(Stored)) +
                 " of " + std::to_string(header.items) + " items");
  };
  if (const std::optional<std::uint64_t> left = bytes_left(stream); left && *left < bytes) {
    throw ends_after(*left);  // before memory is asked for
  }
  HostBuffer<Weight> weights(header.items);
  std::vector<Stored> chunk(
      static_cast<std::size_t>(std::min<std::uint64_t>(header.items, 1 << 16)));
  for (std::uint64_t item = 0; item < header.items;) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), header.items - item));
    const std::size_t found =
        read_bytes(stream, name, reinterpret_cast<char*>(chunk.data()), wanted * sizeof(Stored));
    if (found != wanted * sizeof(Stored)) throw ends_after(item * sizeof(Stored) + found);
    const bool reverse = header.type.front() != native_order;
    for (std::size_t k = 0; k < wanted; ++k, ++item) {
      const Stored value = reverse ? reversed(chunk[k]) : chunk[k];
      if constexpr (std::is_floating_point_v<Stored>) {
        weights[item] = value;
      } else {
        weights[item] = exact_double(value, item, name);
      }
    }
  }
  if (stream.peek() != std::istream::traits_type::eof()) {
    throw Error(std::string(name) + ": has data after the " + std::to_string(header.items) +
                " items that its header announces");
  }
  return OwnedWeights(std::move(weights));
}

}  // namespace

OwnedWeights read_npy(std::istream& stream, std::string_view name) {
  const Header header = read_header(stream, name);
  if (header.items == 0) throw Error(std::string(name) + ": holds no weights");
  if (header.items > max_items) {
    throw Error(std::string(name) + ": " + std::to_string(header.items) + " items, more than the " +
                std::to_string(max_items) + " that an index can name");
  }
  if (header.type.starts_with('<') || header.type.starts_with('>')) {
    const std::string_view code = std::string_view(header.type).substr(1);
    if (code == npy_type<float>) return read_values<float>(stream, header, name);
    if (code == npy_type<double>) return read_values<double>(stream, header, name);
    if (code == npy_type<std::int32_t>) return read_values<std::int32_t>(stream, header, name);
    if (code == npy_type<std::int64_t>) return read_values<std::int64_t>(stream, header, name);
    if (code == npy_type<std::uint32_t>) return read_values<std::uint32_t>(stream, header, name);
    if (code == npy_type<std::uint64_t>) return read_values<std::uint64_t>(stream, header, name);
  }
  throw Error(std::string(name) + ": type " + in_quotes(header.type) +
              " is not read (f4, f8, i4, i8, u4, u8 after < or > are)");
}

OwnedWeights read_npy(const std::filesystem::path& path) {
  std::ifstream stream = open_file(path);
  return read_npy(stream, path.string());
}

namespace detail {

std::string npy_header(std::string_view type, std::uint64_t items) {
  std::string dictionary = std::string("{'descr': '") + native_order + std::string(type) +
                           "', 'fortran_order': False, 'shape': (" + std::to_string(items) +
                           ",), }";
  constexpr std::size_t before = npy_magic.size() + 4;  // magic, version, length
  const std::size_t total = (before + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.append(total - before - dictionary.size() - 1, ' ');
  dictionary += '\n';
  std::string header(npy_magic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

void write_npy(std::ostream& stream, std::string_view name, std::string_view header,
               std::span<const std::byte> data) {
  stream.write(header.data(), static_cast<std::streamsize>(header.size()));
  stream.write(reinterpret_cast<const char*>(data.data()),
               static_cast<std::streamsize>(data.size()));
  stream.flush();
  if (!stream) throw Error(std::string(name) + ": writing failed");
}

void write_npy(const std::filesystem::path& path, std::string_view header,
               std::span<const std::byte> data) {
  write_whole_file(path,
                   [&](std::ostream& stream) { write_npy(stream, path.string(), header, data); });
}

}  // namespace detail

}  // namespace wrsgpu::weights
