#include "verification/independence.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <vector>

#include "wrsgpu/error.hpp"

namespace wrsgpu::verification {
namespace {

/// The bin of each item: bins of consecutive items, each closed once it holds 1 / `bins` of the
/// mass; the incomplete last one is merged with the one before. Returns the number of bins.
Index bin_items(std::span<const double> probabilities, Index bins, std::vector<Index>& bin_of) {
  bin_of.resize(probabilities.size());
  const double wanted = (1 - 1e-9) / bins;
  Index complete = 0;
  double mass = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    bin_of[i] = complete;
    mass += probabilities[i];
    if (mass < wanted) continue;
    ++complete;
    mass = 0;
  }
  const Index count = std::max<Index>(complete, 1);
  for (Index& bin : bin_of) bin = std::min<Index>(bin, count - 1);
  return count;
}

}  // namespace

StatisticalReport pair_independence(std::span<const Index> samples,
                                    std::span<const double> probabilities,
                                    const PairOptions& options) {
  const std::uint64_t lag = options.lag;
  if (lag == 0) throw Error("pair_independence: argument 'lag' is zero");
  StatisticalReport report;
  report.name = fmt::format("pair_independence_{}", lag);
  const std::uint64_t blocks = samples.size() / (2 * lag);
  const auto pairs = static_cast<double>(blocks * lag);
  report.samples = pairs;

  // A cell of two bins of mass 1 / bins expects pairs / bins^2.
  const double affordable = std::floor(std::sqrt(pairs / options.minimum_expected));
  std::vector<Index> bin_of;
  const Index count = bin_items(
      probabilities, static_cast<Index>(std::clamp<double>(affordable, 1, options.bins)), bin_of);
  Eigen::MatrixXd table = Eigen::MatrixXd::Zero(count, count);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    for (std::uint64_t k = 2 * lag * block; k < 2 * lag * block + lag; ++k) {
      const Index first = samples[k];
      const Index second = samples[k + lag];
      if (first >= bin_of.size() || second >= bin_of.size()) {
        throw Error(fmt::format("sample {} is {}, not one of the {} items",
                                first >= bin_of.size() ? k : k + lag, std::max(first, second),
                                bin_of.size()));
      }
      table(bin_of[first], bin_of[second]) += 1;
    }
  }
  const Eigen::VectorXd rows = table.rowwise().sum();
  const Eigen::RowVectorXd columns = table.colwise().sum();
  const auto used = [](const auto& margin) {
    return static_cast<double>((margin.array() > 0).count());
  };
  report.degrees_of_freedom = (used(rows) - 1) * (used(columns) - 1);
  if (report.degrees_of_freedom < 1) {
    report.degrees_of_freedom = 0;
    return report;
  }
  const Eigen::ArrayXXd expected = (rows * columns / pairs).array();
  // A cell of an empty margin has neither an expected nor an observed count.
  report.statistic =
      (expected > 0).select((table.array() - expected).square() / expected.max(1e-300), 0.0).sum();
  using boost::math::chi_squared_distribution;
  report.p_value = cdf(
      complement(chi_squared_distribution<double>(report.degrees_of_freedom), report.statistic));
  return report;
}

}  // namespace wrsgpu::verification
