// Parallel construction of a radix forest (thesis 2.7), on the CPU and the GPU: every item climbs
// from its leaf towards the root of its cell, and of two climbers that meet in a node the second
// one goes on, as in Apetrei, "Fast and simple agglomerative LBVH construction" (2014).
#pragma once

#include <cstdint>
#include <cstring>

#include "cpu_reference/radix_forest_view.hpp"

namespace wrsgpu {

/// What the bits of beginnings are compared by: ordered as the beginnings.
[[nodiscard]] WRSGPU_HD inline std::uint64_t radix_key(std::uint64_t position) { return position; }
[[nodiscard]] inline std::uint64_t radix_key(double position) {
  std::uint64_t key = 0;
  std::memcpy(&key, &position, sizeof key);
  return key;
}

/// Call `climb` for each leaf, in any order and concurrently, and afterwards `fill` for each cell.
/// Leaves are the items that have mass, as the others have no position. The forest depends on the
/// masses only, not on the order of the calls.
template <class Mass>
struct RadixForestBuilder {
  /// What no leaf has met yet, in `met`.
  static constexpr Index nobody = ~Index{0};
  /// What no tree has been entered for yet, in `roots`.
  static constexpr Index no_tree = 0;

  const Mass* ends;    ///< one per item: the end of its interval
  const Index* items;  ///< the items that have mass, in ascending order
  Index leaves;        ///< how many those are
  RadixForestCells<Mass> cells;
  RadixNode<Mass>* nodes;  ///< one per item
  Index* roots;            ///< one per cell, all `no_tree`
  Index* met;              ///< one per leaf, all `nobody`

  /// Where the interval of the item of a leaf begins.
  [[nodiscard]] WRSGPU_HD Mass begin(Index leaf) const {
    return items[leaf] == 0 ? Mass{0} : ends[items[leaf] - 1];
  }

  /// Grows a tree from a leaf, as long as its sibling has been there before. `exchange(place,
  /// value)` atomically replaces *place by `value` and returns the old value; it need not order
  /// other accesses, because a climber reads nothing else that another one writes.
  template <class Exchange>
  WRSGPU_HD void climb(Index leaf, const Exchange& exchange) const {
    const Index cell = cells.of(begin(leaf));
    nodes[items[leaf]].split = begin(leaf);
    // The tree contains the leaves first to last.
    Index tree = radix_leaf(items[leaf]);
    Index first = leaf;
    Index last = leaf;
    for (;;) {
      const bool has_left = first > 0 && cells.of(begin(first - 1)) == cell;
      const bool has_right = last + 1 < leaves && cells.of(begin(last + 1)) == cell;
      if (!has_left && !has_right) return enter(cell, first, tree);
      // The parent is where the lower bit differs.
      const bool is_left = !has_left || (has_right && difference(last + 1) < difference(first));
      const Index parent = is_left ? last + 1 : first;
      nodes[items[parent]].child[is_left ? 0 : 1] = tree;
      const Index other = exchange(met + parent, is_left ? first : last);
      if (other == nobody) return;
      (is_left ? last : first) = other;
      tree = items[parent];
    }
  }

  /// Enters the item that overlaps a cell in which none begins; `item_at(position)` is the item
  /// whose interval contains the position.
  template <class ItemAt>
  WRSGPU_HD void fill(Index cell, const ItemAt& item_at) const {
    if (roots[cell] == no_tree) roots[cell] = radix_leaf(item_at(cells.begin(cell)));
  }

 private:
  /// The bits in which a leaf and the one before it differ.
  [[nodiscard]] WRSGPU_HD std::uint64_t difference(Index leaf) const {
    return radix_key(begin(leaf - 1)) ^ radix_key(begin(leaf));
  }

  /// Enters the tree of a cell, whose leftmost leaf is `first`. If that does not begin with the
  /// cell, the one before overlaps the cell.
  WRSGPU_HD void enter(Index cell, Index first, Index tree) const {
    if (begin(first) == cells.begin(cell)) {
      roots[cell] = tree;
      return;
    }
    RadixNode<Mass>& root = nodes[items[first]];
    root.child[0] = radix_leaf(items[first - 1]);
    root.child[1] = tree;
    roots[cell] = items[first];
  }
};

}  // namespace wrsgpu
