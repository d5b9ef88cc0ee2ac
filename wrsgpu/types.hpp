// Vocabulary shared by every part of the library.
#pragma once

#include <cstdint>
#include <string_view>

namespace wrsgpu {

/// Items are numbered from 0. 32 bits keep a compact table row at 8 bytes.
using Index = std::uint32_t;

/// Largest number of items: 2^32 - 2, so that an index and a count both fit in `Index` and one
/// value remains as a sentinel.
inline constexpr std::uint64_t max_items = 0xFFFF'FFFEULL;

/// The processor that draws the samples, and whose memory holds the structure.
enum class Device { cpu, cuda };

/// How a construction computes with weights.
///  - `floating`: as in the thesis, in double precision; a bucket holds W/N.
///  - `fixed_point`: weights become 64-bit integers that add up to exactly N * 2^32
///    (wrsgpu/detail/masses/mass_tiles.hpp); a bucket holds 2^32 and nothing is ever rounded again.
enum class Arithmetic { floating, fixed_point };

/// How the rows of an alias table lie in memory (wrsgpu/detail/table/rows.hpp).
enum class Layout { wide_rows, struct_of_arrays, compact_rows };

[[nodiscard]] std::string_view to_string(Device device);
[[nodiscard]] std::string_view to_string(Arithmetic arithmetic);
[[nodiscard]] std::string_view to_string(Layout layout);

/// The inverse of `to_string`. @throws Error that lists the known names
[[nodiscard]] Arithmetic parse_arithmetic(std::string_view name);
[[nodiscard]] Layout parse_layout(std::string_view name);

}  // namespace wrsgpu
