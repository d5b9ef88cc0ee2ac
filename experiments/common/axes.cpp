#include "experiments/common/axes.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>

#include "wrsgpu/detail/weights/weight_function.hpp"
#include "wrsgpu/error.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::experiments {
namespace {

std::optional<std::uint64_t> parse_integer(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// base^exponent times factor, if it fits.
std::optional<std::uint64_t> scaled_power(std::uint64_t factor, std::uint64_t base,
                                          std::uint64_t exponent) {
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(factor, base, &factor)) return std::nullopt;
  }
  return factor;
}

std::optional<std::uint64_t> count_of(std::string_view text) {
  for (const char mark : {'^', 'e'}) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) continue;
    std::string digits(text.substr(0, at));
    std::size_t decimals = 0;
    if (const std::size_t point = digits.find('.'); mark == 'e' && point != std::string::npos) {
      digits.erase(digits.find_last_not_of('0') + 1);
      digits.erase(point, 1);
      decimals = digits.size() - point;
    }
    const auto left = parse_integer(digits);
    const auto exponent = parse_integer(text.substr(at + 1));
    if (!left || !exponent || *exponent > 64 || *exponent < decimals) return std::nullopt;
    return mark == '^' ? scaled_power(1, *left, *exponent)
                       : scaled_power(*left, 10, *exponent - decimals);
  }
  return parse_integer(text);
}

std::vector<std::uint64_t> parse_counts(const std::vector<std::string>& texts,
                                        std::string_view option) {
  std::vector<std::uint64_t> counts;
  counts.reserve(texts.size());
  for (const std::string& text : texts) counts.push_back(parse_count(text, option));
  return counts;
}

template <class T>
std::string listed(const std::vector<T>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

bool can_flush_l2(const Experiment& experiment) {
  return experiment.needs_gpu && !experiment.runs_without_pause;
}

}  // namespace

std::uint64_t parse_count(std::string_view text, std::string_view option) {
  const std::optional<std::uint64_t> count = count_of(text);
  if (!count || *count == 0) {
    throw Error(fmt::format("{}: '{}' is no count (write 1600000, 1.6e6 or 2^20)", option, text));
  }
  return *count;
}

CommandLine parse_command_line(const Experiment& experiment, int argc, const char* const* argv) {
  CommandLine result{.axes = experiment.defaults, .help = false, .cold_l2 = false, .rest = {}};
  std::vector<std::string> sizes;
  std::vector<std::string> samples;
  std::vector<std::string> threads;
  std::vector<std::string> rows;
  CLI::App app(experiment.summary);
  app.set_help_flag();
  app.allow_extras();
  app.add_flag("--help,-h", result.help);
  const Axes& defaults = experiment.defaults;
  if (!defaults.sizes.empty()) app.add_option("--sizes", sizes)->delimiter(',');
  if (!defaults.distributions.empty()) {
    app.add_option("--distributions", result.axes.distributions)->delimiter(',');
  }
  app.add_option("--methods", result.axes.methods)->delimiter(',');
  if (!defaults.samples.empty()) app.add_option("--samples", samples)->delimiter(',');
  if (!defaults.threads.empty()) app.add_option("--threads", threads)->delimiter(',');
  if (can_flush_l2(experiment)) app.add_flag("--cold-l2", result.cold_l2);
  if (!defaults.rows.empty()) app.add_option("--rows", rows)->delimiter(',');
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    throw Error(error.what());
  }
  result.rest = app.remaining();
  if (!sizes.empty()) result.axes.sizes = parse_counts(sizes, "--sizes");
  if (!samples.empty()) result.axes.samples = parse_counts(samples, "--samples");
  if (!rows.empty()) result.axes.rows = parse_counts(rows, "--rows");
  if (!threads.empty()) {
    result.axes.threads.clear();
    for (const std::uint64_t count : parse_counts(threads, "--threads")) {
      if (count > 1024) throw Error(fmt::format("--threads: {} is more than 1024", count));
      result.axes.threads.push_back(static_cast<unsigned>(count));
    }
  }
  for (const std::string& name : result.axes.distributions) {
    static_cast<void>(weights::find_distribution(name));
  }
  for (const std::uint64_t size : result.axes.sizes) {
    if (!defaults.distributions.empty() && size > max_items) {
      throw Error(fmt::format("--sizes: {} is more than {} items", size, max_items));
    }
  }
  for (const std::uint64_t count : result.axes.rows) {
    if (count > max_items) throw Error(fmt::format("--rows: {} is more than {}", count, max_items));
  }
  return result;
}

std::vector<Series> select_series(const Experiment& experiment,
                                  const std::vector<std::string>& methods) {
  if (methods.empty()) return experiment.series;
  const auto selects = [](const std::string& wanted, const Series& series) {
    return wanted == series.name || wanted == series.family;
  };
  for (const std::string& wanted : methods) {
    if (std::any_of(experiment.series.begin(), experiment.series.end(),
                    [&](const Series& series) { return selects(wanted, series); })) {
      continue;
    }
    std::vector<std::string> known;
    for (const Series& series : experiment.series) known.push_back(series.name);
    throw Error(fmt::format("--methods: unknown '{}' (known: {})", wanted, fmt::join(known, ", ")));
  }
  std::vector<Series> selected;
  for (const Series& series : experiment.series) {
    if (std::any_of(methods.begin(), methods.end(),
                    [&](const std::string& wanted) { return selects(wanted, series); })) {
      selected.push_back(series);
    }
  }
  return selected;
}

Axes axes_of(const Series& series, const Experiment& experiment, const Axes& asked) {
  Axes axes = asked;
  const auto choose = [&](auto axis) {
    const bool is_asked = asked.*axis != experiment.defaults.*axis;
    if (!is_asked && !(series.defaults.*axis).empty()) axes.*axis = series.defaults.*axis;
  };
  choose(&Axes::sizes);
  choose(&Axes::distributions);
  choose(&Axes::samples);
  choose(&Axes::threads);
  choose(&Axes::rows);
  return axes;
}

std::vector<Axes> one_for_each_table(const Axes& axes) {
  std::vector<Axes> tables;
  for (const std::string& distribution : axes.distributions) {
    for (const std::uint64_t size : axes.sizes) {
      tables.push_back(axes);
      tables.back().distributions = {distribution};
      tables.back().sizes = {size};
    }
  }
  return tables;
}

std::string axes_help(const Experiment& experiment) {
  const Axes& axes = experiment.defaults;
  std::string text = fmt::format("{}: {}\n\nWhat to measure (lists with commas):\n",
                                 experiment.name, experiment.summary);
  const auto line = [&](const char* option, const std::string& fallback) {
    if (!fallback.empty()) text += fmt::format("  --{:<15}default {}\n", option, fallback);
  };
  line("sizes", listed(axes.sizes));
  line("distributions", listed(axes.distributions));
  line("samples", listed(axes.samples));
  line("threads", listed(axes.threads));
  line("rows", listed(axes.rows));
  std::vector<std::string> known;
  for (const Series& series : experiment.series) known.push_back(series.name);
  text += fmt::format("  --{:<15}default all of {}\n", "methods", listed(known));
  const auto is_own = [&](const Series& series) {
    return axes_of(series, experiment, axes) != axes;
  };
  if (std::any_of(experiment.series.begin(), experiment.series.end(), is_own)) {
    text += "Some methods have fewer values by default than these.\n";
  }
  text += "\nHow to measure:\n";
  if (can_flush_l2(experiment)) {
    text += fmt::format("  --{:<15}flushes the L2 before each timed run\n", "cold-l2");
  }
  return text;
}

}  // namespace wrsgpu::experiments
