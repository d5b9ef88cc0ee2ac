// The binary trees down which samples are divided among items.
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/random/binomial.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/philox_engine.hpp"
#include "wrsgpu/random_state.hpp"

namespace wrsgpu::detail {

/// Three stages of complete trees with 2048 leaves each: one over groups of tiles, those over the
/// tiles of a group, and those over the items of a tile. The deviate of a node is a function of the
/// seed, the offset and the node, so that any thread can compute it.
///
/// @note The same bits on host and device where `--fmad=false` compiles the device code.
class CountTree {
 public:
  static constexpr int levels = 11;
  static constexpr unsigned leaves = 1U << levels;
  static_assert(mass_tile_items == leaves);
  enum class Stage : std::uint8_t { groups, tiles, items };

  using Random = random::PhiloxEngine<>;

  /// The division of a node's samples among its halves. The smaller mass is divided, because the
  /// difference of a quotient and 1 would be rounded.
  struct Division {
    std::uint64_t node;
    std::uint64_t samples;
    double p = 0;  ///< of the lighter half
    bool is_left_lighter;

    WRSGPU_HD Division(std::uint64_t number, std::uint64_t all_samples, std::uint64_t left_mass,
                       std::uint64_t mass)
        : node(number), samples(all_samples), is_left_lighter(left_mass <= mass - left_mass) {
      const std::uint64_t lighter = is_left_lighter ? left_mass : mass - left_mass;
      if (mass > 0) p = static_cast<double>(lighter) / static_cast<double>(mass);
    }
    /// Whether the lighter half gets nothing.
    [[nodiscard]] WRSGPU_HD bool is_trivial() const { return samples == 0 || !(p > 0); }
    /// The samples of the left half, if the lighter one has `deviate`.
    [[nodiscard]] WRSGPU_HD std::uint64_t left(std::uint64_t deviate) const {
      return is_left_lighter ? deviate : samples - deviate;
    }
  };

  /// Tree `number` of a stage: `counts[0]` are its samples, `mass_before` the prefix sums of the
  /// masses of its leaves with the sum of all at the end, up to a common summand.
  class Tree {
   public:
    WRSGPU_HD Tree(const CountTree& all, Stage stage, Index number, std::uint64_t* counts,
                   const std::uint64_t* mass_before)
        : seed_(all.seed_),
          tree_((static_cast<std::uint64_t>(stage) + 1) << 40 | std::uint64_t{number}
                                                                    << (levels + 1)),
          counts_(counts),
          mass_before_(mass_before) {}

    /// The division of node `number` of level `level`.
    [[nodiscard]] WRSGPU_HD Division division(int level, unsigned number) const {
      const unsigned size = leaves >> level;
      const unsigned begin = number * size;
      const std::uint64_t before = mass_before_[begin];
      return {tree_ | ((1U << level) + number), counts_[begin],
              mass_before_[begin + size / 2] - before, mass_before_[begin + size] - before};
    }
    /// The random words of a division.
    [[nodiscard]] WRSGPU_HD Random random(const Division& division) const {
      return Random(RandomState{seed_, 0}, division.node);
    }
    /// Divides the samples of a node on the host.
    void divide(int level, unsigned number) const {
      const Division d = division(level, number);
      divide(level, number, d.left(d.is_trivial() ? 0 : deviate(random(d), d)));
    }
    /// Stores the result: the counts of the two halves where they begin.
    WRSGPU_HD void divide(int level, unsigned number, std::uint64_t left) const {
      const unsigned size = leaves >> level;
      const unsigned begin = number * size;
      counts_[begin + size / 2] = counts_[begin] - left;
      counts_[begin] = left;
    }

   private:
    std::uint64_t seed_;
    std::uint64_t tree_;
    std::uint64_t* counts_;
    const std::uint64_t* mass_before_;
  };

  WRSGPU_HD explicit CountTree(RandomState state)
      : seed_(random::philox_word(state.seed, state.offset, random::counts_subsequence)) {}

  /// The samples of part `part` of `parts`, where `mass_before` are the prefix sums of their
  /// masses: by a tree of their own, down a path.
  [[nodiscard]] std::uint64_t of_part(std::uint64_t samples, const std::uint64_t* mass_before,
                                      Index parts, Index part) const {
    Index begin = 0;
    Index end = parts;
    std::uint64_t node = 1;  // the children of node k are 2 k and 2 k + 1
    while (end - begin > 1) {
      const Index middle = begin + (end - begin) / 2;
      const Division division(node, samples, mass_before[middle] - mass_before[begin],
                              mass_before[end] - mass_before[begin]);
      const std::uint64_t left = division.left(
          division.is_trivial() ? 0 : deviate(Random(RandomState{seed_, 0}, node), division));
      const bool is_left = part < middle;
      samples = is_left ? left : samples - left;
      (is_left ? end : begin) = middle;
      node = 2 * node + (is_left ? 0 : 1);
    }
    return samples;
  }

  /// The deviate of a division that is not trivial.
  [[nodiscard]] WRSGPU_HD static std::uint64_t deviate(Random random, const Division& division) {
    return random::binomial<random::PortableMath>(random, division.samples, division.p);
  }

 private:
  std::uint64_t seed_;
};

}  // namespace wrsgpu::detail
