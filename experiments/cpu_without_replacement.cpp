// Weighted sampling without replacement, resampling and counts without samples on the CPU. Names:
// choose_<threads>t/<distribution>/<N>/<k> with k = N / 100,
// read_and_word_<threads>t/<distribution>/<N>: a sum of the weights and half a random word for
// each, resample_<scheme>_<threads>t/<distribution>/<N>, and
// counts_<threads>t/<distribution>/<N>/<samples>.
#include <numeric>
#include <string>
#include <vector>

#include "experiments/common/experiment.hpp"
#include "experiments/common/host_timer.hpp"
#include "experiments/common/workload.hpp"
#include "wrsgpu/choose.hpp"
#include "wrsgpu/detail/core/parallel.hpp"
#include "wrsgpu/detail/sampling/philox_words.hpp"
#include "wrsgpu/multinomial_counts.hpp"
#include "wrsgpu/resample.hpp"

namespace wrsgpu::experiments {
namespace {

/// Reads all weights, and computes what decides about most items: the high half of a word.
void read_and_word(std::span<const double> weights, unsigned threads) {
  constexpr std::uint64_t block = 1 << 16;
  parallel_for((weights.size() + block - 1) / block, threads, [&](std::uint64_t number) {
    std::vector<std::uint32_t> halves(2048);
    const std::uint64_t end = std::min<std::uint64_t>(weights.size(), (number + 1) * block);
    for (std::uint64_t begin = number * block; begin < end; begin += halves.size()) {
      split_high_halves(1, begin, halves);
      benchmark::DoNotOptimize(halves.data());
      const auto part = weights.subspan(begin, std::min<std::uint64_t>(halves.size(), end - begin));
      double sums[8] = {};
      for (std::size_t i = 0; i + 8 <= part.size(); i += 8) {
        for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += part[i + lane];
      }
      benchmark::DoNotOptimize(sums);
    }
  });
}

/// A series whose `measure(state, weights, threads, samples)` times one call.
template <class Measure>
Series series(const std::string& name, bool has_samples, const Measure& measure) {
  return {name, name, [=](const Axes& axes) {
            for (const unsigned threads : axes.threads) {
              for (const std::string& distribution : axes.distributions) {
                for (const std::uint64_t items : axes.sizes) {
                  std::vector<std::string> parts{name + threads_suffix(threads), distribution,
                                                 std::to_string(items)};
                  const std::uint64_t samples =
                      name == "counts" ? axes.samples.front() : items / 100;
                  if (has_samples) parts.push_back(std::to_string(samples));
                  add_benchmark(join_name(parts), [=](benchmark::State& state) {
                    measure(state, workload(distribution, items), threads, samples);
                    state.SetItemsProcessed(static_cast<std::int64_t>(items) * state.iterations());
                  });
                }
              }
            }
          }};
}

Series resampling(const std::string& scheme_name, ResamplingScheme scheme) {
  return series(
      "resample_" + scheme_name, false,
      [=](benchmark::State& state, std::span<const double> weights, unsigned threads,
          std::uint64_t /*samples*/) {
        std::vector<Index> ancestors(weights.size());
        time_on_host(state, [&] { resample(weights, ancestors, scheme, {1, 0}, threads); });
      });
}

}  // namespace

Experiment experiment() {
  using Weights = std::span<const double>;
  return {.name = "cpu_without_replacement",
          .summary = "choices without replacement, resampling and counts on the CPU",
          .defaults = {.sizes = {10'000'000},
                       .distributions = {"uniform", "powerlaw_1_shuffled"},
                       .samples = {10'000'000'000},
                       .threads = thread_counts()},
          .series = {series("choose", true,
                            [](benchmark::State& state, Weights weights, unsigned threads,
                               std::uint64_t chosen) {
                              std::vector<Index> out(chosen);
                              time_on_host(state, [&] {
                                choose(weights, out, {1, 0}, {.threads = threads});
                              });
                            }),
                     series("read_and_word", false,
                            [](benchmark::State& state, Weights weights, unsigned threads,
                               std::uint64_t /*samples*/) {
                              time_on_host(state, [&] { read_and_word(weights, threads); });
                            }),
                     resampling("systematic", ResamplingScheme::systematic),
                     resampling("stratified", ResamplingScheme::stratified),
                     resampling("residual", ResamplingScheme::residual),
                     resampling("multinomial", ResamplingScheme::multinomial),
                     series("counts", true,
                            [](benchmark::State& state, Weights weights, unsigned threads,
                               std::uint64_t samples) {
                              std::vector<std::uint64_t> counts(weights.size());
                              time_on_host(state, [&] {
                                multinomial_counts(weights, counts, samples, {1, 0}, threads);
                              });
                            })}};
}

}  // namespace wrsgpu::experiments
