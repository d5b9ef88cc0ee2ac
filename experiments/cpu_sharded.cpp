// The numbers of samples of the shards of a draw, which each rank computes on the host without
// communication. Names: counts/<what>/<ranks>/<samples>; local: of this rank's shard; all: of each
// shard; scatter: this rank's row and column, for so many samples of each rank.
#include <numeric>
#include <vector>

#include "experiments/common/experiment.hpp"
#include "experiments/common/host_timer.hpp"
#include "wrsgpu/detail/sharding/shards.hpp"

namespace wrsgpu::experiments {
namespace {

/// Shards of different masses.
detail::Shards shards_of(unsigned ranks) {
  using Reports = detail::Reports<detail::ShardReport>;
  std::vector<Reports::Entry> entries;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    const std::uint64_t sum = (std::uint64_t{1} << 61) + (std::uint64_t{rank * 7919U % 4096} << 48);
    entries.push_back({{1, {sum, 0}}, detail::Failure::none});
  }
  detail::Shards shards;
  shards.reset(ranks);
  shards.assign(Reports(std::as_bytes(std::span(entries))));
  return shards;
}

/// `count(shards, samples, state)` returns the sum of the counts and how many it should be.
template <class Count>
Series series(const std::string& name, const Count& count) {
  return {name, name, [=](const Axes& axes) {
            for (const std::uint64_t ranks : axes.sizes) {
              for (const std::uint64_t samples : axes.samples) {
                add_benchmark(
                    join_name({"counts", name, std::to_string(ranks), std::to_string(samples)}),
                    [=](benchmark::State& state) {
                      const detail::Shards shards = shards_of(static_cast<unsigned>(ranks));
                      std::uint64_t offset = 0;
                      bool are_all = true;
                      time_on_host(state, [&] {
                        are_all = count(shards, samples, RandomState{1, offset}) && are_all;
                        offset += samples * ranks;
                      });
                      if (!are_all) fail(state, "the counts do not add up to the samples");
                    });
              }
            }
          }};
}

}  // namespace

Experiment experiment() {
  const auto local = [](const detail::Shards& shards, std::uint64_t samples, RandomState state) {
    return shards.count_of(shards.ranks() / 2, samples, state) <= samples;
  };
  const auto all = [](const detail::Shards& shards, std::uint64_t samples, RandomState state) {
    std::vector<std::uint64_t> counts(shards.ranks());
    shards.count(samples, state, counts);
    return std::reduce(counts.begin(), counts.end()) == samples;
  };
  const auto scatter = [](const detail::Shards& shards, std::uint64_t samples, RandomState state) {
    const detail::ScatterCounts counts(shards, shards.ranks() / 2, samples, state);
    return std::reduce(counts.received.begin(), counts.received.end(), counts.own) == samples;
  };
  return {.name = "cpu_sharded",
          .summary = "the numbers of samples of the shards of a draw; sizes are numbers of ranks",
          .defaults = {.sizes = {1, 2, 8, 64, 512, 4096}, .samples = {1'000'000, 1'000'000'000}},
          .series = {series("local", local), series("all", all), series("scatter", scatter)}};
}

}  // namespace wrsgpu::experiments
