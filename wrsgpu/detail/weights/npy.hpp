// NumPy's .npy files: reads arrays of weights, writes arrays of samples and counts. Format:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "wrsgpu/detail/weights/input.hpp"
#include "wrsgpu/weight_file.hpp"

namespace wrsgpu::weights {

/// The magic bytes at the beginning of every .npy file.
inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// Reads the weights of a .npy file of version 1.0, 2.0 or 3.0, in either byte order: bool, i1 to
/// i8, u1 to u8, f2, f4 (f2 and f4 are read as float) and f8 (the others are read as double). A
/// two-dimensional array is read row by row, in either memory order; `interpretation` says so.
///
/// @param may_round whether integers that a double cannot represent are rounded to the nearest,
/// with
///   a warning
/// @throws Error that names the file and the position for any other type, for a header that is
///   malformed or truncated, for fewer or more data than the header announces, for an array
///   without items or with more than `max_items`, and for an integer that may not be rounded.
[[nodiscard]] WeightFile read_npy(Input& input, bool may_round);

/// NumPy's name of a type, without the byte order.
template <class T>
inline constexpr std::string_view npy_type = "";
template <>
inline constexpr std::string_view npy_type<float> = "f4";
template <>
inline constexpr std::string_view npy_type<double> = "f8";
template <>
inline constexpr std::string_view npy_type<std::int32_t> = "i4";
template <>
inline constexpr std::string_view npy_type<std::int64_t> = "i8";
template <>
inline constexpr std::string_view npy_type<std::uint32_t> = "u4";
template <>
inline constexpr std::string_view npy_type<std::uint64_t> = "u8";

namespace detail {
[[nodiscard]] std::string npy_header(std::string_view type, std::uint64_t items);
void write_npy(std::ostream& stream, std::string_view name, std::string_view header,
               std::span<const std::byte> data);
void write_npy(const std::filesystem::path& path, std::string_view header,
               std::span<const std::byte> data);
}  // namespace detail

/// The header of a version 1.0 file of `items` values in this machine's byte order; the values
/// follow it. Its length is a multiple of 64. T is one of the types that `npy_type` names.
template <class T>
[[nodiscard]] std::string npy_header(std::uint64_t items) {
  static_assert(!npy_type<T>.empty(), "a type that is not written");
  return detail::npy_header(npy_type<T>, items);
}

/// Writes a complete file. Throws `Error` that names the file when writing fails.
template <class T>
void write_npy(std::ostream& stream, std::string_view name, std::span<const T> values) {
  detail::write_npy(stream, name, npy_header<T>(values.size()), std::as_bytes(values));
}

/// Writes to a path atomically: the file appears only when it is complete. A path that exists and
/// is not a regular file, such as a pipe, is written directly.
template <class T>
void write_npy(const std::filesystem::path& path, std::span<const T> values) {
  detail::write_npy(path, npy_header<T>(values.size()), std::as_bytes(values));
}

}  // namespace wrsgpu::weights
