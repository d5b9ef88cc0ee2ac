// The balanced tree of the work-efficient prefix sum (Blelloch, "Prefix sums and their
// applications", 1990; thesis 1.4.2, Figure 1.8), and its layout in shared memory.
//
// The tree is stored in the array itself: the node above items [a, b) is item b - 1. Nodes of one
// level access disjoint items, so that a level is one launch, or one step of a block.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"

namespace wrsgpu::prefixsum {

/// Node `node` of the level whose children are `stride` items apart.
struct TreeNode {
  std::uint64_t left;   // position of the sum of the left half
  std::uint64_t right;  // position of the sum of the right half, then of the node

  WRSGPU_HD constexpr TreeNode(std::uint64_t stride, std::uint64_t node)
      : left((2 * node + 1) * stride - 1), right((2 * node + 2) * stride - 1) {}
};

/// Up-sweep: the node becomes the sum of its halves.
template <class Array>
WRSGPU_HD void sum_up(const Array& data, TreeNode node) {
  data.store(node.right, data.load(node.left) + data.load(node.right));
}

/// Down-sweep: the node holds the sum of everything to its left; its halves get theirs.
template <class Array>
WRSGPU_HD void hand_down(const Array& data, TreeNode node) {
  const auto left_sum = data.load(node.left);
  const auto before = data.load(node.right);
  data.store(node.left, before);
  data.store(node.right, before + left_sum);
}

/// Shared memory has 32 banks. The strides of the tree are powers of two, so without padding up to
/// 32 threads would access the same bank; one unused word after every 32 spreads them (Harris,
/// Sengupta and Owens, GPU Gems 3, chapter 39).
[[nodiscard]] WRSGPU_HD constexpr unsigned padded(unsigned item) { return item + item / 32; }
/// Number of words for `items` padded items.
[[nodiscard]] WRSGPU_HD constexpr unsigned padded_size(unsigned items) {
  return padded(items - 1) + 1;
}

/// An array in shared memory.
template <class T>
struct PaddedArray {
  using Value = T;
  T* data;
  [[nodiscard]] WRSGPU_HD T load(std::uint64_t i) const {
    return data[padded(static_cast<unsigned>(i))];
  }
  WRSGPU_HD void store(std::uint64_t i, T value) const {
    data[padded(static_cast<unsigned>(i))] = value;
  }
};

/// Up-sweep by one block over `size` items, a power of two. The root, the sum of all items, is
/// computed only if `with_root`.
template <class Team, class Array>
WRSGPU_HD void up_sweep(const Team& team, const Array& data, unsigned size, bool with_root) {
  for (unsigned stride = 1; stride < (with_root ? size : size / 2); stride *= 2) {
    team.each(size / (2 * stride), [&](unsigned node) { sum_up(data, TreeNode(stride, node)); });
  }
}

/// Down-sweep by one block. The root, item `size` - 1, holds the value to add to every sum.
template <class Team, class Array>
WRSGPU_HD void down_sweep(const Team& team, const Array& data, unsigned size) {
  for (unsigned stride = size / 2; stride > 0; stride /= 2) {
    team.each(size / (2 * stride), [&](unsigned node) { hand_down(data, TreeNode(stride, node)); });
  }
}

}  // namespace wrsgpu::prefixsum
