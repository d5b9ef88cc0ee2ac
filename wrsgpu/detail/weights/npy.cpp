#include "wrsgpu/detail/weights/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "wrsgpu/detail/core/exact_double.hpp"
#include "wrsgpu/detail/core/write_file_atomically.hpp"
#include "wrsgpu/detail/weights/fields.hpp"
#include "wrsgpu/detail/weights/rounded_integers.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::weights {
namespace {

constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';

struct Header {
  std::string type;  // byte order and code, such as "<f8"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::uint64_t items = 0;

  /// Shape of a two-dimensional array; one dimension is one column.
  [[nodiscard]] std::uint64_t columns() const { return shape.size() == 2 ? shape[1] : 1; }
  [[nodiscard]] std::uint64_t rows() const { return shape.front(); }
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
        header.fortran_order = truth();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        header.shape = shape();
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
  bool truth() {
    if (accept_word("False")) return false;
    if (!accept_word("True")) fail("True or False expected");
    return true;
  }
  std::vector<std::uint64_t> shape() {
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
    if (sizes.empty() || sizes.size() > 2) {
      fail("the array has " + std::to_string(sizes.size()) +
           " dimensions; 1 or 2 are read, so that every item has one weight");
    }
    return sizes;
  }
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(std::string(name_) + ", header, character " + std::to_string(at_) + ": " + reason);
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
};

Header read_header(Input& input) {
  const auto read = [&](char* to, std::size_t bytes) {
    if (input.read(to, bytes) != bytes) throw Error(input.name() + ": ends inside its header");
  };
  std::array<char, npy_magic.size() + 2> start;
  read(start.data(), start.size());
  if (!std::string_view(start.data(), start.size()).starts_with(npy_magic)) {
    throw Error(input.name() + ": does not begin as a .npy file does");
  }
  const int major = static_cast<unsigned char>(start[npy_magic.size()]);
  const int minor = static_cast<unsigned char>(start[npy_magic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw Error(input.name() + ": .npy version " + std::to_string(major) + "." +
                std::to_string(minor) + " is not read (1.0, 2.0 and 3.0 are)");
  }
  std::array<char, 4> length_bytes{};
  read(length_bytes.data(), major == 1 ? 2 : 4);
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < length_bytes.size(); ++i) {
    length |= std::uint32_t{static_cast<unsigned char>(length_bytes[i])} << (8 * i);
  }
  constexpr std::uint32_t longest = 1 << 16;  // arrays of numbers need some hundred bytes
  if (length > longest) {
    throw Error(input.name() + ": a header of " + std::to_string(length) + " bytes");
  }
  std::string text(length, '\0');
  read(text.data(), length);
  return HeaderParser(text, input.name()).parse();
}

/// Counts the items; throws for none and for too many.
std::uint64_t count_items(const Header& header, const std::string& name) {
  std::uint64_t items = 1;
  for (const std::uint64_t size : header.shape) {
    if (size == 0) throw Error(name + ": holds no weights");
    if (size > max_items / items) {
      throw Error(name + ": " + std::to_string(items) + " x " + std::to_string(size) +
                  " items, more than the " + std::to_string(max_items) + " that an index can name");
    }
    items *= size;
  }
  return items;
}

template <class T>
T reversed(T value) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof(T));
  std::reverse(bytes.begin(), bytes.end());
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

/// Half precision: the bits of an IEEE 754 binary16 number.
struct Half {
  std::uint16_t bits;
};

float value_of(Half half) {
  const bool is_negative = (half.bits >> 15) != 0;
  const int exponent = (half.bits >> 10) & 0x1F;
  const int fraction = half.bits & 0x3FF;
  float value = 0;
  if (exponent == 0x1F) {
    value = fraction == 0 ? std::numeric_limits<float>::infinity()
                          : std::numeric_limits<float>::quiet_NaN();
  } else {
    const int significand = exponent == 0 ? fraction : fraction + 0x400;
    value = std::ldexp(static_cast<float>(significand), std::max(exponent, 1) - 25);
  }
  return is_negative ? -value : value;
}
/// A truth value: a byte that is 0 or not.
struct Truth {
  std::uint8_t byte;
};
double value_of(Truth truth) { return truth.byte == 0 ? 0 : 1; }
float value_of(float value) { return value; }
template <class T>
double value_of(T value) {
  return static_cast<double>(value);
}

std::string interpretation(const Header& header) {
  std::string items = std::to_string(header.items) + (header.items == 1 ? " item" : " items") +
                      " of type " + header.type.substr(1) + " from a .npy file";
  if (header.shape.size() == 1) return items;
  return items + " of " + std::to_string(header.rows()) + " rows and " +
         std::to_string(header.columns()) + " columns, row by row: item = row * " +
         std::to_string(header.columns()) + " + column, from 0";
}

/// The item whose value is the k-th of the file.
std::uint64_t item_of(std::uint64_t k, const Header& header) {
  if (!header.fortran_order || header.columns() == 1) return k;
  return (k % header.rows()) * header.columns() + k / header.rows();
}

/// Reads the data of a file of `Stored` values as weights.
template <class Stored>
WeightFile read_values(Input& input, const Header& header, bool may_round) {
  using Weight = decltype(value_of(Stored{}));
  const std::uint64_t bytes = header.items * sizeof(Stored);  // items <= max_items: no overflow
  const auto ends_after = [&](std::uint64_t found) {
    return Error(input.name() + ": ends after " + std::to_string(found / sizeof(Stored)) + " of " +
                 std::to_string(header.items) + " items");
  };
  if (const std::optional<std::uint64_t> left = input.bytes_left(); left && *left < bytes) {
    throw ends_after(*left);  // before allocating
  }
  HostBuffer<Weight> weights(header.items);
  RoundedIntegers rounded;
  std::vector<Stored> chunk(
      static_cast<std::size_t>(std::min<std::uint64_t>(header.items, 1 << 16)));
  const bool reverse = header.type.front() != native_order && sizeof(Stored) > 1;
  for (std::uint64_t k = 0; k < header.items;) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), header.items - k));
    const std::size_t found =
        input.read(reinterpret_cast<char*>(chunk.data()), wanted * sizeof(Stored));
    if (found != wanted * sizeof(Stored)) throw ends_after(k * sizeof(Stored) + found);
    for (std::size_t at = 0; at < wanted; ++at, ++k) {
      const Stored stored = reverse ? reversed(chunk[at]) : chunk[at];
      const std::uint64_t item = item_of(k, header);
      weights[item] = value_of(stored);
      if constexpr (std::is_integral_v<Stored>) {
        if (!wrsgpu::detail::is_exact_double(stored)) rounded.note(item, std::to_string(stored));
      }
    }
  }
  if (!input.peek(1).empty()) {
    throw Error(input.name() + ": has data after the " + std::to_string(header.items) +
                " items that its header announces");
  }
  return {OwnedWeights(std::move(weights)),
          {},
          {},
          {},
          interpretation(header),
          rounded.report(input.name() + ", item", may_round)};
}

using Reader = WeightFile (*)(Input&, const Header&, bool may_round);

struct StoredType {
  std::string_view code;
  std::size_t bytes;
  Reader read;
};

constexpr std::array<StoredType, 12> stored_types{{
    {"b1", 1, read_values<Truth>},
    {"i1", 1, read_values<std::int8_t>},
    {"u1", 1, read_values<std::uint8_t>},
    {"i2", 2, read_values<std::int16_t>},
    {"u2", 2, read_values<std::uint16_t>},
    {"i4", 4, read_values<std::int32_t>},
    {"u4", 4, read_values<std::uint32_t>},
    {"i8", 8, read_values<std::int64_t>},
    {"u8", 8, read_values<std::uint64_t>},
    {"f2", 2, read_values<Half>},
    {"f4", 4, read_values<float>},
    {"f8", 8, read_values<double>},
}};

/// One byte has no byte order; NumPy writes |.
bool is_order(char order, std::size_t bytes) {
  return order == '<' || order == '>' || (order == '|' && bytes == 1);
}

Reader reader_of(const std::string& type, const std::string& name) {
  for (const StoredType& known : stored_types) {
    if (!type.empty() && type.substr(1) == known.code && is_order(type.front(), known.bytes)) {
      return known.read;
    }
  }
  throw Error(name + ": type " + in_quotes(type) +
              " is not read; b1, i1 to i8, u1 to u8, f2, f4 and f8 are: "
              "array.astype('f8') makes one of them");
}

}  // namespace

WeightFile read_npy(Input& input, bool may_round) {
  Header header = read_header(input);
  header.items = count_items(header, input.name());
  return reader_of(header.type, input.name())(input, header, may_round);
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
  write_file_atomically(
      path, [&](std::ostream& stream) { write_npy(stream, path.string(), header, data); });
}

}  // namespace detail

}  // namespace wrsgpu::weights
