// How many samples each section of a table gives (thesis 3.4.2 and 4.7.3), found by every block for
// itself: the idea of Algorithm R (thesis 1.2.1).
#pragma once

#include <cstdint>

#include "wrsgpu/construction/split/sections.hpp"
#include "wrsgpu/core/host_device.hpp"
#include "wrsgpu/random/binomial.hpp"
#include "wrsgpu/random/binomial_normal_approximation.hpp"
#include "wrsgpu/random/philox.hpp"
#include "wrsgpu/random/philox_engine.hpp"
#include "wrsgpu/random/random_state.hpp"

namespace wrsgpu {

/// What decides how many samples of a node go to its left half.
enum class SectionCounts {
  exact,                 ///< binomial deviates
  normal_approximation,  ///< the thesis's, to compare with; biased where a half expects few samples
};

/// What one section gives: samples [first_sample, first_sample + samples) of the output.
struct SectionShare {
  std::uint64_t first_sample;
  std::uint64_t samples;
};

/// A tree over the sections: each node halves its range of sections, and a deviate says how many of
/// its samples come from the left half, whose chance is its share of the node's rows. Every row has
/// the same chance, so that this is the multinomial distribution, and the counts add up to
/// `samples` exactly. The deviate of a node is a function of the seed, the offset and the node, so
/// that every block that passes it finds the same number, without communication.
class SectionTree {
 public:
  WRSGPU_HD SectionTree(split::Sections sections, std::uint64_t samples, RandomState state,
                        SectionCounts counts)
      : sections_(sections),
        samples_(samples),
        // A key of its own: draws from other offsets must have other trees, although deviates take
        // any number of words.
        seed_(random::philox_word(state.seed, state.offset, random::sections_subsequence)),
        counts_(counts) {}

  [[nodiscard]] WRSGPU_HD const split::Sections& sections() const { return sections_; }

  /// Takes one deviate for each level of the tree.
  [[nodiscard]] WRSGPU_HD SectionShare share(Index section) const {
    Index begin = 0;
    Index end = sections_.count();
    std::uint64_t node = 1;  // its halves are 2 * node and 2 * node + 1
    SectionShare share{0, samples_};
    while (end - begin > 1 && share.samples > 0) {
      const Index middle = begin + (end - begin) / 2;
      const auto first = static_cast<double>(rows(begin, middle));
      const auto both = static_cast<double>(rows(begin, end));
      const std::uint64_t left = deviate(node, share.samples, first / both);
      if (section < middle) {
        share.samples = left;
        end = middle;
        node = 2 * node;
      } else {
        share.first_sample += left;
        share.samples -= left;
        begin = middle;
        node = 2 * node + 1;
      }
    }
    return share;
  }

 private:
  [[nodiscard]] WRSGPU_HD std::uint64_t rows(Index begin, Index end) const {
    return sections_.start(end) - std::uint64_t{sections_.start(begin)};
  }
  [[nodiscard]] WRSGPU_HD std::uint64_t deviate(std::uint64_t node, std::uint64_t n,
                                                double p) const {
    random::PhiloxEngine<> generator(RandomState{seed_, 0}, node);
    return counts_ == SectionCounts::exact ? random::binomial(generator, n, p)
                                           : random::binomial_normal_approximation(generator, n, p);
  }

  split::Sections sections_;
  std::uint64_t samples_;
  std::uint64_t seed_;
  SectionCounts counts_;
};

}  // namespace wrsgpu
