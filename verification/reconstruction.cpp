#include "verification/reconstruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "verification/exact_sum.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/masses/quantise.hpp"
#include "wrsgpu/detail/masses/weight_summary.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::verification {
namespace {

using detail::DoubleDouble;
using detail::two_sum;

constexpr double unit_roundoff = 0x1p-53;
constexpr std::uint64_t block_items = 1 << 16;

std::uint64_t block_count(std::uint64_t n) { return (n + block_items - 1) / block_items; }
Range block_range(std::uint64_t n, std::uint64_t block) {
  return {block * block_items, std::min(n, (block + 1) * block_items)};
}

/// Findings for a part of the items or rows; parts are merged in order.
struct Findings {
  std::uint64_t wrong_items = 0;
  std::uint64_t drawn_zero_items = 0;
  std::uint64_t broken_rows = 0;
  Index worst_item = 0;
  double worst_error = -1;
  double worst_relative_error = 0;
  double light_deviation = 0;
  std::string message;

  template <class... Args>
  void fail(std::uint64_t& counter, fmt::format_string<Args...> format, Args&&... args) {
    ++counter;
    if (message.empty()) message = fmt::format(format, std::forward<Args>(args)...);
  }
  /// `error` and `weight` in the same unit.
  void compare(Index item, double error, double weight) {
    // NaN counts as the largest error.
    const double magnitude =
        std::isnan(error) ? std::numeric_limits<double>::infinity() : std::abs(error);
    if (magnitude > worst_error) {
      worst_error = magnitude;
      worst_item = item;
    }
    if (weight > 0) worst_relative_error = std::max(worst_relative_error, magnitude / weight);
  }
  void merge(const Findings& later) {
    wrong_items += later.wrong_items;
    drawn_zero_items += later.drawn_zero_items;
    broken_rows += later.broken_rows;
    if (later.worst_error > worst_error) {
      worst_error = later.worst_error;
      worst_item = later.worst_item;
    }
    worst_relative_error = std::max(worst_relative_error, later.worst_relative_error);
    light_deviation += later.light_deviation;
    if (message.empty()) message = later.message;
  }
};

/// Runs `body(range, findings)` over blocks of [0, n) and merges their findings.
template <class Body>
Findings for_blocks(std::uint64_t n, unsigned threads, const Body& body) {
  std::vector<Findings> parts(block_count(n));
  parallel_for(parts.size(), threads,
               [&](std::uint64_t block) { body(block_range(n, block), parts[block]); });
  Findings all;
  for (const Findings& part : parts) all.merge(part);
  return all;
}

TableReport report_of(const Findings& found, double unit, double bound) {
  TableReport report;
  report.message = found.message;
  report.ok = found.message.empty();
  report.wrong_items = found.wrong_items;
  report.drawn_zero_items = found.drawn_zero_items;
  report.broken_rows = found.broken_rows;
  report.worst_item = found.worst_item;
  report.worst_error = std::max(0.0, found.worst_error) / unit;
  report.worst_relative_error = found.worst_relative_error;
  report.bound = bound / unit;
  return report;
}

TableReport failure(std::string message) {
  TableReport report;
  report.message = std::move(message);
  return report;
}

/// The sum of weights * scale.
template <class T>
DoubleDouble exact_sum(std::span<const T> weights, double scale, unsigned threads) {
  std::vector<DoubleDouble> parts(block_count(weights.size()));
  parallel_for(parts.size(), threads, [&](std::uint64_t block) {
    const Range range = block_range(weights.size(), block);
    DoubleDouble sum;
    for (std::uint64_t i = range.begin; i < range.end; ++i) {
      sum = sum + DoubleDouble{static_cast<double>(weights[i]) * scale, 0};
    }
    parts[block] = sum;
  });
  DoubleDouble total;
  for (const DoubleDouble& part : parts) total = total + part;
  return total;
}

/// Calls `add(sum of the alias, row)` for every row whose `rest` is positive. Each thread scans all
/// rows for its own slice of the items, which needs no atomic operations and adds in the order of
/// the rows. The rows must have been checked.
template <class Sum, class Rows, class Rest, class Add>
void sum_alias_parts(const Rows& rows, HostBuffer<Sum>& sums, unsigned threads, const Rest& rest,
                     const Add& add) {
  const Index n = rows.size();
  const unsigned slices = threads == 0 ? hardware_threads() : threads;
  parallel_for(slices, threads, [&](std::uint64_t part) {
    const Range range = slice(n, part, slices);
    std::fill(sums.data() + range.begin, sums.data() + range.end, Sum{});
    for (Index r = 0; r < n; ++r) {
      const auto row = rows.load(r);
      const Index alias = rows.alias(row);
      if (alias >= range.begin && alias < range.end && rest(row) > 0) add(sums[alias], r);
    }
  });
}

template <class Rows>
Findings check_rows(const Rows& rows, bool integers, unsigned threads) {
  return for_blocks(rows.size(), threads, [&](Range range, Findings& found) {
    for (std::uint64_t i = range.begin; i < range.end; ++i) {
      const auto row = rows.load(static_cast<Index>(i));
      const double own = rows.own(row);
      if (rows.alias(row) >= rows.size()) {
        found.fail(found.broken_rows, "row {}: alias {} is not below the number of items {}", i,
                   rows.alias(row), rows.size());
      } else if (!(own >= 0 && own <= rows.bucket())) {
        found.fail(found.broken_rows, "row {}: own part {} is not in [0, {}]", i, own,
                   rows.bucket());
      } else if (integers && own != std::floor(own)) {
        found.fail(found.broken_rows, "row {}: own part {} of a fixed-point table is no integer", i,
                   own);
      }
    }
  });
}

double prefix_roundings(const VerifyOptions& options, std::uint64_t items) {
  return options.prefix_roundings > 0 ? options.prefix_roundings : default_prefix_roundings(items);
}

/// Mass of an item of a floating-point table as an alias, and the number of its rows.
struct AliasMass {
  double high = 0;
  double low = 0;
  Index rows = 0;
};

template <class T, class Rows>
TableReport verify_floating(const Rows& rows, std::span<const T> weights,
                            const VerifyOptions& options) {
  const Index n = rows.size();
  const double bucket = rows.bucket();
  if (!(bucket > 0 && std::isfinite(bucket))) {
    return failure(fmt::format("the bucket holds {}", bucket));
  }
  if (Findings found = check_rows(rows, false, options.threads); found.broken_rows != 0) {
    return report_of(found, bucket, 0);
  }

  // The table may hold the weights times a power of two, which follows from the bucket. Scaling
  // tiny weights up first keeps W / N out of the denormal numbers.
  const auto largest = static_cast<double>(*std::max_element(weights.begin(), weights.end()));
  const double lift = largest < 0x1p-500 ? 0x1p+500 : 1.0;
  const DoubleDouble lifted_mean =
      exact_sum(weights, lift, options.threads) / DoubleDouble{static_cast<double>(n), 0};
  const double ratio = bucket / lifted_mean.high;
  const double scale = lift * std::exp2(std::round(std::log2(ratio)));
  const DoubleDouble mean = lifted_mean * (scale / lift);  // W / N as the table should have it
  const double bucket_error = std::abs((DoubleDouble{bucket, 0} - mean).value());
  if (!(bucket_error <= 0x1p-45 * mean.high)) {
    return failure(
        fmt::format("the bucket holds {:.17g}; the weights need {:.17g}", bucket, mean.high));
  }

  HostBuffer<AliasMass> given(n);
  sum_alias_parts(
      rows, given, options.threads, [&](const auto& row) { return bucket - rows.own(row); },
      [&](AliasMass& sum, Index row) {
        const DoubleDouble rest = two_sum(bucket, -rows.own(rows.load(row)));
        const DoubleDouble added = DoubleDouble{sum.high, sum.low} + rest;
        sum = {added.high, added.low, sum.rows + 1};
      });

  // Rule 4.
  std::vector<double> chains(block_count(n));
  parallel_for(chains.size(), options.threads, [&](std::uint64_t block) {
    const Range range = block_range(n, block);
    for (std::uint64_t i = range.begin; i < range.end; ++i) {
      chains[block] +=
          4 * unit_roundoff * (static_cast<double>(weights[i]) * scale) * (given[i].rows + 1.0);
    }
  });
  double bound =
      bucket_error * n + 4 * unit_roundoff * mean.high * n * (prefix_roundings(options, n) + 8);
  for (const double chain : chains) bound += chain;

  const double clearly_light = std::max(bucket - bound, bucket / 2);
  Findings found = for_blocks(n, options.threads, [&](Range range, Findings& part) {
    for (std::uint64_t i = range.begin; i < range.end; ++i) {
      const auto item = static_cast<Index>(i);
      const double weight = static_cast<double>(weights[i]) * scale;
      const double own = rows.own(rows.load(item));
      const DoubleDouble mass = DoubleDouble{given[i].high, given[i].low} + DoubleDouble{own, 0};
      const double error = (mass - DoubleDouble{weight, 0}).value();
      part.compare(item, error, weight);
      if (weight < clearly_light && own == bucket) part.light_deviation += bucket - weight;
      if (weight == 0) {
        if (mass.high != 0) {
          part.fail(part.drawn_zero_items, "item {}: its weight is zero and its mass {:g} buckets",
                    item, mass.high / bucket);
        }
      } else if (weight < bucket - bound && given[i].rows != 0) {
        part.fail(part.wrong_items, "item {}: weighs less than a bucket and yet is an alias", item);
      } else if (weight < bucket - bound && !(std::abs(error) <= 0x1p-52 * weight)) {
        part.fail(part.wrong_items,
                  "item {}: mass {:.17g} for weight {:.17g}, which a light item has exactly", item,
                  mass.value(), weight);
      } else if (weight < clearly_light && !(std::abs(error) <= 0x1p-52 * weight) &&
                 !(own == bucket && given[i].rows == 0)) {
        part.fail(part.wrong_items,
                  "item {}: mass {:.17g} for weight {:.17g}; a light item has its weight or, for "
                  "want of heavy ones, a bucket",
                  item, mass.value(), weight);
      } else if (!(std::abs(error) <= bound)) {
        part.fail(part.wrong_items,
                  "item {}: mass {:.17g} for weight {:.17g}, an error of {:g} buckets where {:g} "
                  "is allowed",
                  item, mass.value(), weight, error / bucket, bound / bucket);
      }
    }
  });
  if (!(found.light_deviation <= bound)) {
    found.fail(found.wrong_items,
               "light items have {:g} buckets too much in total, where {:g} are allowed",
               found.light_deviation / bucket, bound / bucket);
  }
  return report_of(found, bucket, bound);
}

template <class T, class Rows>
TableReport verify_fixed(const Rows& rows, std::span<const T> weights,
                         const VerifyOptions& options) {
  const Index n = rows.size();
  if (rows.bucket() != static_cast<double>(fixed_bucket)) {
    return failure(
        fmt::format("the bucket of a fixed-point table holds {}, not 2^32", rows.bucket()));
  }
  constexpr auto bucket = static_cast<double>(fixed_bucket);
  if (Findings found = check_rows(rows, true, options.threads); found.broken_rows != 0) {
    return report_of(found, bucket, 0);
  }
  HostBuffer<std::uint64_t> given(n);
  const auto rest = [&](const auto& row) {
    return fixed_bucket - static_cast<std::uint64_t>(rows.own(row));
  };
  sum_alias_parts(rows, given, options.threads, rest,
                  [&](std::uint64_t& sum, Index row) { sum += rest(rows.load(row)); });

  const WeightSummary summary = summarise(weights, options.threads);
  const HostBuffer<std::uint64_t> masses = quantise(weights, options.threads);
  const DoubleDouble total = exact_sum(weights, summary.scale, options.threads);
  // 2^-80 m for the evaluation of m itself.
  const auto allowed = [n](double exact) { return mass_bound(exact, n) + exact * 0x1p-80; };
  const Findings found = for_blocks(n, options.threads, [&](Range range, Findings& part) {
    for (std::uint64_t i = range.begin; i < range.end; ++i) {
      const auto item = static_cast<Index>(i);
      const std::uint64_t mass = given[i] + static_cast<std::uint64_t>(rows.own(rows.load(item)));
      const double weight = static_cast<double>(weights[i]) * summary.scale;
      const DoubleDouble exact = (DoubleDouble{weight, 0} / total) * (bucket * n);
      const double error = (two_sum(static_cast<double>(mass >> 32) * bucket,
                                    static_cast<double>(mass & 0xFFFF'FFFFU)) -
                            exact)
                               .value();
      part.compare(item, error, exact.high);
      if (weight == 0 && mass != 0) {
        part.fail(part.drawn_zero_items, "item {}: its weight is zero and its mass {} / 2^32", item,
                  mass);
      } else if (mass != masses[i]) {
        part.fail(part.wrong_items, "item {}: mass {} where its weight quantises to {}", item, mass,
                  masses[i]);
      } else if (!(std::abs(error) <= allowed(exact.high))) {
        part.fail(part.wrong_items,
                  "item {}: weight quantised to {}, {:g} away from the exact {:.17g}; {:g} is "
                  "allowed",
                  item, mass, error, exact.high, allowed(exact.high));
      }
    }
  });
  return report_of(found, bucket, allowed(summary.largest / summary.bucket() * bucket));
}

void check_size(std::uint64_t size, WeightsView weights, const char* what) {
  if (size != weights.size()) {
    throw Error(
        fmt::format("argument 'weights' has {} items; the {} has {}", weights.size(), what, size));
  }
}

}  // namespace

double default_prefix_roundings(std::uint64_t items) {
  const auto n = static_cast<double>(items);
  return std::min(n, 0x1p+16 + n / 1024);
}

TableReport verify_table(const HostTable& table, Arithmetic arithmetic, WeightsView weights,
                         const VerifyOptions& options) {
  check_size(table.size(), weights, "table");
  static_cast<void>(summarise(weights, options.threads));
  return weights.visit([&](auto span) {
    return table.visit([&](auto rows) {
      return arithmetic == Arithmetic::floating ? verify_floating(rows, span, options)
                                                : verify_fixed(rows, span, options);
    });
  });
}

TableReport verify_probabilities(std::span<const double> probabilities, Arithmetic arithmetic,
                                 WeightsView weights, const VerifyOptions& options) {
  check_size(probabilities.size(), weights, "list of probabilities");
  const WeightSummary summary = summarise(weights, options.threads);
  const bool exact = arithmetic == Arithmetic::fixed_point;
  const HostBuffer<std::uint64_t> masses =
      exact ? quantise(weights, options.threads) : HostBuffer<std::uint64_t>();
  return weights.visit([&](auto span) {
    const std::uint64_t n = span.size();
    const DoubleDouble total = exact_sum(span, summary.scale, options.threads);
    const double mean = 1.0 / static_cast<double>(n);
    const double all_mass = static_cast<double>(fixed_bucket) * static_cast<double>(n);
    // As in verify_fixed, relative to N * 2^32, plus the rounding of the probability itself.
    const double quantised = mass_bound(all_mass, n) / all_mass + 2 * unit_roundoff;
    const double bound = exact ? quantised : 4 * unit_roundoff * (prefix_roundings(options, n) + 8);
    const Findings found = for_blocks(n, options.threads, [&](Range range, Findings& part) {
      for (std::uint64_t i = range.begin; i < range.end; ++i) {
        const auto item = static_cast<Index>(i);
        const double expected =
            (DoubleDouble{static_cast<double>(span[i]) * summary.scale, 0} / total).value();
        const double error = probabilities[i] - expected;
        part.compare(item, error, expected);
        if (span[i] == 0 && probabilities[i] != 0) {
          part.fail(part.drawn_zero_items, "item {}: its weight is zero and its probability {:g}",
                    item, probabilities[i]);
        } else if (exact && probabilities[i] != static_cast<double>(masses[i]) / all_mass) {
          part.fail(part.wrong_items,
                    "item {}: probability {:.17g} where its weight quantises to {} of {:g}", item,
                    probabilities[i], masses[i], all_mass);
        } else if (!(std::abs(error) <= bound)) {
          part.fail(part.wrong_items,
                    "item {}: probability {:.17g} instead of {:.17g}, an error of {:g} where {:g} "
                    "is allowed",
                    item, probabilities[i], expected, error, bound);
        }
      }
    });
    return report_of(found, mean, bound);
  });
}

}  // namespace wrsgpu::verification
