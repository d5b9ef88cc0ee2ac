// What the sections of a sweep give each other: which have an excess and which lack mass, and the
// walk over the heavy items that are handed on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "wrsgpu/construction/mass_tiles.hpp"
#include "wrsgpu/construction/masses.hpp"
#include "wrsgpu/core/parallel.hpp"
#include "wrsgpu/core/types.hpp"
#include "wrsgpu/cpu_reference/compensated_sum.hpp"
#include "wrsgpu/cpu_reference/section_lists.hpp"
#include "wrsgpu/cpu_reference/sectioned_sweep.hpp"

namespace wrsgpu::detail {

/// Fixed-point masses, which are computed when their section is read.
template <class T>
struct TiledMasses {
  using Mass = std::uint64_t;
  const T* weights;
  const std::vector<MassTile>& tiles;
  static constexpr std::uint64_t bucket = fixed_bucket;
};
static_assert(section_items == mass_tile_items);

struct ItemRange {
  Index begin;
  Index end;
  [[nodiscard]] Index size() const { return end - begin; }
};

[[nodiscard]] inline ItemRange items_of(Index section, Index n) {
  const std::uint64_t begin = std::uint64_t{section} * section_items;
  return {static_cast<Index>(begin),
          static_cast<Index>(std::min<std::uint64_t>(n, begin + section_items))};
}

/// The mass of a section's items.
template <class T>
[[nodiscard]] double mass_of(const ScaledWeights<T>& masses, Index section, ItemRange /*items*/,
                             const std::vector<double>& leaf_totals) {
  static_assert(section_items % summary_leaf_items == 0);
  constexpr std::size_t leaves = section_items / summary_leaf_items;
  const std::size_t begin = section * leaves;
  const std::size_t end = std::min(begin + leaves, leaf_totals.size());
  return masses.scale * std::accumulate(leaf_totals.data() + begin, leaf_totals.data() + end, 0.0);
}
template <class T>
[[nodiscard]] std::uint64_t mass_of(const TiledMasses<T>& masses, Index section,
                                    ItemRange /*items*/,
                                    const std::vector<double>& /*leaf_totals*/) {
  return masses.tiles[section].mass;
}

/// A section with more mass than its buckets take.
template <class Mass>
struct Excess {
  Index section;
  Mass mass;       // that it has too much
  Mass before{0};  // sum over the sections before, in the order of these lists
  Mass after{0};   // the same with this one: what the next one has before it, to the last bit
  const HandedOn<Mass>* items = nullptr;
  Index count = 0;
};

/// A section that lacks mass, or has just enough.
template <class Mass>
struct Lack {
  Index section;
  Mass mass{0};
  Mass before{0};
  Mass after{0};  // to the last bit what the next one has before it
};

template <class Mass>
struct Balance {
  std::vector<Excess<Mass>> excesses;
  std::vector<Lack<Mass>> lacks;
};

template <class Masses>
[[nodiscard]] Balance<typename Masses::Mass> balance(const Masses& masses, Index n,
                                                     const std::vector<double>& leaf_totals,
                                                     unsigned threads) {
  using Mass = typename Masses::Mass;
  const Index sections = n / section_items + (n % section_items == 0 ? 0 : 1);
  std::vector<Mass> mass(sections);
  parallel_for(sections, threads, [&](std::uint64_t section) {
    const auto s = static_cast<Index>(section);
    mass[s] = mass_of(masses, s, items_of(s, n), leaf_totals);
  });
  Balance<Mass> balance;
  for (Index section = 0; section < sections; ++section) {
    const Mass capacity = static_cast<Mass>(items_of(section, n).size()) * masses.bucket;
    if (mass[section] > capacity) {
      balance.excesses.push_back({section, mass[section] - capacity});
    } else {
      balance.lacks.push_back({section, capacity - mass[section]});
    }
  }
  return balance;
}

/// Sets `before` and `after` of all sections.
template <class Section>
void sum_up(std::vector<Section>& sections) {
  CompensatedSum<decltype(Section::mass)> sum;
  for (Section& section : sections) {
    section.before = sum.value();
    sum.add(section.mass);
    section.after = sum.value();
  }
}

/// Walks over the heavy items handed on, of which there must be one.
template <class Mass>
class RestCursor {
 public:
  using Sections = std::vector<Excess<Mass>>;

  /// At the first item that is not used up by a lack of `lack`, or at the last item.
  RestCursor(const Sections& sections, Mass lack) : end_(sections.end()) {
    const auto found =
        std::partition_point(sections.begin(), sections.end() - 1,
                             [&](const Excess<Mass>& section) { return section.after <= lack; });
    enter(found);
    while (!(sum_ > lack) && !is_last()) advance();
  }

  [[nodiscard]] Index item() const { return item_->item; }
  [[nodiscard]] bool is_last() const { return is_last_of_section() && section_ + 1 == end_; }
  /// What the item has beyond a bucket.
  [[nodiscard]] Mass excess() const { return item_->excess; }
  /// The same of all up to it. Never decreases.
  [[nodiscard]] Mass sum() const { return sum_; }

  void advance() {
    if (is_last_of_section()) {
      enter(section_ + 1);
      return;
    }
    ++item_;
    set_sum(sum_ + excess());
  }

 private:
  using Iterator = typename Sections::const_iterator;

  [[nodiscard]] bool is_last_of_section() const { return item_ == last_; }
  void enter(Iterator section) {
    section_ = section;
    item_ = section->items;
    last_ = item_ + section->count - 1;
    after_ = section->after;
    set_sum(section->before + excess());
  }
  // Rounding may not carry it beyond the section's sum, nor short of it.
  void set_sum(Mass sum) { sum_ = is_last_of_section() ? after_ : std::min(sum, after_); }

  Iterator end_;
  Iterator section_;
  const HandedOn<Mass>* item_;
  const HandedOn<Mass>* last_;  // of the section's
  Mass after_;                  // the sum with that
  Mass sum_;
};

}  // namespace wrsgpu::detail
