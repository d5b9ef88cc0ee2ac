#include "construction/alias_table.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "wrsgpu/detail/sampling/batched_sampler.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

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
  return wrsgpu::prepare_table(table_, options().layout, size, bucket);
}

void HostAliasTable::do_sample(std::span<Index> out, RandomState state) const {
  BatchedSampler(options().threads).sample(table_, out, state);
}

}  // namespace wrsgpu
