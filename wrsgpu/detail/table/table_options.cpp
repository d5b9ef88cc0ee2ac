#include "wrsgpu/detail/table/table_options.hpp"

#include "wrsgpu/error.hpp"

namespace wrsgpu {

std::string refusal(const TableOptions& options) {
  if (options.layout == Layout::compact_rows && options.arithmetic == Arithmetic::floating) {
    return "layout compact_rows holds fixed-point masses only; choose arithmetic fixed_point";
  }
  return {};
}

std::vector<double> probabilities_of(const HostTable& table) {
  std::vector<double> mass(table.size(), 0.0);
  table.visit([&](auto rows) {
    for (Index i = 0; i < rows.size(); ++i) {
      const auto row = rows.load(i);
      mass[i] += rows.own(row);
      mass[rows.alias(row)] += rows.bucket() - rows.own(row);
    }
  });
  const double total = table.bucket() * table.size();
  for (double& m : mass) m /= total;
  return mass;
}

void require_assignable(const HostTable& table, Layout layout) {
  if (table.size() == 0) throw Error("assign: argument 'table' is empty; build it first");
  if (table.layout() != layout) {
    throw Error("assign: argument 'table' has layout " + std::string(to_string(table.layout())) +
                "; " + std::string(to_string(layout)) + " is needed");
  }
}

HostTable& prepare_table(HostTable& table, Layout layout, Index size, double bucket) {
  if (table.capacity() >= size && table.layout() == layout) {
    table.resize(size);
    table.set_bucket(bucket);
  } else {
    table = HostTable(layout, size, bucket);
  }
  return table;
}

}  // namespace wrsgpu
