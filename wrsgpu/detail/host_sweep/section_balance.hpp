// What the sections of a sweep give each other: which have an excess and which lack mass, and the
// heavy items that are handed on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/host_sweep/compensated_sum.hpp"
#include "wrsgpu/detail/host_sweep/section_lists.hpp"
#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/masses/masses.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::detail {

/// Heavy items that their sections do not use up, in order, and the mass that each has beyond a
/// bucket then.
template <class Mass>
struct HandedOn {
  std::vector<Index> items;
  std::vector<Mass> excesses;
};
/// One for each task that finds some.
template <class Mass>
using HandedOnLists = std::vector<HandedOn<Mass>>;

/// Fixed-point masses, which are computed when their section is read.
template <class T>
struct TiledMasses {
  using Mass = std::uint64_t;
  const T* weights;
  const std::vector<MassTile>& tiles;
  const std::vector<TileWeights>& known;
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
[[nodiscard]] double mass_of(const ScaledWeights<T>& masses, Index section,
                             const std::vector<double>& leaf_totals) {
  static_assert(section_items % summary_leaf_items == 0);
  constexpr std::size_t leaves = section_items / summary_leaf_items;
  const std::size_t begin = section * leaves;
  const std::size_t end = std::min(begin + leaves, leaf_totals.size());
  return masses.scale * std::accumulate(leaf_totals.data() + begin, leaf_totals.data() + end, 0.0);
}
template <class T>
[[nodiscard]] std::uint64_t mass_of(const TiledMasses<T>& masses, Index section,
                                    const std::vector<double>& /*leaf_totals*/) {
  return masses.tiles[section].mass;
}

/// What an item of this weight may have as mass, up to two units: rounding is monotone, and may be
/// followed by a unit more or less.
template <class T>
[[nodiscard]] double rough_mass(const MassTile& tile, double weight) {
  const IntegerWeight<T> integer(tile.shift, tile.slope);
  return weight * integer.first() * integer.second();
}

/// Whether all items of the section are heavy, if that can be told without reading them.
template <class T>
[[nodiscard]] bool is_all_heavy(const ScaledWeights<T>& /*masses*/, Index /*section*/) {
  return false;
}
template <class T>
[[nodiscard]] bool is_all_heavy(const TiledMasses<T>& masses, Index section) {
  return rough_mass<T>(masses.tiles[section], masses.known[section].smallest) >=
         static_cast<double>(masses.bucket + 2);
}
/// The same for light items.
template <class T>
[[nodiscard]] bool is_all_light(const TiledMasses<T>& masses, Index section) {
  return rough_mass<T>(masses.tiles[section], masses.known[section].largest) <=
         static_cast<double>(masses.bucket - 2);
}

/// A section with more mass than its buckets take, and the heavy items that it hands on.
template <class Mass>
struct Excess {
  Index section;
  Mass mass;  // that it has too much
  // Hands on all its items, of which no lists are kept.
  bool all_heavy = false;
  // Sum over the sections before, in the order of these lists, and the same with this one: what the
  // next one has before it, to the last bit.
  Mass before{0};
  Mass after{0};
  // What is handed on.
  Index count = 0;
  const Index* items = nullptr;
  const Mass* excesses = nullptr;

  [[nodiscard]] Index item(Index j) const {
    return all_heavy ? section * section_items + j : items[j];
  }
};

/// A section that lacks mass, or has just enough.
template <class Mass>
struct Lack {
  Index section;
  Mass mass{0};
  Mass before{0};
  Mass after{0};         // to the last bit what the next one has before it
  bool is_last = false;  // takes what there is
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
    mass[s] = mass_of(masses, s, leaf_totals);
  });
  Balance<Mass> balance;
  for (Index section = 0; section < sections; ++section) {
    const Mass capacity = static_cast<Mass>(items_of(section, n).size()) * masses.bucket;
    if (mass[section] > capacity) {
      Excess<Mass> excess{section, mass[section] - capacity, is_all_heavy(masses, section)};
      if (excess.all_heavy) excess.count = items_of(section, n).size();
      balance.excesses.push_back(excess);
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

/// The first section from the `begin`-th on whose items a lack of `lack` does not use up, or the
/// last one.
template <class Mass>
[[nodiscard]] std::size_t first_donor(const std::vector<Excess<Mass>>& sections, std::size_t begin,
                                      Mass lack) {
  const auto found = std::partition_point(
      sections.begin() + static_cast<std::ptrdiff_t>(begin), sections.end() - 1,
      [&](const Excess<Mass>& section) { return section.after <= lack; });
  return static_cast<std::size_t>(found - sections.begin());
}

/// The heavy items handed on, a section at a time.
template <class Masses>
class Donors {
 public:
  using Mass = typename Masses::Mass;
  using Sections = std::vector<Excess<Mass>>;

  Donors(const Masses& masses, Index n, const Sections& sections)
      : masses_(masses), n_(n), sections_(sections) {}

  /// Makes the `section`-th of all sections the one that the others are about.
  void read(std::size_t section) {
    if (section == section_) return;
    section_ = section;
    const Excess<Mass>& from = sections_[section];
    count_ = from.count;
    items_ = from.items;
    excesses_ = from.excesses;
    if constexpr (std::is_integral_v<Mass>) {
      if (from.all_heavy) read_all(from.section);
    }
    sum_up(from);
  }

  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] const Index* items() const { return items_; }
  /// What each has beyond a bucket.
  [[nodiscard]] const Mass* excesses() const { return excesses_; }
  /// The same of all items up to it, those of other sections included. Never decreases.
  [[nodiscard]] Mass sum(Index j) const { return sums_[j]; }
  /// The first item that is not used up by a lack of `lack`, or the last item.
  [[nodiscard]] Index first_beyond(Mass lack) const {
    return static_cast<Index>(std::upper_bound(sums_, sums_ + count_ - 1, lack) - sums_);
  }
  /// The item of this section that stays open when `lack` has been covered, or `count()` if that
  /// uses up all of them. One that is the last of all covers what rounding leaves.
  [[nodiscard]] Index open_item(const Lack<Mass>& lack) const {
    if (!lack.is_last && sections_[section_].after > lack.after) return first_beyond(lack.after);
    return section_ + 1 == sections_.size() ? count_ - 1 : count_;
  }

 private:
  // To compute masses again takes less time than to store and load them.
  void read_all(Index section) {
    const ItemRange range = items_of(section, n_);
    write_masses(std::span(masses_.weights + range.begin, range.size()), masses_.tiles[section],
                 excess_buffer_);
    for (Index j = 0; j < count_; ++j) {
      excess_buffer_[j] -= masses_.bucket;
      item_buffer_[j] = range.begin + j;
    }
    items_ = item_buffer_;
    excesses_ = excess_buffer_;
  }

  void sum_up(const Excess<Mass>& from) {
    Mass sum = from.before;
    for (Index j = 0; j < count_; ++j) {
      sum += excesses_[j];
      // Rounding may not carry it beyond the section's sum, nor short of it.
      if constexpr (std::is_floating_point_v<Mass>) sum = std::min(sum, from.after);
      sums_[j] = sum;
    }
    sums_[count_ - 1] = from.after;
  }

  const Masses& masses_;
  Index n_;
  const Sections& sections_;
  std::size_t section_ = ~std::size_t{0};
  Index count_ = 0;
  const Index* items_ = nullptr;
  const Mass* excesses_ = nullptr;
  Mass sums_[section_items];
  Mass excess_buffer_[section_items];
  Index item_buffer_[section_items];
};

}  // namespace wrsgpu::detail
