#include "experiments/common/gpu_draws.hpp"
#include "registry/gpu_samplers.cuh"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "construction/alias_table_split_gpu.cuh"
#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/kept.hpp"
#include "experiments/common/workload.hpp"
#include "registry/methods.hpp"
#include "verification/false_alarm_budget.hpp"
#include "verification/goodness_of_fit.hpp"
#include "wrsgpu/detail/sampling/direct_packed_gpu_sampler.cuh"
#include "wrsgpu/detail/sampling/direct_short_gpu_sampler.cuh"
#include "wrsgpu/generate_weights.cuh"

namespace wrsgpu::experiments {
namespace {

constexpr RandomState first_state{2020, 0};
/// Bins of neighbouring items, which samples are tested by where there are more items than that.
constexpr std::uint64_t max_bins = 65'536;

[[nodiscard]] std::uint64_t bin_of(std::uint64_t item, std::uint64_t items) {
  return items <= max_bins ? item : item * max_bins / items;
}

/// Hands as many samples to an output.
using Draws =
    std::function<void(const AnyOutput& output, std::uint64_t samples, RandomState state)>;

struct Prepared {
  std::unique_ptr<SamplingAlgorithm> built;
  std::vector<double> bins;  ///< probabilities
  DeviceBuffer<Index> samples;
  DeviceBuffer<Index> any_odd;
  std::map<std::string, std::string> faults;  ///< of what draws, by name

  [[nodiscard]] std::span<Index> room_for(std::uint64_t count) {
    if (samples.size() < count) {
      samples = {};
      samples = DeviceBuffer<Index>(count);
    }
    return samples.span().first(count);
  }
};

[[nodiscard]] std::unique_ptr<SamplingAlgorithm> make_built(const GpuDraw& draw,
                                                            WeightsView weights) {
  std::unique_ptr<SamplingAlgorithm> made;
  if (draw.structure) {
    made = draw.structure();
  } else {
    made = draw.method.empty() ? std::make_unique<AliasTableSplitGpu>(draw.table, SplitGpuOptions{})
                               : make_method(draw.method, draw.table);
  }
  made->build(weights);
  return made;
}

/// From rows that are packed now.
template <class Sampler>
[[nodiscard]] Draws draws_of_kept(const GpuDraw& draw, const DeviceTable& table) {
  const auto rows = std::make_shared<typename Sampler::Rows>(table);
  rows->pack(nullptr);
  const auto sampler = std::make_shared<const Sampler>(draw.options);
  return [sampler, rows](const AnyOutput& output, std::uint64_t samples, RandomState state) {
    sampler->draw_packed(rows->view(), output, samples, state, nullptr);
  };
}

[[nodiscard]] Draws draws_of(const GpuDraw& draw, const Prepared& prepared) {
  if (draw.structure) {
    const auto& structure = dynamic_cast<const GpuSamplingAlgorithm&>(*prepared.built);
    return [&structure](const AnyOutput& output, std::uint64_t samples, RandomState state) {
      structure.draw(output, samples, state, nullptr);
    };
  }
  const DeviceTable& table = dynamic_cast<const GpuAliasTable&>(*prepared.built).table();
  if (draw.keeps_packed_rows) {
    if (draw.sampler == "direct_short") return draws_of_kept<DirectShortGpuSampler>(draw, table);
    if (draw.sampler == "direct_packed") return draws_of_kept<DirectPackedGpuSampler>(draw, table);
    throw Error("sampler '" + draw.sampler + "' has no compressed rows to cache");
  }
  const std::shared_ptr<GpuSampler> sampler =
      draw.make_sampler ? draw.make_sampler(draw.options)
                        : find_gpu_sampler(draw.sampler).make(draw.options);
  return [sampler, &table](const AnyOutput& output, std::uint64_t samples, RandomState state) {
    sampler->draw(table, output, samples, state, nullptr);
  };
}

Prepared prepare(const GpuDraw& draw, const std::string& distribution, std::uint64_t n) {
  const DeviceBuffer<double> weights =
      weights::generate_on_device<double>(distribution, n, weights_seed);
  Prepared made{
      make_built(draw, WeightsView::on_device(weights.span())), {}, {}, DeviceBuffer<Index>(1), {}};
  made.bins.assign(std::min(n, max_bins), 0);
  if (draw.is_biased) {
    const std::vector<double> p = made.built->probabilities();
    for (std::uint64_t i = 0; i < n; ++i) made.bins[bin_of(i, n)] += p[i];
    return made;
  }
  constexpr std::uint64_t piece = std::uint64_t{1} << 26;  // 10^9 weights at once are too many
  HostBuffer<double> host(std::min(n, piece));
  double total = 0;
  for (std::uint64_t begin = 0; begin < n; begin += piece) {
    const std::span<double> some = host.span().first(std::min(piece, n - begin));
    copy_to_host(weights.data() + begin, some);
    for (std::uint64_t i = 0; i < some.size(); ++i) made.bins[bin_of(begin + i, n)] += some[i];
  }
  for (const double bin : made.bins) total += bin;
  for (double& bin : made.bins) bin /= total;
  return made;
}

/// Describes the fault of the samples, or returns an empty string.
std::string fault_of(const Draws& draws, Prepared& prepared) {
  constexpr std::uint64_t count = 10'000'000;
  const std::span<Index> samples = prepared.room_for(count);
  draws(ToSamples{samples.data()}, count, first_state);
  HostBuffer<Index> host(count);
  copy_to_host(static_cast<const Index*>(samples.data()), host.span());
  const std::uint64_t n = prepared.built->size();
  verification::Counts counts(prepared.bins.size(), 0);
  for (const Index item : host.span()) {
    if (item >= n) return "sample " + std::to_string(item) + " is no item";
    ++counts[bin_of(item, n)];
  }
  for (const verification::StatisticalReport& report :
       {verification::chi_squared(counts, prepared.bins, 20),
        verification::worst_item(counts, prepared.bins)}) {
    if (!report.passes(verification::suite_budget.level())) return to_string(report);
  }
  return {};
}

/// Seconds that writing so many samples takes at the speed of a memset.
double floor_seconds(Prepared& prepared, std::uint64_t count) {
  static std::map<std::uint64_t, double> floors;
  const auto known = floors.find(count);
  if (known != floors.end()) return known->second;
  const std::span<Index> samples = prepared.room_for(count);
  CudaTimer timer(nullptr);
  return floors[count] = median_seconds(11, [&] {
           timer.start();
           WRSGPU_CUDA_CHECK(cudaMemsetAsync(samples.data(), 0, samples.size_bytes(), nullptr));
           return timer.seconds();
         });
}

void measure(benchmark::State& run, const GpuDraw& draw, const std::string& name,
             Prepared& prepared, std::uint64_t samples) {
  const Draws draws = draws_of(draw, prepared);
  const auto [fault, is_new] = prepared.faults.try_emplace(name);
  if (is_new) fault->second = fault_of(draws, prepared);
  if (!fault->second.empty()) return fail(run, fault->second);
  const double floor = draw.output ? floor_seconds(prepared, samples) : 0;
  const AnyOutput output = draw.output ? AnyOutput(ToSamples{prepared.room_for(samples).data()})
                                       : AnyOutput(DiscardSamples{prepared.any_odd.data()});
  RandomState state = first_state;
  const double seconds = time_on_device(run, [&] {
    draws(output, samples, state);
    if (draw.goes_on) state.offset += samples;
  });
  run.SetItemsProcessed(static_cast<std::int64_t>(samples) * run.iterations());
  if (draw.output) {
    run.counters["percent_of_floor"] = 100 * floor / seconds;
  }
  run.SetLabel(draw.structure ? "no table" : std::string(to_string(draw.table.layout)));
}

}  // namespace

void add_gpu_draw(const GpuDraw& draw, const std::string& distribution, std::uint64_t n,
                  std::uint64_t samples, const std::string& suffix) {
  static Kept<Prepared> kept;
  const std::string method = draw.name + (draw.output ? "" : "_no_output");
  std::vector<std::string> parts{"sample", method, distribution, std::to_string(n),
                                 std::to_string(samples)};
  if (!suffix.empty()) parts.push_back(suffix);
  const std::string table = join_name(
      {draw.structure ? draw.name : draw.method, std::string(to_string(draw.table.arithmetic)),
       std::string(to_string(draw.table.layout)), distribution, std::to_string(n)});
  add_benchmark(join_name(parts), [=](benchmark::State& run) {
    Prepared& prepared = kept.get(table, [&] { return prepare(draw, distribution, n); });
    measure(run, draw, method + suffix, prepared, samples);
  });
}

Series gpu_draw_series(const GpuDraw& draw) {
  return {draw.name + (draw.output ? "" : "_no_output"), draw.sampler, [draw](const Axes& axes) {
            for (const std::string& distribution : axes.distributions) {
              for (const std::uint64_t n : axes.sizes) {
                for (const std::uint64_t samples : axes.samples) {
                  add_gpu_draw(draw, distribution, n, samples);
                }
              }
            }
          }};
}

std::vector<GpuDraw> with_and_without_output(const GpuDraw& draw) {
  GpuDraw silent = draw;
  silent.output = false;
  return {draw, silent};
}

GpuDraw thesis_draw(const std::string& sampler) {
  return {.name = sampler + "_xorwow_subsequence",
          .sampler = sampler,
          .options = {.generator = GpuGenerator::xorwow, .seeding = Seeding::subsequence},
          .output = false};
}

}  // namespace wrsgpu::experiments
