// The number of samples from each section of a table (thesis 3.4.2 and 4.7.3), which every block or
// border computes by itself, after the idea of Algorithm R (thesis 1.2.1).
#pragma once

#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/random/binomial.hpp"
#include "wrsgpu/detail/random/binomial_normal_approximation.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/philox_engine.hpp"
#include "wrsgpu/detail/sampling/sections.hpp"
#include "wrsgpu/random_state.hpp"

namespace wrsgpu {

/// The distribution that splits the samples of a node between its halves.
enum class SectionCounts {
  exact,                 ///< binomial deviates
  normal_approximation,  ///< the thesis's, for comparison; biased if a half expects few samples
};

/// The samples of one section: [first_sample, first_sample + samples) of the output.
struct SectionShare {
  std::uint64_t first_sample;
  std::uint64_t samples;
};

/// Sections [begin, end), and their samples. The children of node k are 2 k and 2 k + 1.
struct SectionNode {
  Index begin;
  Index end;
  std::uint64_t number;
  SectionShare share;
};
struct SectionHalves {
  SectionNode left;
  SectionNode right;
};

/// Computes the deviates of a node on one thread.
struct BinomialByThread {
  WRSGPU_HD std::uint64_t operator()(random::PhiloxEngine<> generator, std::uint64_t n,
                                     double p) const {
    return random::binomial(generator, n, p);
  }
};

/// A binary tree over the sections. Each node halves its range of sections; a binomial deviate is
/// the number of its samples from the left half, whose probability is its fraction of the rows of
/// the node. Since every row is equally likely, the counts have the multinomial distribution, and
/// they add up to `samples` exactly. The deviate of a node is a function of the seed, the offset
/// and the node, so that every block that visits the node computes the same number, without
/// communication.
class SectionTree {
 public:
  WRSGPU_HD SectionTree(split::Sections sections, std::uint64_t samples, RandomState state,
                        SectionCounts counts)
      : sections_(sections),
        samples_(samples),
        // A separate key: draws from other offsets must have other trees, although deviates take
        // any number of words.
        seed_(random::philox_word(state.seed, state.offset, random::sections_subsequence)),
        counts_(counts) {}

  [[nodiscard]] WRSGPU_HD const split::Sections& sections() const { return sections_; }

  /// Computes one deviate per level of the tree; `SectionWalk` computes fewer for neighbouring
  /// sections.
  [[nodiscard]] WRSGPU_HD SectionShare share(Index section) const {
    SectionNode node = root();
    while (node.end - node.begin > 1 && node.share.samples > 0) {
      const SectionHalves halves = split(node);
      node = section < halves.left.end ? halves.left : halves.right;
    }
    return node.share;
  }

  [[nodiscard]] WRSGPU_HD SectionNode root() const {
    return {0, sections_.count(), 1, {0, samples_}};
  }

  /// Splits a node of at least two sections. `binomial` has the signature of `BinomialByThread`.
  template <class Binomial = BinomialByThread>
  [[nodiscard]] WRSGPU_HD SectionHalves split(const SectionNode& node,
                                              const Binomial& binomial = {}) const {
    const Index middle = node.begin + (node.end - node.begin) / 2;
    const auto first = static_cast<double>(rows(node.begin, middle));
    const auto both = static_cast<double>(rows(node.begin, node.end));
    const auto [first_sample, samples] = node.share;
    const std::uint64_t left = deviate(node.number, samples, first / both, binomial);
    return {{node.begin, middle, 2 * node.number, {first_sample, left}},
            {middle, node.end, 2 * node.number + 1, {first_sample + left, samples - left}}};
  }

 private:
  [[nodiscard]] WRSGPU_HD std::uint64_t rows(Index begin, Index end) const {
    return sections_.start(end) - std::uint64_t{sections_.start(begin)};
  }
  template <class Binomial>
  [[nodiscard]] WRSGPU_HD std::uint64_t deviate(std::uint64_t node, std::uint64_t n, double p,
                                                const Binomial& binomial) const {
    random::PhiloxEngine<> generator(RandomState{seed_, 0}, node);
    return counts_ == SectionCounts::exact ? binomial(generator, n, p)
                                           : random::binomial_normal_approximation(generator, n, p);
  }

  split::Sections sections_;
  std::uint64_t samples_;
  std::uint64_t seed_;
  SectionCounts counts_;
};

/// Walk over the samples of consecutive sections: no node is split twice, so that many sections
/// take about one deviate each. Trivial, so that a block can keep it in shared memory.
class SectionWalk {
 public:
  WRSGPU_HD void start(const SectionTree& tree, Index section) {
    depth_ = 0;
    SectionNode node = tree.root();
    while (node.end - node.begin > 1) {
      const SectionHalves halves = tree.split(node);
      if (section < halves.left.end) {
        waiting_[depth_++] = halves.right;
        node = halves.left;
      } else {
        node = halves.right;
      }
    }
    waiting_[depth_++] = node;
  }

  /// The samples of the current section, which must exist; advances to the next one.
  [[nodiscard]] WRSGPU_HD SectionShare next(const SectionTree& tree) {
    SectionNode node = waiting_[--depth_];
    while (node.end - node.begin > 1) {
      const SectionHalves halves = tree.split(node);
      waiting_[depth_++] = halves.right;
      node = halves.left;
    }
    return node.share;
  }

 private:
  // One right half per level, and the current node: 2^32 sections have 32 levels.
  SectionNode waiting_[33];
  int depth_;
};

}  // namespace wrsgpu
