#include "wrsgpu/construction/alias_table_split_gpu.cuh"

#include <type_traits>

#include "wrsgpu/construction/pack/baseline.cuh"
#include "wrsgpu/construction/partition/cub_partition.cuh"
#include "wrsgpu/construction/split/baseline.cuh"
#include "wrsgpu/construction/split/put_in_order.cuh"

namespace wrsgpu {
namespace {

constexpr int block_threads = 256;
constexpr int ordering_threads = 1024;

[[nodiscard]] unsigned blocks_for(std::uint64_t threads) {
  return static_cast<unsigned>((threads + block_threads - 1) / block_threads);
}

template <class Source, class Mass>
void launch_split(SplitMethod method, Source source, split::Sections sections,
                  partition::Items items, const Mass* sums, split::State<Mass>* splits,
                  int* out_of_order, cudaStream_t stream) {
  switch (method) {
    case SplitMethod::baseline:
      split::
          baseline<<<blocks_for(sections.count() + std::uint64_t{1}), block_threads, 0, stream>>>(
              source, sections, items, sums, splits);
      break;
  }
  check_launch("split");
  if constexpr (std::is_floating_point_v<Mass>) {
    WRSGPU_CUDA_CHECK(cudaMemsetAsync(out_of_order, 0, sizeof *out_of_order, stream));
    split::find_out_of_order<<<blocks_for(sections.count()), block_threads, 0, stream>>>(
        sections, splits, out_of_order);
    check_launch("find_out_of_order");
    split::put_in_order<ordering_threads>
        <<<1, ordering_threads, 0, stream>>>(source, sections, items, sums, splits, out_of_order);
    check_launch("put_in_order");
  }
}

template <class Source, class Mass, class Rows>
void launch_pack(PackMethod method, Source source, split::Sections sections, partition::Items items,
                 const split::State<Mass>* splits, Rows rows, cudaStream_t stream) {
  const unsigned blocks = blocks_for(sections.count());
  switch (method) {
    case PackMethod::baseline:
      pack::baseline<true>
          <<<blocks, block_threads, 0, stream>>>(source, sections, items, splits, rows);
      break;
    case PackMethod::baseline_branched:
      pack::baseline<false>
          <<<blocks, block_threads, 0, stream>>>(source, sections, items, splits, rows);
      break;
  }
  check_launch("pack");
}

// From masses to rows.
template <class Source>
void build_from(Source source, Index size, const SplitGpuOptions& method, DeviceTable& table,
                DeviceArena& arena, cudaStream_t stream) {
  using Mass = typename Source::Masses::Mass;
  const split::Sections sections{size, method.section_items};
  const partition::Items items = partition::Items::take(arena, size);
  auto* sums = arena.take<Mass>(size);
  auto* splits = arena.take<split::State<Mass>>(sections.count() + std::size_t{1});
  auto* out_of_order = arena.take<int>(1);
  partition::cub_partition(source, size, items, arena, stream);
  split::prefix_sums(source, size, items, sums, arena, stream);
  if (!arena.has_block()) return;
  launch_split(method.split, source, sections, items, sums, splits, out_of_order, stream);
  table.visit([&](auto rows) {
    // Compact rows hold integer masses only (AliasTable's constructor refuses others).
    if constexpr (decltype(rows)::layout != Layout::compact_rows || std::is_integral_v<Mass>) {
      launch_pack(method.pack, source, sections, items, splits, rows, stream);
    }
  });
}

}  // namespace

AliasTableSplitGpu::AliasTableSplitGpu(TableOptions options, SplitGpuOptions method)
    : GpuAliasTable(options), method_(method) {
  if (method.section_items == 0) throw Error("argument 'section_items' is 0; at least 1 is needed");
}

void AliasTableSplitGpu::launch(WeightsView weights, const DeviceWeightSummary* summary,
                                DeviceTable& table, DeviceArena& arena, cudaStream_t stream) const {
  weights.visit([&]<class T>(std::span<const T> w) {
    const auto size = static_cast<Index>(w.size());
    if (options().arithmetic == Arithmetic::fixed_point) {
      auto* masses = arena.take<std::uint64_t>(size);
      quantise_on_device(w, summary, masses, arena, stream);
      build_from(IntegerSource{masses}, size, method_, table, arena, stream);
    } else {
      build_from(FloatingSource<T>{w.data(), summary}, size, method_, table, arena, stream);
    }
  });
}

}  // namespace wrsgpu
