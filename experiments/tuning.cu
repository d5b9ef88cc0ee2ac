// The parameter optimiser of thesis 4.8.4 (Table 4.1): simulated annealing over group sizes,
// numbers of workers, shapes of chunks, rows per section and the items from which PSA+ packs
// greedily. Template instances are compiled beforehand. The packs in shared memory and by chunks
// are tuned in all of these; of the others the rows per section and what PSA+ packs greedily.
// Names: tuning/<series>_{default,best}/<distribution>/<N>, and what it tried in between,
// tuning/<series>_trial/<distribution>/<N>/<number>; counters tell the parameters. The series are
// psa and psa_plus, of the pack in shared memory from lists with masses, and
// {psa,psa_plus}_<pack>[_masses].
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "construction/alias_table_split_gpu.cuh"
#include "construction/pack/chunked.cuh"
#include "construction/pack/shared_memory.cuh"
#include "construction/partition/custom_partition.cuh"
#include "construction/split/partial_p_ary.cuh"
#include "experiments/common/annealing.hpp"
#include "experiments/common/cuda_timer.hpp"
#include "experiments/common/device_workload.hpp"
#include "experiments/common/experiment.hpp"
#include "experiments/common/kept.hpp"

namespace wrsgpu::experiments {
namespace {

// Everything is built from double weights into wide rows, with masses in the lists where there are
// instances: one kernel for each is compiled.
using DoubleTask = pack::PackTask<BucketSource<double>, pack::ItemMass<double>>;
using DoublePartition = partition::PartitionTask<FloatingSource<double>, pack::ItemMass<double>>;

/// Instances of the templates, with their parameters.
struct Split {
  int group;
  decltype(split::SplitMethod::launch) launch;
};
struct SharedPack {
  int group;
  int workers;
  decltype(pack::PackMethod::launch) launch;
  Index (*max_section_items)(std::size_t element_bytes, std::size_t shared_bytes);
};
struct ChunkedPack {
  int workers;
  int chunk;
  int threshold;
  bool asynchronous;
  bool reuses;
  decltype(pack::PackMethod::launch) launch;
};
struct Tile {
  int group;
  int items;
  int packers;
  decltype(&partition::greedy_partition) launch;
};

template <int threads>
constexpr Split split_by{threads, split::launch_partial_p_ary<threads>};

template <unsigned threads, unsigned workers>
void launch_shared(const pack::AnyPackTask& task, const AnyRows& rows, DeviceArena& arena,
                   cudaStream_t stream) {
  pack::launch_shared_memory_task<threads, workers, pack::Form::optimised>(
      std::get<DoubleTask>(task), std::get<WideRows>(rows), arena, stream);
}
template <class Shape>
void launch_chunks(const pack::AnyPackTask& task, const AnyRows& rows, DeviceArena& arena,
                   cudaStream_t stream) {
  if (!arena.has_block()) return;
  pack::launch_chunked_task<Shape>(std::get<DoubleTask>(task), std::get<WideRows>(rows), stream);
}
template <class Shape>
void launch_tile(const partition::AnyPartitionTask& task, const AnyRows& rows, Index min_items,
                 DeviceArena& arena, cudaStream_t stream) {
  partition::launch_tiles<Shape, true>(std::get<DoublePartition>(task), std::get<WideRows>(rows),
                                       min_items, arena, stream);
}

template <unsigned threads, unsigned... workers>
void add_shared(std::vector<SharedPack>& all) {
  (all.push_back({static_cast<int>(threads), static_cast<int>(workers),
                  launch_shared<threads, workers>, pack::max_shared_memory_items<workers>}),
   ...);
}
std::vector<SharedPack> make_shared_packs() {
  std::vector<SharedPack> all;
  add_shared<32, 8, 11, 16, 24, 32>(all);
  add_shared<64, 8, 11, 16, 24, 32, 64>(all);
  add_shared<128, 8, 11, 16, 24, 32, 64>(all);
  add_shared<256, 8, 11, 16, 24, 32, 64>(all);
  add_shared<512, 8, 11, 16, 24, 32, 64>(all);
  return all;
}

template <int workers, Index chunk, Index threshold>
void add_chunked(std::vector<ChunkedPack>& all) {
  const auto add = [&]<bool asynchronous, bool reuses>() {
    using Shape = pack::ChunkShape<workers, chunk, threshold, asynchronous, reuses>;
    all.push_back({workers, static_cast<int>(chunk), static_cast<int>(threshold), asynchronous,
                   reuses, launch_chunks<Shape>});
  };
  add.template operator()<false, false>();
  add.template operator()<true, false>();
  add.template operator()<false, true>();
}
template <int workers, Index... chunks>
void add_chunks(std::vector<ChunkedPack>& all) {
  (add_chunked<workers, chunks, chunks / 3>(all), ...);
  (add_chunked<workers, chunks, chunks / 2 - 1>(all), ...);
}
std::vector<ChunkedPack> make_chunked_packs() {
  std::vector<ChunkedPack> all;
  add_chunks<8, 8, 16, 32, 64>(all);
  add_chunks<16, 8, 16, 32, 64>(all);
  add_chunks<32, 8, 16, 32>(all);
  add_chunked<8, 32, 11>(all);  // of the thesis
  return all;
}

template <int threads, int thread_items, int packers>
constexpr Tile tile_of{threads, threads* thread_items, packers,
                       launch_tile<partition::PartitionTileShape<threads, thread_items, packers>>};

const std::vector<Split> splits{split_by<64>,  split_by<128>, split_by<256>,
                                split_by<512>, split_by<544>, split_by<1024>};
const std::vector<SharedPack> shared_packs = make_shared_packs();
const std::vector<ChunkedPack> chunked_packs = make_chunked_packs();
const std::vector<Tile> tiles{tile_of<128, 16, 32>, tile_of<128, 16, 64>, tile_of<256, 8, 32>,
                              tile_of<256, 8, 64>,  tile_of<256, 16, 64>, tile_of<256, 16, 128>,
                              tile_of<512, 8, 64>,  tile_of<512, 8, 128>};
const std::vector<Index> section_sizes{8,   12,  16,  20,  24,  28,   32,   40,   48,     64,    96,
                                       128, 192, 250, 500, 947, 2000, 4000, 7143, 10'000, 20'000};
/// Light and heavy items from which a tile is packed greedily, in 64ths of the tile.
const std::vector<Index> greedy_shares{0, 1, 2, 4, 6, 8, 12, 16, 24};

/// What is searched, and how long.
struct Tuned {
  std::string series;
  SplitGpuOptions method;
  int steps;

  [[nodiscard]] bool has_shared_packs() const {
    return is_shaped() && method.pack == "shared_memory";
  }
  [[nodiscard]] bool has_chunked_packs() const { return is_shaped() && method.pack == "chunked"; }
  /// Whether there are instances, and group sizes are searched, too.
  [[nodiscard]] bool is_shaped() const {
    return method.elements == pack::ElementKind::index_and_mass &&
           (method.pack == "shared_memory" || method.pack == "chunked");
  }
};

/// A construction to try.
struct Candidate {
  SplitGpuOptions options;
  SplitGpuInstances instances = {};
  std::map<std::string, double> parameters = {};
};

/// The coordinates of a point: indices into the lists above.
enum Coordinate : std::size_t { section, share, splitter, tiling, packer };

template <class T>
[[nodiscard]] const T& at(const std::vector<T>& values, int index) {
  return values[static_cast<std::size_t>(index)];
}
template <class T, class Matches>
[[nodiscard]] int index_where(const std::vector<T>& values, const Matches& matches) {
  return static_cast<int>(std::find_if(values.begin(), values.end(), matches) - values.begin());
}

/// Number of values of each coordinate; 1 for what is not searched.
[[nodiscard]] std::vector<int> sizes_of(const Tuned& tuned) {
  const auto if_shaped = [&](std::size_t size) {
    return tuned.is_shaped() ? static_cast<int>(size) : 1;
  };
  const bool psa_plus = tuned.method.psa_plus;
  return {static_cast<int>(section_sizes.size()),
          psa_plus ? static_cast<int>(greedy_shares.size()) : 1, if_shaped(splits.size()),
          psa_plus ? if_shaped(tiles.size()) : 1,
          if_shaped(tuned.has_shared_packs() ? shared_packs.size() : chunked_packs.size())};
}

/// The point nearest to what the registries have.
[[nodiscard]] Annealing::Point start_of(const Tuned& tuned) {
  const Index rows = pack::find_method(tuned.method.pack).section_items;
  Annealing::Point point(5, 0);
  point[section] = index_where(section_sizes, [&](Index size) { return size >= rows; });
  if (tuned.method.psa_plus) {
    point[share] = index_where(greedy_shares, [](Index of_64) { return of_64 == 8; });
  }
  if (!tuned.is_shaped()) return point;
  point[splitter] = index_where(splits, [](const Split& split) { return split.group == 128; });
  if (tuned.method.psa_plus) {
    point[tiling] = index_where(tiles, [](const Tile& tile) {
      return tile.group == 256 && tile.items == 4096 && tile.packers == 64;
    });
  }
  point[packer] = tuned.has_shared_packs()
                      ? index_where(shared_packs,
                                    [](const SharedPack& pack) {
                                      return pack.group == 128 && pack.workers == 32;
                                    })
                      : index_where(chunked_packs, [](const ChunkedPack& pack) {
                          return pack.workers == 32 && pack.chunk == 16 && pack.threshold == 5;
                        });
  return point;
}

void set_pack(Candidate& candidate, const SharedPack& pack) {
  candidate.instances.pack = pack.launch;
  candidate.parameters["pack_group"] = pack.group;
  candidate.parameters["pack_workers"] = pack.workers;
}
void set_pack(Candidate& candidate, const ChunkedPack& pack) {
  candidate.instances.pack = pack.launch;
  candidate.parameters["pack_workers"] = pack.workers;
  candidate.parameters["chunk"] = pack.chunk;
  candidate.parameters["chunk_threshold"] = pack.threshold;
  candidate.parameters["chunk_asynchronous"] = pack.asynchronous ? 1 : 0;
  candidate.parameters["chunk_reuses"] = pack.reuses ? 1 : 0;
}

[[nodiscard]] Candidate candidate_at(const Tuned& tuned, const Annealing::Point& point) {
  Candidate made{.options = tuned.method};
  made.options.section_items = at(section_sizes, point[section]);
  made.parameters["section_items"] = made.options.section_items;
  Index tile_items = 4096;
  if (tuned.is_shaped()) {
    const Split& split = at(splits, point[splitter]);
    made.instances.split = split.launch;
    made.parameters["split_group"] = split.group;
    if (tuned.has_shared_packs()) set_pack(made, at(shared_packs, point[packer]));
    if (tuned.has_chunked_packs()) set_pack(made, at(chunked_packs, point[packer]));
  }
  if (tuned.is_shaped() && tuned.method.psa_plus) {
    const Tile& tile = at(tiles, point[tiling]);
    made.instances.greedy = tile.launch;
    tile_items = static_cast<Index>(tile.items);
    made.parameters["tile_group"] = tile.group;
    made.parameters["tile_items"] = tile.items;
    made.parameters["tile_packers"] = tile.packers;
  }
  if (tuned.method.psa_plus) {
    made.options.greedy_min_items = tile_items / 64 * at(greedy_shares, point[share]);
    made.parameters["greedy_min_items"] = *made.options.greedy_min_items;
  }
  return made;
}

/// Whether sections fit in shared memory.
[[nodiscard]] bool is_allowed(const Tuned& tuned, const Annealing::Point& point) {
  const Index rows = at(section_sizes, point[section]);
  const std::size_t shared_bytes = max_shared_bytes(0);
  if (tuned.has_shared_packs()) {
    const SharedPack& pack = at(shared_packs, point[packer]);
    return rows <= pack.max_section_items(sizeof(DoubleTask::Element), shared_bytes);
  }
  return pack::section_refusal(pack::find_method(tuned.method.pack), tuned.method.elements, rows,
                               shared_bytes)
      .empty();
}

[[nodiscard]] std::unique_ptr<AliasTableSplitGpu> build(const Candidate& candidate,
                                                        const DeviceWorkload& weights) {
  auto table =
      std::make_unique<AliasTableSplitGpu>(TableOptions{}, candidate.options, candidate.instances);
  table->build(weights.view);
  return table;
}

/// The search among the tables of some weights. Trials are made in order, each with the next point
/// of the search, which begins once the time of the one before is known.
class Search {
 public:
  Search(const Tuned& tuned, const std::string& distribution, std::uint64_t n)
      : tuned_(tuned),
        weights_(device_workload(WeightsView::Type::float64, distribution, n)),
        annealing_(sizes_of(tuned), start_of(tuned), tuned.steps,
                   [tuned](const Annealing::Point& point) { return is_allowed(tuned, point); }) {}

  [[nodiscard]] const DeviceWorkload& weights() const { return weights_; }
  [[nodiscard]] Candidate by_default() const { return {.options = tuned_.method}; }
  [[nodiscard]] Candidate best() {
    while (!annealing_.is_finished()) finish_trial();
    return candidate_at(tuned_, annealing_.best());
  }

  /// Times trial `number` once more. Nothing if the search has ended before.
  [[nodiscard]] std::optional<double> time_trial(int number) {
    while (trial_ < number && !annealing_.is_finished()) finish_trial();
    if (annealing_.is_finished()) return std::nullopt;
    return time_once();
  }
  [[nodiscard]] std::map<std::string, double> parameters() const {
    return candidate_at(tuned_, annealing_.current()).parameters;
  }

 private:
  double time_once() {
    if (!table_) table_ = build(candidate_at(tuned_, annealing_.current()), weights_);
    CudaTimer timer(nullptr);
    timer.start();
    table_->construct(weights_.view, nullptr);
    seconds_.push_back(timer.seconds());
    return seconds_.back();
  }
  /// Also without the benchmark of the trial, which may not be selected or has few repetitions.
  void finish_trial() {
    constexpr std::size_t least_runs = 5;
    while (seconds_.size() < least_runs) static_cast<void>(time_once());
    const auto middle = seconds_.begin() + static_cast<std::ptrdiff_t>(seconds_.size() / 2);
    std::nth_element(seconds_.begin(), middle, seconds_.end());
    annealing_.report(*middle);
    seconds_.clear();
    table_.reset();
    ++trial_;
  }

  Tuned tuned_;
  DeviceWorkload weights_;
  Annealing annealing_;
  int trial_ = 0;
  std::unique_ptr<AliasTableSplitGpu> table_;
  std::vector<double> seconds_;
};

void show(benchmark::State& state, const std::map<std::string, double>& parameters) {
  for (const auto& [name, value] : parameters) state.counters[name] = value;
}

void measure(benchmark::State& state, const Candidate& candidate, const DeviceWorkload& weights) {
  const auto table = build(candidate, weights);
  const auto report = weights.verify(*table);
  if (!report.ok) return fail(state, report.message);
  time_on_device(state, [&] { table->construct(weights.view, nullptr); });
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(weights.view.size()));
  show(state, candidate.parameters);
}

void measure_trial(benchmark::State& state, Search& search, int number) {
  for (auto _ : state) {
    const std::optional<double> seconds = search.time_trial(number);
    if (!seconds) return skip(state, "everything has been tried");
    state.SetIterationTime(*seconds);
  }
  show(state, search.parameters());
}

void add_benchmarks(const Tuned& tuned, const std::string& distribution, std::uint64_t n) {
  static Kept<Search> kept;
  const std::string items = std::to_string(n);
  const auto search = [=]() -> Search& {
    return kept.get(join_name({tuned.series, distribution, items}),
                    [&] { return Search(tuned, distribution, n); });
  };
  const auto name = [&](const std::string& suffix) {
    return join_name({"tuning", tuned.series + suffix, distribution, items});
  };
  add_benchmark(name("_default"), [=](benchmark::State& state) {
    measure(state, search().by_default(), search().weights());
  });
  for (int number = 0; number < tuned.steps; ++number) {
    add_benchmark(
        join_name({name("_trial"), std::to_string(number)}),
        [=](benchmark::State& state) { measure_trial(state, search(), number); }, 1);
  }
  add_benchmark(name("_best"), [=](benchmark::State& state) {
    measure(state, search().best(), search().weights());
  });
}

[[nodiscard]] Series series_of(const pack::PackMethod& pack, pack::ElementKind elements,
                               bool psa_plus) {
  const bool has_masses = elements == pack::ElementKind::index_and_mass;
  Tuned tuned{.series = psa_plus ? "psa_plus" : "psa",
              .method = {.pack = pack.name, .elements = elements, .psa_plus = psa_plus},
              .steps = psa_plus ? 30 : static_cast<int>(section_sizes.size())};
  if (pack.max_section_items != nullptr) tuned.steps = 12;  // few section sizes fit
  if (tuned.is_shaped()) tuned.steps = 100;
  if (!tuned.has_shared_packs()) {
    tuned.series += "_" + pack.name + (has_masses ? "_masses" : "");
  }
  Series series{tuned.series, pack.name, [tuned](const Axes& axes) {
                  for (const std::string& distribution : axes.distributions) {
                    for (const std::uint64_t n : axes.sizes) {
                      add_benchmarks(tuned, distribution, n);
                    }
                  }
                }};
  if (!tuned.is_shaped()) series.defaults.distributions = {"uniform"};
  return series;
}

}  // namespace

Experiment experiment() {
  Experiment what{
      .name = "tuning",
      .summary = "group sizes, workers and sections that suit this device",
      .needs_gpu = true,
      .defaults = {.sizes = {10'000'000}, .distributions = {"uniform", "powerlaw_1_shuffled"}}};
  for (const bool psa_plus : {false, true}) {
    for (const pack::PackMethod& pack : pack::methods()) {
      if (pack.refuses_weights) continue;
      for (const pack::ElementKind elements : pack.elements) {
        const SplitGpuOptions method{.pack = pack.name, .elements = elements, .psa_plus = psa_plus};
        if (refusal(method, {}).empty()) {
          what.series.push_back(series_of(pack, elements, psa_plus));
        }
      }
    }
  }
  return what;
}

}  // namespace wrsgpu::experiments
