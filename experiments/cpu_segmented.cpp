// Tables of many segments on the CPU. Names: construct_segments/<degrees>_<threads>t/<items>,
// draw_segments/<degrees>_<threads>t/<items>/<segments drawn>/<k>,
// walk/<degrees>_<threads>t/<items>/<walks>/<length>; one_table is `WeightedSampler` of as many
// items.
#include <memory>

#include "experiments/common/degrees.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/host_timer.hpp"
#include "experiments/common/kept.hpp"
#include "experiments/common/workload.hpp"
#include "verification/segment_tables.hpp"
#include "wrsgpu/detail/random/philox.hpp"
#include "wrsgpu/segmented_sampler.hpp"
#include "wrsgpu/weighted_sampler.hpp"

namespace wrsgpu::experiments {
namespace {

struct Tables {
  std::vector<std::uint64_t> offsets;
  std::unique_ptr<SegmentedSampler> sampler;
  std::string fault;
};

const Tables& tables_of(const std::string& degrees, std::uint64_t items, unsigned threads) {
  static Kept<Tables> kept;
  return kept.get(join_name({degrees, std::to_string(items), std::to_string(threads)}), [&] {
    Tables tables{segment_offsets(degrees, items), nullptr, ""};
    const auto weights = workload("uniform", items);
    tables.sampler = std::make_unique<SegmentedSampler>(
        tables.offsets, weights, SegmentedSamplerOptions{.empty_ok = true, .threads = threads});
    tables.fault = verification::fault_of_segments(tables.offsets, weights, tables.sampler->rows());
    return tables;
  });
}

std::vector<Index> random_numbers(std::uint64_t count, std::uint64_t below) {
  std::vector<Index> numbers(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    numbers[i] = static_cast<Index>(random::philox_word(2, i) % below);
  }
  return numbers;
}

void count_items(benchmark::State& state, std::uint64_t items) {
  state.SetItemsProcessed(static_cast<std::int64_t>(items) * state.iterations());
}

Series series(const std::string& degrees) {
  return {
      degrees, degrees, [degrees](const Axes& axes) {
        for (const unsigned threads : axes.threads) {
          for (const std::uint64_t items : axes.sizes) {
            const std::string name = degrees + threads_suffix(threads);
            const std::string size = std::to_string(items);
            add_benchmark(
                join_name({"construct_segments", name, size}), [=](benchmark::State& state) {
                  const Tables& tables = tables_of(degrees, items, threads);
                  if (!tables.fault.empty()) return fail(state, tables.fault);
                  const auto weights = workload("uniform", items);
                  time_on_host(state, [&] { tables.sampler->rebuild(tables.offsets, weights); });
                  count_items(state, items);
                });
            for (const std::uint64_t queries : axes.samples) {
              const std::string count = std::to_string(queries);
              add_benchmark(join_name({"draw_segments", name, size, count, "10"}),
                            [=](benchmark::State& state) {
                              const Tables& tables = tables_of(degrees, items, threads);
                              if (!tables.fault.empty()) return fail(state, tables.fault);
                              const auto from = random_numbers(queries, tables.sampler->segments());
                              std::vector<Index> out(queries * 10);
                              time_on_host(state, [&] { tables.sampler->draw(from, 10, out, {}); });
                              count_items(state, out.size());
                            });
              add_benchmark(
                  join_name({"walk", name, size, count, "80"}), [=](benchmark::State& state) {
                    const Tables& tables = tables_of(degrees, items, threads);
                    if (!tables.fault.empty()) return fail(state, tables.fault);
                    const auto starts = random_numbers(queries, tables.sampler->segments());
                    const auto neighbours = random_numbers(items, tables.sampler->segments());
                    std::vector<Index> out(queries * 81);
                    time_on_host(state,
                                 [&] { tables.sampler->walk(starts, 80, neighbours, out, {}); });
                    count_items(state, queries * 80);
                  });
            }
          }
        }
      }};
}

Series one_table() {
  return {"one_table", "one_table", [](const Axes& axes) {
            for (const unsigned threads : axes.threads) {
              for (const std::uint64_t items : axes.sizes) {
                add_benchmark(
                    join_name({"construct_segments", "one_table" + threads_suffix(threads),
                               std::to_string(items)}),
                    [=](benchmark::State& state) {
                      const auto weights = workload("uniform", items);
                      WeightedSampler sampler(weights, {.threads = threads});
                      time_on_host(state, [&] { sampler.rebuild(weights); });
                      count_items(state, items);
                    });
              }
            }
          }};
}

}  // namespace

Experiment experiment() {
  Experiment what{.name = "cpu_segmented",
                  .summary = "tables of many segments on the CPU, draws from them and walks",
                  .defaults = {.sizes = {1'000'000, 100'000'000},
                               .samples = {100'000},
                               .threads = thread_counts()},
                  .series = {one_table()}};
  for (const std::string& degrees : degree_families()) what.series.push_back(series(degrees));
  return what;
}

}  // namespace wrsgpu::experiments
