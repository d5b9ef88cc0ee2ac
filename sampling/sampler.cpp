#include "wrsgpu/sampling/sampler.hpp"

#include "wrsgpu/core/error.hpp"

namespace wrsgpu {

void Sampler::sample(const HostTable& table, std::span<Index> out, RandomState state) const {
  if (table.size() == 0) throw Error("sample: argument 'table' is empty; build it first");
  if (out.empty()) throw Error("sample: argument 'out' is empty; ask for at least one sample");
  draw(table, out, state);
}

}  // namespace wrsgpu
