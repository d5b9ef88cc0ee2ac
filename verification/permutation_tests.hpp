// Are all permutations equally likely? The tests of Mitchell, Stokes, Frank and Holmes,
// "Bandwidth-optimal random shuffling for GPUs" (2021), section 5.
//
// Few items: chi-squared over all their permutations. Any number of items: the squared maximum mean
// discrepancy (MMD) between the permutations drawn and the uniform distribution, in the space of
// the Mallows kernel K. The formulas are derived here; their numbers are the paper's.
//
//   K(a, b) = exp(-lambda n_dis(a, b) / C(n, 2)), with n_dis the number of discordant pairs.
//   MMD^2 = E K(p, p') - 2 E K(p, u) + E K(u, u') for drawn p, p' and uniform u, u' (4). A fixed p
//   composed with a uniform one is uniform and K does not change when both sides are composed with
//   the same, so the last two means are the same number m, and MMD^2 = E K(p, p') - m.
//   The estimate from q permutations (5): the mean of K over the q/2 pairs of neighbours, none in
//   two pairs, less m. K is in [0, 1], so by Hoeffding's inequality, for q/2 terms,
//   P(|estimate| >= t) <= 2 exp(-q t^2); accepted is |estimate| < sqrt(ln(2 / level) / q) (6).
//   For many terms it is normal with variance Var K / (q/2); accepted is
//   |estimate| < 2 sqrt(Var K / q) erfinv(1 - level) (7).
//   m: n_dis of a uniform permutation is a sum of independent numbers, the j-th uniform on
//   {0, ..., j - 1}, so with x = lambda / C(n, 2) the mean of exp(-x n_dis) is the product over j
//   of (1 - e^(-j x)) / (j (1 - e^(-x))). K^2 is K with twice the lambda, hence
//   Var K = m(2 lambda) - m(lambda)^2.
//
// The MMD is zero only for the uniform distribution, but the statistic grows as the square of a
// bias and sees no more of a pair of permutations than how many pairs of items they order
// differently: rare faults and faults of few items among many are for other tests.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "verification/statistical_report.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::verification {

/// Writes permutation k, of out.size() items, to `out`. Called concurrently by several threads,
/// once for each k.
using PermutationSource = std::function<void(std::uint64_t k, std::span<Index> out)>;

/// Maximum number of items for the chi-squared test over all permutations: 8! = 40,320 cells.
inline constexpr Index max_counted_items = 8;
/// The paper's parameter of the kernel.
inline constexpr double mallows_lambda = 5;

/// The rank of a permutation of at most 20 items in lexicographic order (its Lehmer code as a
/// number). Throws `Error` for more items and if it is not a permutation.
[[nodiscard]] std::uint64_t permutation_rank(std::span<const Index> permutation);

/// Number of pairs of items that the two order differently (Kendall's distance), in O(n log n).
/// Throws `Error` unless both are permutations of the same number of items.
[[nodiscard]] std::uint64_t discordant_pairs(std::span<const Index> first,
                                             std::span<const Index> second);

/// The Mallows kernel of two permutations of `items` items with this number of discordant pairs; 1
/// for a single item.
[[nodiscard]] double mallows_kernel(std::uint64_t discordant, Index items,
                                    double lambda = mallows_lambda);
/// Its mean and variance for two independent uniform permutations, in O(items).
[[nodiscard]] double mallows_mean(Index items, double lambda = mallows_lambda);
[[nodiscard]] double mallows_variance(Index items, double lambda = mallows_lambda);

/// The statistics beyond which a test at `level` rejects: see (6) and (7) above. Throw `Error` for
/// a level that is not in (0, 1).
[[nodiscard]] double mmd_threshold_hoeffding(std::uint64_t permutations, double level);
[[nodiscard]] double mmd_threshold_asymptotic(Index items, std::uint64_t permutations,
                                              double level);
/// The threshold of chi-squared over the permutations. Throws `Error` also if items is not in [2,
/// max_counted_items].
[[nodiscard]] double chi_squared_threshold(Index items, double level);

/// Chi-squared test over all permutations of `items` items, one cell each, from permutations [0,
/// count) of `source`. Throws `Error` if items is not in [1, max_counted_items], if the expected
/// count of a cell is less than 5, and if the source yields anything but permutations. `threads`: 0
/// for all; the result does not depend on it.
[[nodiscard]] StatisticalReport permutation_chi_squared(Index items, std::uint64_t count,
                                                        const PermutationSource& source,
                                                        unsigned threads = 0);

/// One statistic, the estimate (5), with two p-values.
struct MmdReports {
  /// An upper bound for any number of permutations.
  StatisticalReport hoeffding;
  /// By the central limit theorem: much tighter, and accurate for large numbers of permutations.
  StatisticalReport asymptotic;
};

/// The MMD test of permutations [0, count) of `source`, with lambda = mallows_lambda. Both p-values
/// are two-sided: too small an estimate shows that neighbours repel each other. A single item has
/// one permutation and passes. O(items) memory per thread. Throws `Error` if there are no items, if
/// count is zero or odd, and if the source yields anything but permutations. `threads` as above.
[[nodiscard]] MmdReports permutation_mmd(Index items, std::uint64_t count,
                                         const PermutationSource& source, unsigned threads = 0);

}  // namespace wrsgpu::verification
