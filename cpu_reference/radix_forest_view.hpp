// The radix forest of Binder and Keller, "Massively parallel construction of radix tree forests for
// the efficient sampling of discrete or piecewise constant probability distributions" (MCQMC 2018,
// arXiv:1901.05423; thesis 2.7), as samplers read it on the CPU and the GPU.
//
// As in the cutpoint method, the cumulated masses are divided into cells of equal width. In a cell
// where the linear search of that method would take long, a binary tree finds the item: its leaves
// are the items whose intervals begin in the cell, and its inner nodes divide them where the
// highest bit of their beginnings differs. The item that overlaps the left end of the cell is the
// left child of a root of its own.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "cpu_reference/interval_position.hpp"
#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu {

/// Division of the positions into cells, whose width is the power of two below the mean mass of an
/// item, times 2^log2_items: `of` and `begin` are exact.
template <class Mass>
class RadixForestCells;

template <>
class RadixForestCells<std::uint64_t> {
 public:
  RadixForestCells() = default;
  /// For integer masses, which add up to size * 2^32.
  RadixForestCells(std::uint64_t /*total*/, Index /*size*/, unsigned log2_items)
      : shift_(32 + log2_items) {}
  [[nodiscard]] WRSGPU_HD Index of(std::uint64_t position) const {
    return static_cast<Index>(position >> shift_);
  }
  [[nodiscard]] WRSGPU_HD std::uint64_t begin(Index cell) const {
    return std::uint64_t{cell} << shift_;
  }

 private:
  unsigned shift_ = 32;
};

template <>
class RadixForestCells<double> {
 public:
  RadixForestCells() = default;
  RadixForestCells(double total, Index size, unsigned log2_items)
      : per_mass_(std::ldexp(1.0, -std::ilogb(total / size) - static_cast<int>(log2_items))) {}
  [[nodiscard]] Index of(double position) const { return static_cast<Index>(position * per_mass_); }
  [[nodiscard]] double begin(Index cell) const { return cell / per_mass_; }

 private:
  double per_mass_ = 1;
};

/// Number of cells that contain positions below `total`.
template <class Mass>
[[nodiscard]] Index count_cells(const RadixForestCells<Mass>& cells, Mass total) {
  const Index last = cells.of(total);
  return last + (cells.begin(last) < total ? 1U : 0U);
}

/// Node i divides the items before i from item i and those after it; node 0 does not exist.
template <class Mass>
struct alignas(16) RadixNode {
  Mass split;      ///< where the interval of item i begins
  Index child[2];  ///< a node, or a leaf (`radix_leaf`)
};
static_assert(sizeof(RadixNode<std::uint64_t>) == 16);

/// One bit of a child says whether it is a leaf.
inline constexpr Index max_radix_forest_items = Index{1} << 31;

/// Throws `Error` for more.
inline void require_radix_forest_size(Index items) {
  if (items <= max_radix_forest_items) return;
  throw Error("a radix forest has at most 2^31 items, not " + std::to_string(items));
}

[[nodiscard]] WRSGPU_HD inline Index radix_leaf(Index item) {
  return item | max_radix_forest_items;
}
[[nodiscard]] WRSGPU_HD inline bool is_radix_leaf(Index child) {
  return child >= max_radix_forest_items;
}
[[nodiscard]] WRSGPU_HD inline Index item_of_radix_leaf(Index leaf) {
  return leaf & (max_radix_forest_items - 1);
}

template <class Mass>
struct RadixForestView {
  const RadixNode<Mass>* nodes;
  const Index* roots;  ///< one per cell: a node, or a leaf where a single item overlaps the cell
  RadixForestCells<Mass> cells;
  Mass total;

  [[nodiscard]] WRSGPU_HD RadixNode<Mass> load(Index node) const {
#ifdef __CUDA_ARCH__
    RadixNode<Mass> loaded;
    *reinterpret_cast<int4*>(&loaded) = *reinterpret_cast<const int4*>(nodes + node);
    return loaded;
#else
    return nodes[node];
#endif
  }

  /// The item for a uniform 64-bit word. A larger word never gives a smaller item.
  [[nodiscard]] WRSGPU_HD Index find(std::uint64_t word) const {
    const Mass position = interval_position(word, total);
    Index at = roots[cells.of(position)];
    while (!is_radix_leaf(at)) {
      const RadixNode<Mass> node = load(at);
      at = position < node.split ? node.child[0] : node.child[1];
    }
    return item_of_radix_leaf(at);
  }
};

}  // namespace wrsgpu
