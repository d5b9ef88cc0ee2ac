#include "wrsgpu/detail/sampling/sampler_support.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "wrsgpu/detail/table/table_file.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::detail {

void require_one_per_item(const std::string& function, const std::string& argument,
                          std::uint64_t elements, Index items) {
  if (elements != items) {
    throw Error(function + ": argument '" + argument + "' has " + std::to_string(elements) +
                " elements, the table has " + std::to_string(items) + " items");
  }
}

void throw_no_table() { throw Error("the sampler has no table; call rebuild() first"); }

void throw_no_probabilities() {
  throw Error(
      "view_with_probabilities: the sampler stores no probabilities; construct the sampler with "
      "the option with_probabilities");
}

void throw_too_few_distinct(std::uint64_t items) {
  throw Error("draw_distinct: " + std::to_string(max_distinct_draws(items)) +
              " draws gave fewer than " + std::to_string(items) +
              " different items; choose() needs the weights, and one pass over them");
}

std::optional<std::uint64_t> distinct_draws(
    std::span<Index> out, RandomState state, std::uint64_t max_draws,
    const std::function<void(std::span<Index>, RandomState)>& draw) {
  std::unordered_set<Index> seen;
  std::vector<Index> distinct;
  // One block of a draw, each of which asks whether it is interrupted.
  std::vector<Index> drawn(std::clamp<std::size_t>(out.size(), 256, 1 << 16));
  std::uint64_t used = 0;
  while (distinct.size() < out.size()) {
    if (used >= max_draws) return std::nullopt;
    drawn.resize(std::min<std::uint64_t>(drawn.size(), max_draws - used));
    draw(drawn, {state.seed, state.offset + used});
    for (std::size_t k = 0; k < drawn.size() && distinct.size() < out.size(); ++k, ++used) {
      if (seen.insert(drawn[k]).second) distinct.push_back(drawn[k]);
    }
  }
  std::ranges::copy(distinct, out.begin());
  return used;
}

HostTable load_compact_table(const std::filesystem::path& file) {
  TableFile loaded = load_table(file);
  if (loaded.arithmetic != Arithmetic::fixed_point) {
    throw Error("table file '" + file.string() +
                "': holds a table of floating-point arithmetic; fixed_point is needed");
  }
  if (loaded.table.layout() == Layout::compact_rows) return std::move(loaded.table);
  HostTable compact(Layout::compact_rows, loaded.table.size(), loaded.table.bucket());
  const CompactRows to = compact.compact_rows();
  loaded.table.visit([&](auto from) {
    for (Index i = 0; i < from.size(); ++i) {
      const auto row = from.load(i);
      const auto own = static_cast<std::uint64_t>(from.own(row));
      to.store(i, own, own == fixed_bucket ? i : from.alias(row));
    }
  });
  return compact;
}

}  // namespace wrsgpu::detail
