#include "wrsgpu/detail/sampling/sampler.hpp"

#include <new>
#include <string>

#include "wrsgpu/error.hpp"

namespace wrsgpu {

void Sampler::sample(const HostTable& table, std::span<Index> out, RandomState state) const {
  if (table.size() == 0) throw Error("sample: argument 'table' is empty; build it first");
  if (out.empty()) return;
  try {
    draw(table, out, state);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("sample: out of host memory for " + std::to_string(out.size()) + " samples");
  }
}

}  // namespace wrsgpu
