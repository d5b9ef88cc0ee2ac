// Types and constants shared by all parts of the library.
#pragma once

#include <cstdint>
#include <string_view>

namespace wrsgpu {

/// Index of an item, counted from 0. With 32 bits a compact table row takes 8 bytes.
using Index = std::uint32_t;

/// Maximum number of items: 2^32 - 2, so that every index and every count fits in `Index` and one
/// value remains as a sentinel.
inline constexpr std::uint64_t max_items = 0xFFFF'FFFEULL;

/// What a draw gives where there is no item: -1 as a signed number.
inline constexpr Index no_item = ~Index{0};

/// The processor that draws the samples and whose memory holds the data structure.
enum class Device { cpu, cuda };

/// The arithmetic of a construction.
///  - `floating`: double precision, as in the thesis; a bucket has mass W/N.
///  - `fixed_point`: weights become 64-bit integers that add up to exactly N * 2^32
///    (wrsgpu/detail/masses/mass_tiles.hpp); a bucket has mass 2^32, and there is no further
///    rounding.
enum class Arithmetic { floating, fixed_point };

/// Memory layout of the rows of an alias table (wrsgpu/detail/table/rows.hpp).
enum class Layout { wide_rows, struct_of_arrays, compact_rows };

[[nodiscard]] std::string_view to_string(Device device);
[[nodiscard]] std::string_view to_string(Arithmetic arithmetic);
[[nodiscard]] std::string_view to_string(Layout layout);

/// The inverse of `to_string`.
///
/// @throws Error for an unknown name; the message lists the known names
[[nodiscard]] Arithmetic parse_arithmetic(std::string_view name);
[[nodiscard]] Layout parse_layout(std::string_view name);

}  // namespace wrsgpu
