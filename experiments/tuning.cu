// The parameter optimiser of thesis 4.8.4 (Table 4.1): simulated annealing over the group sizes and
// the numbers of workers, among template instances compiled beforehand.
// Names: tuning/<psa or psa_plus>_<default or best>/<distribution>/<N>; counters tell the
// parameters.
#include <array>
#include <cmath>

#include "construction/alias_table_split_gpu.cuh"
#include "construction/pack/shared_memory.cuh"
#include "construction/partition/custom_partition.cuh"
#include "construction/split/partial_p_ary.cuh"
#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/kept.hpp"
#include "registry/verify.hpp"
#include "verification/reconstruction.hpp"
#include "wrsgpu/detail/random/philox_engine.hpp"
#include "wrsgpu/detail/random/uniform.hpp"
#include "wrsgpu/generate_weights.cuh"

namespace wrsgpu::experiments {
namespace {

/// The parameters: group sizes and what is launched for them.
struct Split {
  int threads;
  decltype(split::SplitMethod::launch) launch;
};
struct Pack {
  int threads;
  int workers;
  decltype(pack::PackMethod::launch) launch;
};
struct Tile {
  int threads;
  int items;
  int packers;
  decltype(&partition::greedy_partition) launch;
};

template <int threads>
constexpr Split split_by{threads, split::launch_partial_p_ary<threads>};
template <int threads, int workers>
constexpr Pack pack_by{threads, workers, pack::launch_shared_memory<threads, workers>};
template <int threads, int thread_items, int packers>
constexpr Tile tile_of{
    threads, threads* thread_items, packers,
    partition::greedy_partition_of<partition::PartitionTileShape<threads, thread_items, packers>>};

const std::vector<Split> splits{split_by<64>,  split_by<128>, split_by<256>,
                                split_by<512>, split_by<544>, split_by<1024>};
const std::vector<Pack> packs{
    pack_by<32, 32>,  pack_by<64, 16>,  pack_by<64, 24>,  pack_by<64, 32>,  pack_by<64, 64>,
    pack_by<128, 11>, pack_by<128, 24>, pack_by<128, 32>, pack_by<128, 64>, pack_by<256, 32>,
    pack_by<256, 64>, pack_by<512, 32>, pack_by<512, 64>};
const std::vector<Tile> tiles{tile_of<128, 16, 32>, tile_of<128, 16, 64>, tile_of<256, 8, 32>,
                              tile_of<256, 8, 64>,  tile_of<256, 16, 64>, tile_of<256, 16, 128>,
                              tile_of<512, 8, 64>,  tile_of<512, 8, 128>};
const std::vector<Index> section_sizes{8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128, 192};

/// A point of the search: an index into each of the lists.
struct Parameters {
  std::array<int, 4> at;

  [[nodiscard]] static int count(int which) {
    const std::array<std::size_t, 4> sizes{splits.size(), packs.size(), section_sizes.size(),
                                           tiles.size()};
    return static_cast<int>(sizes[static_cast<std::size_t>(which)]);
  }
  [[nodiscard]] const auto& split() const { return splits[static_cast<std::size_t>(at[0])]; }
  [[nodiscard]] const auto& pack() const { return packs[static_cast<std::size_t>(at[1])]; }
  [[nodiscard]] Index section_items() const {
    return section_sizes[static_cast<std::size_t>(at[2])];
  }
  [[nodiscard]] const auto& tile() const { return tiles[static_cast<std::size_t>(at[3])]; }
};

/// What the registries have.
constexpr Parameters defaults{{1, 7, 9, 4}};

struct Tuned {
  DeviceBuffer<double> weights;
  bool psa_plus;

  [[nodiscard]] WeightsView view() const {
    return WeightsView::on_device(std::span<const double>(weights.data(), weights.size()));
  }
  [[nodiscard]] std::unique_ptr<AliasTableSplitGpu> make(const Parameters& p) const {
    SplitGpuOptions options{.pack = "shared_memory", .psa_plus = psa_plus};
    options.section_items = p.section_items();
    // The same share of a tile whatever its size: the default is 512 of 4,096 items.
    if (psa_plus) options.greedy_min_items = static_cast<Index>(p.tile().items) / 8;
    auto table = std::make_unique<AliasTableSplitGpu>(
        TableOptions{}, options,
        SplitGpuInstances{p.split().launch, p.pack().launch, p.tile().launch});
    table->build(view());
    return table;
  }
};

double seconds_of(const Tuned& tuned, const Parameters& parameters) {
  const auto table = tuned.make(parameters);
  CudaTimer timer(nullptr);
  return median_seconds(9, [&] {
    timer.start();
    table->construct(tuned.view(), nullptr);
    return timer.seconds();
  });
}

/// Simulated annealing: a random step in one parameter, shorter and shorter ones; worse points are
/// left behind at once, as the thesis does.
Parameters best_parameters(const Tuned& tuned) {
  constexpr int steps = 150;
  random::PhiloxEngine<> generator(RandomState{2020, 0});
  Parameters best = defaults;
  double best_seconds = seconds_of(tuned, best);
  for (int step = 0; step < steps; ++step) {
    Parameters next = best;
    const int which =
        static_cast<int>(random::uniform_double(generator) * (tuned.psa_plus ? 4 : 3));
    int& value = next.at[static_cast<std::size_t>(which)];
    const int count = Parameters::count(which);
    const double temperature = 1 - static_cast<double>(step) / steps;
    const int reach = std::max(1, static_cast<int>(std::lround(count * temperature / 2)));
    value += static_cast<int>(std::lround((2 * random::uniform_double(generator) - 1) * reach));
    if (value < 0 || value >= count || value == best.at[static_cast<std::size_t>(which)]) continue;
    const double seconds = seconds_of(tuned, next);
    if (seconds < best_seconds) {
      best = next;
      best_seconds = seconds;
    }
  }
  return best;
}

struct Prepared {
  Tuned tuned;
  Parameters best;
};

void measure(benchmark::State& state, const Tuned& tuned, const Parameters& parameters) {
  const auto table = tuned.make(parameters);
  HostBuffer<double> host(tuned.weights.size());
  copy_to_host(tuned.weights.data(), host.span());
  const auto report = verification::verify(*table, std::span<const double>(host.span()));
  if (!report.ok) return fail(state, report.message);
  time_on_device(state, [&] { table->construct(tuned.view(), nullptr); });
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(tuned.weights.size()));
  state.counters["split_group"] = parameters.split().threads;
  state.counters["pack_group"] = parameters.pack().threads;
  state.counters["pack_workers"] = parameters.pack().workers;
  state.counters["section_items"] = parameters.section_items();
  if (tuned.psa_plus) {
    state.counters["tile_group"] = parameters.tile().threads;
    state.counters["tile_items"] = parameters.tile().items;
    state.counters["tile_packers"] = parameters.tile().packers;
  }
}

}  // namespace

Experiment experiment() {
  Experiment what{
      .name = "tuning",
      .summary = "group sizes and workers that suit this device",
      .needs_gpu = true,
      .defaults = {.sizes = {10'000'000}, .distributions = {"uniform", "powerlaw_1_shuffled"}}};
  for (const bool psa_plus : {false, true}) {
    const std::string series = psa_plus ? "psa_plus" : "psa";
    what.series.push_back(
        {series, series, [series, psa_plus](const Axes& axes) {
           static Kept<Prepared> kept;
           for (const std::string& distribution : axes.distributions) {
             for (const std::uint64_t n : axes.sizes) {
               const std::string key = series + distribution + std::to_string(n);
               const auto prepare = [=] {
                 Tuned tuned{weights::generate_on_device<double>(distribution, n, 1), psa_plus};
                 const Parameters best = best_parameters(tuned);
                 return Prepared{std::move(tuned), best};
               };
               for (const char* which : {"_default", "_best"}) {
                 const std::string name =
                     join_name({"tuning", series + which, distribution, std::to_string(n)});
                 add_benchmark(name, [=](benchmark::State& state) {
                   const Prepared& prepared = kept.get(key, prepare);
                   measure(state, prepared.tuned,
                           std::string(which) == "_best" ? prepared.best : defaults);
                 });
               }
             }
           }
         }});
  }
  return what;
}

}  // namespace wrsgpu::experiments
