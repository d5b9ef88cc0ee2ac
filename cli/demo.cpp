// The complete workflow on real input: word counts to a verified table, samples and their
// statistics. scripts/demo.sh runs it and plots its output.

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "commands.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "sampling.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "verification/reconstruction.hpp"
#include "wrsgpu/detail/core/cuda_device.hpp"
#include "wrsgpu/detail/core/host_buffer.hpp"
#include "wrsgpu/detail/core/parallel.hpp"

namespace {

using namespace wrsgpu;
using namespace wrsgpu::cli;

constexpr verification::FalseAlarmBudget budget{1e-6, 2};

// The name of the processor or GPU that builds and samples.
std::string device_name(Device device) {
  if (device == Device::cuda) return cuda_devices().front().name;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      return fmt::format("{}, {} threads", line.substr(line.find(':') + 2), hardware_threads());
    }
  }
  return "CPU";
}

template <class... Values>
void print_row(std::string_view name, fmt::format_string<Values...> text, Values&&... values) {
  fmt::print("  {:<20} {}\n", name, fmt::format(text, std::forward<Values>(values)...));
}

template <class Work>
double seconds_of(Work&& work) {
  const auto start = Clock::now();
  work();
  return seconds_since(start);
}

int run(CLI::App& program, int argc, char** argv) {
  WeightsChoice source;
  cli::SamplerArguments choice;
  Reporting reporting;
  std::string text = "the King James Bible";
  std::string output = "words.json";
  std::uint64_t sample_count = 10'000'000;
  RandomState state{1, 0};
  source.reading.labels = "1";
  program.add_option("--weights", source.file, "CSV file of words and counts")->required();
  program.add_option("--labels", source.reading.labels, "Column of the words");
  source.add_reading_to(program);
  program.add_option("--text", text, "What the counts are of, for the picture");
  choice.add_to(program);
  add_number(program, "--samples", sample_count, "How many samples to draw", 1);
  add_number(program, "--seed", state.seed, "Seed of the samples");
  program.add_option("--output", output, "JSON file to write");
  program.parse(argc, argv);

  // Fails before any work if the output cannot be written.
  OutputFile file(output);
  HostBuffer<Index> buffer(sample_count);
  const std::span<Index> samples = buffer.span();
  const NamedSampling made = make_sampling(source, choice, reporting);
  const std::unique_ptr<Sampling>& sampling = made.sampling;
  const ItemNames& words = made.names;
  // The build in make_sampling was the warm-up.
  const double build_seconds = seconds_of([&] { sampling->rebuild(); });

  sampling->draw(samples, state);  // warm-up
  const double sampling_seconds = seconds_of([&] { sampling->draw(samples, state); });

  const verification::Counts counts = verification::count_samples(samples, sampling->size());
  verification::TableReport table;
  std::vector<double> probabilities;
  sampling->visit_weights([&](WeightsView weights) {
    sampling->visit_table([&](const HostTable& rows) {
      table = verification::verify_table(rows, Arithmetic::fixed_point, weights);
    });
    probabilities = verification::expected_probabilities(weights);
  });
  const verification::StatisticalReport chi_squared =
      verification::chi_squared(counts, probabilities);
  const verification::StatisticalReport kolmogorov_smirnov =
      verification::kolmogorov_smirnov(counts, probabilities);
  const auto expected = [&](std::size_t i) {
    return probabilities[i] * static_cast<double>(sample_count);
  };
  const std::string device = device_name(sampling->device());
  const bool passed =
      table.ok && chi_squared.passes(budget.level()) && kolmogorov_smirnov.passes(budget.level());

  print_row("text", "{}, {} distinct words", text, sampling->size());
  const std::string method =
      fmt::format("alias table of fixed-point masses, on {}", to_string(sampling->device()));
  print_row("method", "{}", method);
  print_row("device", "{}", device);
  print_row("build time", "{:.3f} ms", 1e3 * build_seconds);
  print_row("table", "{}", table.ok ? "verified: rows add up to each word's mass" : table.message);
  print_row("samples", "{} in {:.1f} ms, {:.1f} million samples/s, stored in host memory",
            sample_count, 1e3 * sampling_seconds,
            1e-6 * static_cast<double>(sample_count) / sampling_seconds);
  print_row("chi-squared", "p = {:.4f}", chi_squared.p_value);
  print_row("Kolmogorov-Smirnov", "p = {:.4f}", kolmogorov_smirnov.p_value);
  fmt::print("\n  {:<12}{:>12}{:>14}\n", "most drawn", "sampled", "expected");
  std::vector<std::size_t> order(sampling->size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t shown = std::min<std::size_t>(10, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  for (std::size_t rank = 0; rank < shown; ++rank) {
    const std::size_t i = order[rank];
    fmt::print("  {:<12}{:>12}{:>14.1f}\n", words[static_cast<Index>(i)], counts[i], expected(i));
  }

  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < sampling->size(); ++i) {
    items.push_back({{"word", words[static_cast<Index>(i)]},
                     {"expected", expected(i)},
                     {"sampled", counts[i]}});
  }
  const nlohmann::ordered_json document{
      {"text", text},
      {"method", method},
      {"device", device},
      {"samples", sample_count},
      {"seed", state.seed},
      {"verified", table.ok},
      {"build_seconds", build_seconds},
      {"sampling_seconds", sampling_seconds},
      {"chi_squared", {{"statistic", chi_squared.statistic}, {"p_value", chi_squared.p_value}}},
      {"kolmogorov_smirnov",
       {{"statistic", kolmogorov_smirnov.statistic}, {"p_value", kolmogorov_smirnov.p_value}}},
      {"items", items}};
  file.write(document.dump(1) + "\n");
  file.commit();
  fmt::print("\n  {}\n", passed ? "table and samples verified" : "FAILED");
  return passed ? exit_ok : exit_failed;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Samples words with the frequencies of a real text, and checks the result");
  try {
    return run(program, argc, argv);
  } catch (const CLI::Success& help) {
    return program.exit(help);
  } catch (const std::exception& error) {
    fmt::print(stderr, "wrsgpu_demo: {}\n", error.what());
    return exit_error;
  }
}
