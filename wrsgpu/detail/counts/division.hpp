// How samples are divided among items without drawing each of them.
#pragma once

#include <cmath>
#include <cstdint>

#include "wrsgpu/detail/core/host_device.hpp"
#include "wrsgpu/detail/core/wide_integer.hpp"
#include "wrsgpu/detail/masses/mass_tiles.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/detail/random/philox_engine.hpp"
#include "wrsgpu/detail/random/poisson.hpp"
#include "wrsgpu/random_state.hpp"

namespace wrsgpu::detail {

/// The division of n samples among up to 2,048 *parts* of masses q_i that add up to Q: among groups
/// of tiles, among the tiles of a group, or among the items of a tile. It takes three steps at most
/// to get from all samples to those of an item.
///
/// Counts of a Poisson number T of samples are independent Poisson deviates; given T, they are
/// multinomial. So in a *round*, part i gets a Poisson deviate of mean (n - 2 sqrt(n)) q_i / Q. If
/// T exceeds n, which happens in 2% of the rounds, the round is made again; it depends on T alone,
/// so the counts remain multinomial. The other n - T samples, some 2 sqrt(n), are those of the next
/// round; the last ones, two for each part, are drawn one by one. A round takes one step for all
/// parts, where a tree of binomial deviates takes eleven.
///
/// Random words are functions of the seed, the offset, the division and the part, so that any
/// thread can compute them.
///
/// @note The same bits on host and device where `--fmad=false` compiles the device code.
class Division {
 public:
  static constexpr Index parts = mass_tile_items;
  enum class Stage : std::uint8_t { groups, tiles, items };
  /// The most samples that are drawn one by one.
  static constexpr std::uint64_t max_single = 2 * std::uint64_t{parts};

  using Random = random::PhiloxEngine<>;

  /// Division `number` of a stage.
  WRSGPU_HD Division(RandomState state, Stage stage, Index number)
      : seed_(random::philox_word(state.seed, state.offset, random::counts_subsequence)),
        first_((static_cast<std::uint64_t>(stage) + 1) << 40 | std::uint64_t{number} << 12) {}

  /// One of the rounds for `samples` samples.
  struct Round {
    std::uint64_t number;
    std::uint64_t samples;  ///< not all, if there are so many that their sum could overflow
    double mean_of_mass;

    WRSGPU_HD Round(std::uint64_t of_division, std::uint64_t all_samples, std::uint64_t mass)
        : number(of_division), samples(all_samples < max_samples ? all_samples : max_samples) {
      const auto n = static_cast<double>(samples);
      mean_of_mass = (n - 2.0 * std::sqrt(n)) / static_cast<double>(mass);
    }
    [[nodiscard]] WRSGPU_HD double mean(std::uint64_t mass) const {
      return static_cast<double>(mass) * mean_of_mass;
    }

   private:
    static constexpr std::uint64_t max_samples = std::uint64_t{1} << 62;
  };

  /// The words of a part in a round.
  [[nodiscard]] WRSGPU_HD Random words(const Round& round, Index part) const {
    return Random(RandomState{seed_, round.number << 32}, first_ | part);
  }
  /// The words of the samples that are drawn one by one, from sample `first` on.
  [[nodiscard]] WRSGPU_HD Random words_of_single(std::uint64_t first) const {
    return Random(RandomState{seed_, first}, first_ | parts);
  }
  /// The part that a word selects, from the prefix sums of the masses with that of all at the end.
  [[nodiscard]] WRSGPU_HD static Index part_of(const std::uint64_t* mass_before,
                                               std::uint64_t word) {
    const std::uint64_t first = mass_before[0];
    const std::uint64_t mass = mass_before[parts] - first;
    const auto share = static_cast<std::uint64_t>(WideInteger{word} * mass >> 64) + first;
    Index part = 0;
    for (Index step = parts / 2; step > 0; step /= 2) {
      if (mass_before[part + step] <= share) part += step;
    }
    return part;
  }

 private:
  std::uint64_t seed_;
  std::uint64_t first_;  // of its subsequences
};

}  // namespace wrsgpu::detail
