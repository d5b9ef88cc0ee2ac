// What a radix forest gives each item, read from its trees.
#pragma once

#include <cstddef>
#include <vector>

#include "cpu_reference/radix_forest_view.hpp"

namespace wrsgpu {

/// Walks all trees from left to right. Consecutive pieces of one item, as those of an item that
/// overlaps many cells, are one interval, so that no sum is rounded: the probabilities of a correct
/// forest are bitwise those of its intervals.
template <class Mass>
class RadixForestWalk {
 public:
  RadixForestWalk(const RadixForestView<Mass>& forest, Index items)
      : forest_(forest), masses_(items, Mass{0}) {}

  [[nodiscard]] std::vector<double> probabilities() {
    const Index cells = count_cells(forest_.cells, forest_.total);
    for (Index cell = 0; cell < cells; ++cell) {
      walk(forest_.roots[cell], cell + 1 < cells ? forest_.cells.begin(cell + 1) : forest_.total);
    }
    finish_item();
    std::vector<double> p(masses_.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] = static_cast<double>(masses_[i]) / static_cast<double>(forest_.total);
    }
    return p;
  }

 private:
  /// A tree whose positions end at `end`.
  struct Tree {
    Index root;
    Mass end;
  };

  void walk(Index root, Mass end) {
    to_do_.push_back({root, end});
    while (!to_do_.empty()) {
      const Tree tree = to_do_.back();
      to_do_.pop_back();
      if (is_radix_leaf(tree.root)) {
        add_piece(item_of_radix_leaf(tree.root), tree.end);
        continue;
      }
      const RadixNode<Mass>& node = forest_.nodes[tree.root];
      to_do_.push_back({node.child[1], tree.end});
      to_do_.push_back({node.child[0], node.split});
    }
  }

  void add_piece(Index item, Mass end) {
    if (item != item_) {
      finish_item();
      item_ = item;
    }
    end_ = end;
  }

  void finish_item() {
    masses_[item_] += end_ - begin_;
    begin_ = end_;
  }

  RadixForestView<Mass> forest_;
  std::vector<Mass> masses_;
  std::vector<Tree> to_do_;  // kept for its memory
  Index item_ = 0;           // of the last pieces, which are [begin_, end_)
  Mass begin_ = 0;
  Mass end_ = 0;
};

}  // namespace wrsgpu
