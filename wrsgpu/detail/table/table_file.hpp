// Alias tables in files.
//
// A file is a header of 64 bytes, little-endian, and the rows as they lie in memory:
//   0  "wrsgpu table"     12 bytes
//  12  version            32 bits, 1
//  16  layout             32 bits: 0 wide rows, 1 struct of arrays, 2 compact rows
//  20  arithmetic         32 bits: 0 floating, 1 fixed point
//  24  number of rows     64 bits
//  32  what a bucket holds, a double
//  40  XXH3 of the rows   64 bits
//  48  XXH3 of the first 48 bytes, 64 bits
//  56  zeros
// Wide rows are 16 bytes (weight, alias, 4 bytes not used); a struct of arrays is all weights, then
// all aliases; compact rows are 8 bytes (threshold, alias).
#pragma once

#include <filesystem>

#include "wrsgpu/detail/table/table.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// A table as stored in a file, with its arithmetic.
struct TableFile {
  HostTable table;
  Arithmetic arithmetic;
};

/// Writes the table. After an error there is no incomplete file: the table is written under a
/// temporary name, which is then renamed. Throws `Error` that names the file.
void save_table(const HostTable& table, Arithmetic arithmetic, const std::filesystem::path& file);

/// Reads a table. Throws `Error` that names the file if it is not a table, has a later version, is
/// incomplete, has changed since it was written, or has an invalid row: an alias that is not an
/// item, or an own part outside the bucket. Sampling from the result is always safe.
[[nodiscard]] TableFile load_table(const std::filesystem::path& file);

}  // namespace wrsgpu
