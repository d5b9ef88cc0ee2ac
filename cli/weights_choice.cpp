#include "weights_choice.hpp"

#include <fmt/format.h>

#include <limits>

#include "numbers.hpp"
#include "wrsgpu/generate_weights.hpp"
#include "wrsgpu/types.hpp"

namespace wrsgpu::cli {
namespace {

template <class T>
OwnedWeights generate(const WeightsChoice& choice, std::uint64_t items, unsigned threads) {
  return OwnedWeights(weights::generate<T>(choice.distribution, items, choice.seed, threads));
}

}  // namespace

std::vector<CLI::Option*> WeightsChoice::add_reading_to(CLI::App& command) {
  CLI::Option* const header = command.add_flag_callback(
      "--header", [this] { reading.header = true; }, "The first line has the names of columns");
  CLI::Option* const no_header = command.add_flag_callback(
      "--no-header", [this] { reading.header = false; }, "The first line is an item");
  header->excludes(no_header);
  return {
      header,
      no_header,
      command.add_option("--column", reading.column,
                         "Column of the weights, by name or counted from 1 (name=2020, number=2 "
                         "where both may be meant); default: the last, or the only one of numbers"),
      command.add_option("--delimiter", reading.delimiter,
                         "One character, or comma, semicolon, tab, bar, blank, uniq (as uniq -c "
                         "writes), none; default: as the file shows"),
      command.add_flag("--decimal-comma", reading.decimal_comma, "Numbers are written as 0,5"),
      command.add_option("--comment", reading.comment,
                         "Skip lines that begin with this, or none; default: lines that begin "
                         "with # and are no items"),
      command.add_flag("--round-integers", reading.round_integers,
                       "Round integers that a double does not hold, above 2^53, to the nearest"),
  };
}

void WeightsChoice::add_to(CLI::App& command) {
  CLI::Option* const from_file = command.add_option(
      "--weights", file, "File of weights: text or CSV, or .npy; - for standard input");
  const std::vector<CLI::Option*> of_file = add_reading_to(command);
  CLI::Option* const named =
      command.add_option("--distribution", distribution,
                         "Named distribution instead of a file (wrsgpu info lists them)");
  for (CLI::Option* const option : of_file) named->excludes(option);
  CLI::Option* const number =
      command.add_option("--items", items, "Number of weights of the distribution");
  take_whole_numbers(*number, 1, std::numeric_limits<std::uint64_t>::max());
  number->excludes(from_file);
  add_number(command, "--weights-seed", seed, "Seed of the distribution")
      ->capture_default_str()
      ->excludes(from_file);
  command.add_option("--type", type, "Type of the distribution's weights: float64 or float32")
      ->capture_default_str()
      ->excludes(from_file);
}

bool WeightsChoice::is_distribution() const {
  if (file.empty() == distribution.empty()) {
    throw Error("arguments --weights, --distribution: exactly one is required");
  }
  return file.empty();
}

std::uint64_t WeightsChoice::distribution_items() const {
  const weights::DistributionInfo info = with_argument_name(
      "--distribution", [&] { return weights::find_distribution(distribution); });
  if (type != "float32" && type != "float64") {
    throw Error(fmt::format("argument --type: unknown type '{}' (known: float64, float32)", type));
  }
  const std::uint64_t wanted = items.value_or(info.own_size);
  if (wanted == 0) {
    throw Error("argument --items is required with --distribution, for example --items 1M");
  }
  static_assert(max_items == (std::uint64_t{1} << 32) - 2);
  if (wanted > max_items) {
    throw Error(fmt::format("argument --items: {} exceeds the limit of 2^32 - 2 items", wanted));
  }
  return wanted;
}

WeightFile WeightsChoice::load(unsigned threads) const {
  if (!is_distribution()) {
    return with_argument_name("--weights",
                              [&] { return weights::read_weight_file(file, reading); });
  }
  const std::uint64_t wanted = distribution_items();
  WeightFile generated;
  generated.weights = with_argument_name("--items", [&] {
    return is_float() ? generate<float>(*this, wanted, threads)
                      : generate<double>(*this, wanted, threads);
  });
  return generated;
}

void WeightsChoice::report(const WeightFile& read, const Reporting& reporting) const {
  if (!read.interpretation.empty()) {
    reporting.say(
        fmt::format("{}: {}", file == "-" ? "standard input" : file, read.interpretation));
  }
  for (const std::string& warning : read.warnings) fmt::print(stderr, "wrsgpu: {}\n", warning);
}

std::string WeightsChoice::describe() const {
  return file.empty() ? fmt::format("{}, {}, seed {}", distribution, type, seed) : file;
}

std::string WeightsChoice::argument() const {
  return file.empty() ? fmt::format("--distribution {}", distribution)
                      : fmt::format("--weights {}", file);
}

}  // namespace wrsgpu::cli
