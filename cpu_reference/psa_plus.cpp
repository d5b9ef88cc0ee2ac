#include "wrsgpu/cpu_reference/psa_plus.hpp"

#include <vector>

#include "wrsgpu/construction/pack/store_row.hpp"
#include "wrsgpu/core/error.hpp"
#include "wrsgpu/cpu_reference/split_and_pack.hpp"

namespace wrsgpu {
namespace {

/// What the greedy step leaves of a section: its light items from `light` on, the open heavy item
/// with mass `left`, and the heavy items behind it.
template <class Mass>
struct Rest {
  Index light;
  Index open;
  Mass left;
  Index end;

  template <class Masses, class Visit>
  void visit(const Masses& masses, Visit&& visit) const {
    for (Index i = std::min(light, open); i < end; ++i) {
      const Mass mass = masses[i];
      if (i == open) {
        visit({i, left}, left);
      } else if (mass > masses.bucket ? i > open : i >= light) {
        visit({i, mass}, mass);
      }
    }
  }
};

/// Sweeps over the items [begin, end) as far as they go without others.
template <class Masses, class Rows>
Rest<typename Masses::Mass> pack_greedily(const Masses& masses, const Rows& rows, Index begin,
                                          Index end) {
  using Mass = typename Masses::Mass;
  const Mass bucket = masses.bucket;
  const auto next_light = [&](Index i) {
    while (i < end && masses[i] > bucket) ++i;
    return i;
  };
  const auto next_heavy = [&](Index j) {
    while (j < end && !(masses[j] > bucket)) ++j;
    return j;
  };
  Index light = next_light(begin);
  Index heavy = next_heavy(begin);
  if (heavy == end) return {light, end, Mass{0}, end};
  Mass left = masses[heavy];
  for (;;) {
    if (left > bucket) {
      if (light == end) break;
      const Mass own = masses[light];
      pack::store_row(rows, bucket, light, own, heavy);
      left -= bucket - own;
      light = next_light(light + 1);
    } else {
      const Index next = next_heavy(heavy + 1);
      if (next == end) break;
      pack::store_row(rows, bucket, heavy, left, next);
      left = masses[next] - (bucket - left);
      heavy = next;
    }
  }
  return {light, heavy, left, end};
}

}  // namespace

PsaPlus::PsaPlus(TableOptions options, Index section_items)
    : CpuAliasTable(options), section_items_(section_items) {
  if (section_items == 0) throw Error("argument 'section_items' is 0; sections have items");
}

void PsaPlus::do_build(WeightsView weights, const WeightSummary& summary) {
  const unsigned threads = options().threads;
  construct_with(weights, summary, [&](auto masses, auto rows) {
    using Mass = typename decltype(masses)::Mass;
    const Index n = rows.size();
    const Index sections = section_count(n, section_items_);
    std::vector<Rest<Mass>> rests(sections);
    parallel_for(sections, threads, [&](std::uint64_t section) {
      const Range items = slice(n, section, sections);
      rests[section] = pack_greedily(masses, rows, static_cast<Index>(items.begin),
                                     static_cast<Index>(items.end));
    });
    const auto rest = partition<pack::ItemMass<Mass>>(
        sections, Mass{masses.bucket}, threads,
        [&](std::uint64_t section, auto&& element) { rests[section].visit(masses, element); });
    split_and_pack(rest, masses, rows, section_items_, threads);
    greedy_fraction_ = 1 - static_cast<double>(rest.size()) / n;
  });
}

}  // namespace wrsgpu
