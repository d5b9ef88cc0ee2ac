#include "weights_choice.hpp"

#include <fmt/format.h>

#include "numbers.hpp"
#include "wrsgpu/generate_weights.hpp"
#include "wrsgpu/weight_file.hpp"

namespace wrsgpu::cli {
namespace {

template <class T>
OwnedWeights generate(const WeightsChoice& choice, std::uint64_t items, unsigned threads) {
  return OwnedWeights(weights::generate<T>(choice.distribution, items, choice.seed, threads));
}

}  // namespace

void WeightsChoice::add_to(CLI::App& command) {
  CLI::Option* const from_file = command.add_option(
      "--weights", file, "File of weights: text or CSV, or .npy; - for standard input");
  CLI::Option* const of_file = command.add_option(
      "--column", column, "Column of CSV, by name or counted from 1; default: the last");
  command
      .add_option("--distribution", distribution,
                  "Named distribution instead of a file (wrsgpu info lists them)")
      ->excludes(of_file);
  add_number(command, "--items", items, "Number of weights of the distribution")
      ->excludes(from_file);
  add_number(command, "--weights-seed", seed, "Seed of the distribution")
      ->capture_default_str()
      ->excludes(from_file);
  command.add_option("--type", type, "Type of the distribution's weights: float64 or float32")
      ->capture_default_str()
      ->excludes(from_file);
}

bool WeightsChoice::is_distribution() const {
  if (file.empty() == distribution.empty()) {
    throw Error(fmt::format("arguments --weights, --distribution: {} of them given; give one",
                            file.empty() ? "none" : "both"));
  }
  return file.empty();
}

std::uint64_t WeightsChoice::distribution_items() const {
  const weights::DistributionInfo& info =
      about("--distribution", [&]() -> const weights::DistributionInfo& {
        return weights::find_distribution(distribution);
      });
  if (type != "float32" && type != "float64") {
    throw Error(fmt::format("argument --type: unknown type '{}' (known: float64, float32)", type));
  }
  const std::uint64_t wanted = items == 0 ? info.own_size : items;
  if (wanted == 0) {
    throw Error(fmt::format("argument --items: 0 items of distribution '{}'; give at least 1",
                            distribution));
  }
  return wanted;
}

OwnedWeights WeightsChoice::load(unsigned threads) const {
  if (!is_distribution()) {
    return about("--weights", [&] { return weights::read_weights(file, {.column = column}); });
  }
  const std::uint64_t wanted = distribution_items();
  return about("--items", [&] {
    return is_float() ? generate<float>(*this, wanted, threads)
                      : generate<double>(*this, wanted, threads);
  });
}

std::string WeightsChoice::describe() const {
  return file.empty() ? fmt::format("{}, {}, seed {}", distribution, type, seed) : file;
}

std::string WeightsChoice::argument() const {
  return file.empty() ? fmt::format("--distribution {}", distribution)
                      : fmt::format("--weights {}", file);
}

}  // namespace wrsgpu::cli
