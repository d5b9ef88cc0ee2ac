#include "cpu_reference/psa_plus.hpp"

#include <algorithm>
#include <vector>

#include "cpu_reference/split_and_pack.hpp"
#include "cpu_reference/sweep_items.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu {
namespace {

/// Items that the greedy step leaves of a section that ends at `end`.
template <class Mass>
struct Rest {
  SweepEnd<Mass> from;
  Index end;

  template <class Masses, class Visit>
  void visit(const Masses& masses, Visit&& visit) const {
    const auto [light, heavy, left] = from;
    for (Index i = std::min(light, heavy); i < end; ++i) {
      const Mass mass = masses[i];
      if (i == heavy) {
        visit({i, left}, left);
      } else if (mass > masses.bucket ? i > heavy : i >= light) {
        visit({i, mass}, mass);
      }
    }
  }
};

}  // namespace

PsaPlus::PsaPlus(TableOptions options, Index section_items)
    : CpuAliasTable(options), section_items_(section_items) {
  if (section_items == 0) throw Error("argument 'section_items' is 0; sections have items");
}

Index PsaPlus::greedy_sections(Index items) const { return section_count(items, section_items_); }

Index PsaPlusPerThread::greedy_sections(Index items) const {
  const unsigned threads = options().threads == 0 ? hardware_threads() : options().threads;
  return std::min<Index>(items, std::min(threads, max_threads));
}

void PsaPlus::do_build(WeightsView weights, const WeightSummary& summary) {
  const unsigned threads = options().threads;
  construct_with(weights, summary, [&](auto masses, auto rows) {
    using Mass = typename decltype(masses)::Mass;
    const Index n = rows.size();
    const Index sections = greedy_sections(n);
    std::vector<Rest<Mass>> rests(sections);
    parallel_for(sections, threads, [&](std::uint64_t section) {
      const Range items = slice(n, section, sections);
      const auto begin = static_cast<Index>(items.begin), end = static_cast<Index>(items.end);
      rests[section] = {sweep_items(masses, rows, begin, end), end};
    });
    const auto rest = partition<pack::ItemMass<Mass>>(
        sections, Mass{masses.bucket}, threads,
        [&](std::uint64_t section, auto&& element) { rests[section].visit(masses, element); });
    split_and_pack(rest, masses, rows, section_items_, threads);
    greedy_fraction_ = 1 - static_cast<double>(rest.size()) / n;
  });
}

}  // namespace wrsgpu
