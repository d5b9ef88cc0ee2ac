#include "experiments/common/tuning_space.hpp"

#include <algorithm>
#include <variant>

#include "construction/pack/chunked.cuh"
#include "construction/pack/shared_memory.cuh"
#include "construction/partition/custom_partition.cuh"
#include "construction/split/partial_p_ary.cuh"

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

}  // namespace

int section_size_count() { return static_cast<int>(section_sizes.size()); }

std::vector<int> sizes_of(const Tuned& tuned) {
  const auto if_shaped = [&](std::size_t size) {
    return tuned.is_shaped() ? static_cast<int>(size) : 1;
  };
  const bool psa_plus = tuned.method.psa_plus;
  return {static_cast<int>(section_sizes.size()),
          psa_plus ? static_cast<int>(greedy_shares.size()) : 1, if_shaped(splits.size()),
          psa_plus ? if_shaped(tiles.size()) : 1,
          if_shaped(tuned.has_shared_packs() ? shared_packs.size() : chunked_packs.size())};
}

Annealing::Point start_of(const Tuned& tuned) {
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

Candidate candidate_at(const Tuned& tuned, const Annealing::Point& point) {
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

bool is_allowed(const Tuned& tuned, const Annealing::Point& point) {
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

}  // namespace wrsgpu::experiments
