#include "wrsgpu/detail/table/table_file.hpp"

#define XXH_INLINE_ALL
#include "wrsgpu/detail/third_party/xxhash.h"

#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "wrsgpu/detail/core/write_file_atomically.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::array<char, 12> magic{'w', 'r', 's', 'g', 'p', 'u', ' ', 't', 'a', 'b', 'l', 'e'};
constexpr std::uint32_t version = 1;

struct Header {
  std::array<char, 12> name = magic;
  std::uint32_t version = wrsgpu::version;
  std::uint32_t layout = 0;
  std::uint32_t arithmetic = 0;
  std::uint64_t rows = 0;
  double bucket = 0;
  std::uint64_t rows_hash = 0;
  std::uint64_t header_hash = 0;
  std::uint64_t zeros = 0;

  [[nodiscard]] std::uint64_t own_hash() const {
    return XXH3_64bits(this, offsetof(Header, header_hash));
  }
};
static_assert(sizeof(Header) == 64 && std::is_trivially_copyable_v<Header>);

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw Error("table file '" + file.string() + "': " + what);
}

/// Calls `use(pointer, bytes)` for each array of the rows, in the order of the file.
template <class Use>
void for_arrays(const HostTable& table, const Use& use) {
  const std::size_t n = table.size();
  switch (table.layout()) {
    case Layout::wide_rows: use(table.wide_rows().data(), n * sizeof(WideRow)); break;
    case Layout::struct_of_arrays:
      use(table.array_rows().weights(), n * sizeof(double));
      use(table.array_rows().aliases(), n * sizeof(Index));
      break;
    case Layout::compact_rows: use(table.compact_rows().data(), n * sizeof(CompactRow)); break;
  }
}

std::uint64_t hash_of(const HostTable& table) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for_arrays(table,
             [&](const void* data, std::size_t bytes) { XXH3_64bits_update(&state, data, bytes); });
  return XXH3_64bits_digest(&state);
}

void check_rows(HostTable& table, Arithmetic arithmetic, const std::filesystem::path& file) {
  table.visit([&](auto rows) {
    for (Index i = 0; i < rows.size(); ++i) {
      const auto row = rows.load(i);
      const double own = rows.own(row);
      if (rows.alias(row) >= rows.size()) {
        fail(file, "row " + std::to_string(i) + " has alias " + std::to_string(rows.alias(row)) +
                       " of " + std::to_string(rows.size()) + " rows");
      }
      if (!(own >= 0 && own <= rows.bucket()) ||
          (arithmetic == Arithmetic::fixed_point && own != std::floor(own))) {
        fail(file,
             "row " + std::to_string(i) + " keeps " + std::to_string(own) + ", outside its bucket");
      }
    }
  });
}

}  // namespace

void save_table(const HostTable& table, Arithmetic arithmetic, const std::filesystem::path& file) {
  if (table.size() == 0) throw Error("save_table: nothing has been built yet; call build() first");
  Header header;
  header.layout = static_cast<std::uint32_t>(table.layout());
  header.arithmetic = static_cast<std::uint32_t>(arithmetic);
  header.rows = table.size();
  header.bucket = table.bucket();
  header.rows_hash = hash_of(table);
  header.header_hash = header.own_hash();
  write_file_atomically(file, [&](std::ostream& out) {
    const auto write = [&](const void* data, std::size_t bytes) {
      out.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    };
    write(&header, sizeof header);
    for_arrays(table, write);
  });
}

TableFile load_table(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    fail(file, "could not be opened: " + std::generic_category().message(errno == 0 ? EIO : errno));
  }
  Header header;
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!in || header.name != magic) fail(file, "is no table of wrsgpu");
  if (header.version != version) {
    fail(file, "has version " + std::to_string(header.version) + "; this program reads " +
                   std::to_string(version));
  }
  if (header.header_hash != header.own_hash() || header.zeros != 0 || header.layout > 2 ||
      header.arithmetic > 1 || header.rows == 0 || header.rows > max_items) {
    fail(file, "its header has changed since it was written");
  }
  const auto layout = static_cast<Layout>(header.layout);
  const auto arithmetic = static_cast<Arithmetic>(header.arithmetic);
  const bool is_fixed = arithmetic == Arithmetic::fixed_point;
  if (!(std::isfinite(header.bucket) && header.bucket > 0) ||
      (is_fixed && header.bucket != static_cast<double>(fixed_bucket)) ||
      (!is_fixed && layout == Layout::compact_rows)) {
    fail(file, "its header is invalid");
  }
  TableFile loaded{HostTable(layout, static_cast<Index>(header.rows), header.bucket), arithmetic};
  for_arrays(loaded.table, [&](void* data, std::size_t bytes) {
    in.read(static_cast<char*>(data), static_cast<std::streamsize>(bytes));
    if (!in) fail(file, "is not complete");
  });
  if (in.peek() != std::ifstream::traits_type::eof()) fail(file, "has more than its rows");
  if (hash_of(loaded.table) != header.rows_hash) {
    fail(file, "its rows have changed since they were written");
  }
  check_rows(loaded.table, arithmetic, file);
  return loaded;
}

}  // namespace wrsgpu
