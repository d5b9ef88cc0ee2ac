#include "wrsgpu/detail/sampling/sampler_support.hpp"

#include <string>
#include <utility>

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
