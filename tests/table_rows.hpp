// Rows of tables, whatever the layout, for comparisons in tests.
#pragma once

#include <ostream>
#include <vector>

#include "construction/alias_table.hpp"

namespace wrsgpu {

struct PlainRow {
  double own;
  Index alias;

  bool operator==(const PlainRow&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const PlainRow& row) {
  return out << "{own " << row.own << ", alias " << row.alias << "}";
}

/// A row that is all its own has the item as alias, as compact rows must have it.
inline std::vector<PlainRow> plain_rows(const HostTable& table) {
  std::vector<PlainRow> plain(table.size());
  table.visit([&](auto rows) {
    for (Index i = 0; i < rows.size(); ++i) {
      const auto row = rows.load(i);
      plain[i] = {rows.own(row), rows.alias(row)};
      if (plain[i].own == rows.bucket() || plain[i].alias == i) plain[i] = {rows.bucket(), i};
    }
  });
  return plain;
}

inline std::vector<PlainRow> plain_rows(const SamplingAlgorithm& table) {
  return plain_rows(dynamic_cast<const AliasTable&>(table).to_host());
}

}  // namespace wrsgpu
