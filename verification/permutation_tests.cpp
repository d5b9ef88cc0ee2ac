#include "verification/permutation_tests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <mutex>
#include <numeric>
#include <vector>

#include "verification/goodness_of_fit.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::verification {
namespace {

constexpr std::uint64_t max_ranked_items = 20;

std::uint64_t factorial(std::uint64_t n) {
  std::uint64_t product = 1;
  for (std::uint64_t i = 2; i <= n; ++i) product *= i;
  return product;
}

double pairs_of(Index items) {
  const auto n = static_cast<double>(items);
  return n * (n - 1) / 2;
}

void require_level(double level) {
  if (!(level > 0 && level < 1)) {
    throw Error(fmt::format("argument 'level' is {}; it must be between 0 and 1", level));
  }
}

void require_items(Index items, std::uint64_t maximum, const char* test) {
  if (items == 0 || items > maximum) {
    throw Error(fmt::format("{}: argument 'items' is {}; it must be between 1 and {}", test, items,
                            maximum));
  }
}

/// Runs `work`, and adds permutation k to the message of an error.
template <class Work>
auto about_permutation(std::uint64_t k, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(fmt::format("permutation {}: {}", k, error.what()));
  }
}

/// Counts inversions by merging; reuses its memory.
class DiscordantPairs {
 public:
  explicit DiscordantPairs(std::size_t items) : values_(items), scratch_(items) {}

  /// Both must be permutations, as `require_permutation` checks.
  std::uint64_t operator()(std::span<const Index> first, std::span<const Index> second) {
    // The ranks of the second in the order of the first: discordant pairs are inversions of these.
    for (std::size_t i = 0; i < first.size(); ++i) values_[first[i]] = second[i];
    return inversions();
  }

  void require_permutation(std::span<const Index> values) {
    std::fill(values_.begin(), values_.end(), Index{0});
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] >= values_.size()) {
        throw Error(
            fmt::format("place {} holds {}, but there are {} items", i, values[i], values_.size()));
      }
      if (values_[values[i]]++ != 0) {
        throw Error(fmt::format("place {} holds {}, which an earlier place holds", i, values[i]));
      }
    }
  }

 private:
  /// Inversions of `values_`, which this sorts: short runs by insertion, then merges.
  std::uint64_t inversions() {
    constexpr std::size_t run = 8;
    const std::size_t items = values_.size();
    std::uint64_t count = 0;
    for (std::size_t begin = 0; begin < items; begin += run) {
      count += insertion_sort(begin, std::min(begin + run, items));
    }
    for (std::size_t width = run; width < items; width *= 2) {
      for (std::size_t begin = 0; begin < items; begin += 2 * width) {
        count += merge(begin, std::min(begin + width, items), std::min(begin + 2 * width, items));
      }
      values_.swap(scratch_);
    }
    return count;
  }

  std::uint64_t insertion_sort(std::size_t begin, std::size_t end) {
    std::uint64_t count = 0;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const Index value = values_[i];
      std::size_t place = i;
      for (; place > begin && values_[place - 1] > value; --place) {
        values_[place] = values_[place - 1];
      }
      values_[place] = value;
      count += i - place;
    }
    return count;
  }

  /// Merges into `scratch_`. A value from the right passes all values left on the left.
  std::uint64_t merge(std::size_t begin, std::size_t middle, std::size_t end) {
    std::uint64_t count = 0;
    std::size_t left = begin;
    std::size_t right = middle;
    std::size_t out = begin;
    while (left < middle && right < end) {
      // Branch-free: a branch would be mispredicted half of the time.
      const Index a = values_[left];
      const Index b = values_[right];
      const bool from_right = b < a;
      scratch_[out++] = from_right ? b : a;
      count += from_right ? middle - left : 0;
      right += from_right ? 1 : 0;
      left += from_right ? 0 : 1;
    }
    const auto at = [](std::vector<Index>& values, std::size_t place) {
      return values.begin() + static_cast<std::ptrdiff_t>(place);
    };
    const auto rest = std::copy(at(values_, left), at(values_, middle), at(scratch_, out));
    std::copy(at(values_, right), at(values_, end), rest);
    return count;
  }

  std::vector<Index> values_;
  std::vector<Index> scratch_;
};

}  // namespace

std::uint64_t permutation_rank(std::span<const Index> permutation) {
  const std::uint64_t items = permutation.size();
  if (items > max_ranked_items) {
    throw Error(
        fmt::format("permutation_rank: {} items are more than {}", items, max_ranked_items));
  }
  std::uint32_t unused = (std::uint32_t{1} << items) - 1;
  std::uint64_t rank = 0;
  for (std::size_t i = 0; i < items; ++i) {
    if (permutation[i] >= items || (unused >> permutation[i] & 1U) == 0) {
      throw Error(fmt::format("permutation_rank: place {} holds {}, which is {}", i, permutation[i],
                              permutation[i] < items ? "there already" : "no item"));
    }
    const std::uint32_t bit = std::uint32_t{1} << permutation[i];
    unused &= ~bit;
    const auto smaller = static_cast<std::uint64_t>(std::popcount(unused & (bit - 1)));
    rank = rank * (items - i) + smaller;
  }
  return rank;
}

std::uint64_t discordant_pairs(std::span<const Index> first, std::span<const Index> second) {
  if (first.size() != second.size()) {
    throw Error(fmt::format("discordant_pairs: permutations of {} and of {} items", first.size(),
                            second.size()));
  }
  DiscordantPairs discordant(first.size());
  discordant.require_permutation(first);
  discordant.require_permutation(second);
  return discordant(first, second);
}

double mallows_kernel(std::uint64_t discordant, Index items, double lambda) {
  if (items < 2) return 1;
  return std::exp(-lambda * static_cast<double>(discordant) / pairs_of(items));
}

double mallows_mean(Index items, double lambda) {
  if (items < 2 || lambda == 0) return 1;
  const double x = lambda / pairs_of(items);
  const double one = -std::expm1(-x);
  double product = 1;
  for (Index j = 2; j <= items; ++j) {
    const auto values = static_cast<double>(j);
    product *= -std::expm1(-values * x) / (values * one);
  }
  return product;
}

double mallows_variance(Index items, double lambda) {
  if (items < 2) return 0;
  const double mean = mallows_mean(items, lambda);
  return mallows_mean(items, 2 * lambda) - mean * mean;
}

double mmd_threshold_hoeffding(std::uint64_t permutations, double level) {
  require_level(level);
  return std::sqrt(std::log(2 / level) / static_cast<double>(permutations));
}

double mmd_threshold_asymptotic(Index items, std::uint64_t permutations, double level) {
  require_level(level);
  return 2 * std::sqrt(mallows_variance(items) / static_cast<double>(permutations)) *
         boost::math::erfc_inv(level);
}

double chi_squared_threshold(Index items, double level) {
  require_items(items, max_counted_items, "chi_squared_threshold");
  if (items < 2) throw Error("chi_squared_threshold: a single item has a single permutation");
  require_level(level);
  const boost::math::chi_squared distribution(static_cast<double>(factorial(items) - 1));
  return boost::math::quantile(boost::math::complement(distribution, level));
}

StatisticalReport permutation_chi_squared(Index items, std::uint64_t count,
                                          const PermutationSource& source, unsigned threads) {
  constexpr auto name = "permutation_chi_squared";
  require_items(items, max_counted_items, name);
  const std::uint64_t cells = factorial(items);
  if (static_cast<double>(count) < customary_expected_count * static_cast<double>(cells)) {
    throw Error(fmt::format("{}: {} permutations are too few for {} cells of {} each", name, count,
                            cells, customary_expected_count));
  }
  Counts counts(cells, 0);
  std::mutex counts_mutex;
  constexpr std::uint64_t blocks = 64;
  parallel_for(blocks, threads, [&](std::uint64_t block) {
    Counts block_counts(cells, 0);
    std::vector<Index> permutation(items);
    const Range range = slice(count, block, blocks);
    for (std::uint64_t k = range.begin; k < range.end; ++k) {
      source(k, permutation);
      ++block_counts[about_permutation(k, [&] { return permutation_rank(permutation); })];
    }
    const std::lock_guard lock(counts_mutex);
    std::transform(counts.begin(), counts.end(), block_counts.begin(), counts.begin(),
                   std::plus<>());
  });
  const std::vector<double> uniform(cells, 1 / static_cast<double>(cells));
  // Cells are not merged: the expected count of each has been checked.
  StatisticalReport report = chi_squared(counts, uniform, 0);
  report.name = name;
  return report;
}

MmdReports permutation_mmd(Index items, std::uint64_t count, const PermutationSource& source,
                           unsigned threads) {
  constexpr auto name = "permutation_mmd";
  require_items(items, max_items, name);
  if (count == 0 || count % 2 != 0) {
    throw Error(
        fmt::format("{}: argument 'count' is {}; it must be even and not zero", name, count));
  }
  // Blocks of a fixed size, added up in order, so that rounding does not depend on the number of
  // threads.
  constexpr std::uint64_t pairs_per_block = 64;
  const std::uint64_t pairs = count / 2;
  const std::uint64_t blocks = (pairs + pairs_per_block - 1) / pairs_per_block;
  std::vector<double> sums(blocks, 0.0);
  parallel_for(blocks, threads, [&](std::uint64_t block) {
    std::vector<Index> first(items);
    std::vector<Index> second(items);
    DiscordantPairs discordant(items);
    const std::uint64_t end = std::min(pairs, (block + 1) * pairs_per_block);
    for (std::uint64_t pair = block * pairs_per_block; pair < end; ++pair) {
      source(2 * pair, first);
      about_permutation(2 * pair, [&] { discordant.require_permutation(first); });
      source(2 * pair + 1, second);
      about_permutation(2 * pair + 1, [&] { discordant.require_permutation(second); });
      sums[block] += mallows_kernel(discordant(first, second), items);
    }
  });
  const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(pairs);
  const auto q = static_cast<double>(count);

  StatisticalReport report;
  report.samples = q;
  report.statistic = mean - mallows_mean(items);
  MmdReports reports{report, report};
  reports.hoeffding.name = "permutation_mmd_hoeffding";
  reports.asymptotic.name = "permutation_mmd_asymptotic";
  reports.hoeffding.p_value = std::min(1.0, 2 * std::exp(-q * report.statistic * report.statistic));
  if (items > 1) {
    const double deviation = std::sqrt(2 * mallows_variance(items) / q);
    reports.asymptotic.p_value =
        std::erfc(std::abs(report.statistic) / (std::sqrt(2.0) * deviation));
  }
  return reports;
}

}  // namespace wrsgpu::verification
