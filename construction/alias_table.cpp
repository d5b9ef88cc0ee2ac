#include "wrsgpu/construction/alias_table.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "wrsgpu/core/error.hpp"
#include "wrsgpu/cpu_reference/batched_sampler.hpp"

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

AliasTable::AliasTable(TableOptions options) : options_(options) {
  if (const std::string reason = refusal(options); !reason.empty()) throw Error(reason);
}

std::vector<double> AliasTable::do_probabilities() const { return probabilities_of(to_host()); }

HostTable HostAliasTable::to_host() const {
  if (size() == 0) throw Error("to_host: nothing has been built yet; call build() first");
  HostTable copy = table_like<HostBuffer>(table_);
  copy_table(table_, copy,
             [](const auto* from, auto* to, Index count) { std::copy_n(from, count, to); });
  return copy;
}

std::vector<double> HostAliasTable::do_probabilities() const { return probabilities_of(table_); }

void HostAliasTable::assign(HostTable table) {
  require_assignable(table, options().layout);
  table_ = std::move(table);
  set_size(table_.size());
}

HostTable& HostAliasTable::prepare_table(Index size, double bucket) {
  if (table_.capacity() >= size) {
    table_.resize(size);
    table_.set_bucket(bucket);
  } else {
    table_ = HostTable(options().layout, size, bucket);
  }
  return table_;
}

void HostAliasTable::do_sample(std::span<Index> out, RandomState state) const {
  BatchedSampler(options().threads).sample(table_, out, state);
}

}  // namespace wrsgpu
