#include "construction/alias_table_split_gpu.cuh"
#include "construction/device_masses.cuh"

#include <algorithm>
#include <type_traits>

#include "construction/pack/reorder.cuh"
#include "construction/split/prefix_sums.cuh"
#include "construction/split/restore_order.cuh"
#include "wrsgpu/detail/core/device_attribute.cuh"
#include "wrsgpu/detail/masses/balance.cuh"

namespace wrsgpu {
namespace {

/// Rows per section: the caller's choice without restriction; otherwise the preference of the pack
/// method, or more, to respect the maximum number of sections of the split method and of the pack
/// method.
[[nodiscard]] Index rows_per_section(const SplitGpuOptions& options,
                                     const split::SplitMethod& split, const pack::PackMethod& pack,
                                     Index size) {
  if (options.section_items > 0) return options.section_items;
  std::uint64_t sections = split.max_sections;
  if (pack.multiprocessor_sections > 0) {
    sections = std::min(
        sections, std::uint64_t{pack.multiprocessor_sections} *
                      static_cast<std::uint64_t>(device_attribute(cudaDevAttrMultiProcessorCount)));
  }
  return std::max(pack.section_items, static_cast<Index>((size + sections - 1) / sections));
}

/// Where pack kernels read masses, besides the elements of the lists.
template <class Element, class Source>
[[nodiscard]] auto pack_source(Source source, const DeviceWeightSummary* summary) {
  if constexpr (std::is_same_v<Element, Index>) {
    return source;
  } else {
    return BucketSource<typename Source::Masses::Mass>{summary};
  }
}

[[nodiscard]] AnyRows any_rows(DeviceTable& table, bool narrow_stores) {
  if (narrow_stores) return NarrowStoreRows(table.wide_rows());
  return table.visit([](auto rows) { return AnyRows(rows); });
}

}  // namespace

std::string name_of(const SplitGpuOptions& method) {
  std::string name = method.split + "_" + method.pack;
  if (method.elements == pack::ElementKind::index_and_mass) name += "_masses";
  if (method.psa_plus) name += "_psa_plus";
  return name;
}

std::string refusal(const SplitGpuOptions& method, const TableOptions& options) {
  const pack::PackMethod& pack = pack::find_method(method.pack);
  const bool has_masses = method.elements == pack::ElementKind::index_and_mass;
  if (std::find(pack.elements.begin(), pack.elements.end(), method.elements) ==
      pack.elements.end()) {
    return "pack method " + pack.name + " is for lists of " +
           (has_masses ? "indices only: " + pack.indices_only : "indices and masses");
  }
  if (method.psa_plus && !has_masses) {
    return "PSA+ needs lists of indices and masses: it leaves items that are partly packed";
  }
  if (method.psa_plus && split::find_method(method.split).is_for_few_sections()) {
    return "split method " + method.split +
           " is there to be compared: for all items, of which PSA+ leaves an unknown number";
  }
  if (method.psa_plus && pack.refuses_weights) {
    return "pack method " + pack.name + " needs all items, PSA+ leaves some";
  }
  if (method.narrow_stores &&
      (method.psa_plus || !has_masses || options.arithmetic == Arithmetic::fixed_point ||
       options.layout != Layout::wide_rows)) {
    return "narrow stores are there to be compared: for wide rows, floating-point arithmetic and "
           "lists of indices and masses, without PSA+";
  }
  if (method.interleaved_parts == 0) return "split and pack in 0 parts; at least 1 is needed";
  if (method.interleaved_parts > 1 &&
      (method.psa_plus || options.arithmetic == Arithmetic::floating)) {
    return "split and pack can be interleaved in fixed-point arithmetic without PSA+ only: "
           "floating-point splits are put in order all at once, and PSA+ leaves an unknown number";
  }
  if (method.psa_plus && method.partition) return "PSA+ has a partition of its own";
  if (!method.psa_plus && method.greedy_min_items) {
    return "only PSA+ packs greedily: greedy_min_items goes with psa_plus";
  }
  if (method.psa_plus && method.prefix_sums != PrefixSums::together) {
    return "PSA+ leaves few items, whose prefix sums are made together";
  }
  if (pack.floating_only && options.arithmetic == Arithmetic::fixed_point) {
    return "pack method " + pack.name +
           " is for floating-point arithmetic: it keeps masses as such numbers in the rows";
  }
  return {};
}

AliasTableSplitGpu::AliasTableSplitGpu(TableOptions options, SplitGpuOptions method,
                                       const SplitGpuInstances& instances)
    : GpuAliasTable(options),
      method_(std::move(method)),
      split_(split::find_method(method_.split)),
      pack_(pack::find_method(method_.pack)),
      partition_(partition::find_method(method_.partition.value_or("cub"))),
      greedy_(instances.greedy != nullptr ? instances.greedy : partition::greedy_partition),
      status_(1) {
  if (const std::string reason = refusal(method_, options); !reason.empty()) throw Error(reason);
  if (instances.split != nullptr) split_.launch = instances.split;
  if (instances.pack != nullptr) pack_.launch = instances.pack;
  if (method_.prefix_sums == PrefixSums::two_streams || method_.interleaved_parts > 1) {
    side_stream_ = std::make_unique<SideStream>();
  }
}

double AliasTableSplitGpu::greedy_fraction() const {
  if (!method_.psa_plus || table().size() == 0) return 0;
  // Copies the counts only, because only some pack methods write the rest of the status.
  Index counts[2];
  copy_to_host(status_.data()->counts, std::span<Index>(counts));
  return 1 - (static_cast<double>(counts[0]) + counts[1]) / table().size();
}

void AliasTableSplitGpu::check_outcome() const {
  if (!pack_.refuses_weights) return;
  pack::Refusal refusal{};
  copy_to_host(&status_.data()->refusal, std::span(&refusal, 1));
  if (refusal.section == pack::no_section) return;
  throw Error("argument 'weights': pack method " + pack_.name +
              " cannot pack them, their sections overlap (first at section " +
              std::to_string(refusal.section) + "); choose another pack method");
}

void AliasTableSplitGpu::done(std::string_view step, const DeviceArena& arena,
                              cudaStream_t stream) const {
  if (observer_ && arena.has_block()) observer_(step, stream);
}

template <class Source, class Element, class Mass>
split::SplitTask<Mass> AliasTableSplitGpu::sum_up(Source source, Index size,
                                                  const DeviceWeightSummary* summary,
                                                  partition::Items<Element> items,
                                                  Index section_items, DeviceArena& arena,
                                                  cudaStream_t stream) const {
  auto* sums = arena.take<Mass>(size);
  Mass* heavy_sums = nullptr;
  if (method_.psa_plus) {
    split::bounded_prefix_sums(source, size, items, sums, arena, stream);
  } else if (method_.prefix_sums == PrefixSums::together) {
    split::cub_prefix_sums(source, size, items, sums, arena, stream);
  } else {
    heavy_sums = arena.take<Mass>(size);
    const bool forks = method_.prefix_sums == PrefixSums::two_streams && arena.has_block();
    if (forks) side_stream_->follow(stream);
    split::separate_prefix_sums(source, size, items, sums, heavy_sums, arena, stream,
                                forks ? side_stream_->get() : stream);
    if (forks) side_stream_->join(stream);
  }
  const double* const bucket = summary == nullptr ? nullptr : &summary->bucket;
  split::SplitTask<Mass> task{sums, heavy_sums, items.counts, bucket, size, section_items, nullptr};
  task.splits = arena.take<split::State<Mass>>(task.max_splits());
  return task;
}

template <class Mass, class Task>
void AliasTableSplitGpu::split_and_pack(split::SplitTask<Mass> to_split, Task to_pack, AnyRows rows,
                                        DeviceArena& arena, cudaStream_t stream) const {
  if (method_.interleaved_parts == 1) {
    split_.launch(to_split, arena, stream);
    done("split", arena, stream);
    split::restore_order(to_split, arena, stream);
    done("put in order", arena, stream);
    pack_.launch(to_pack, rows, arena, stream);
    done("pack", arena, stream);
    return;
  }
  const Index sections = to_pack.max_sections();
  const Index parts = std::min<Index>(method_.interleaved_parts, sections);  // no part is empty
  for (Index part = 0; part < parts; ++part) {
    const auto border = [&](Index k) {
      return static_cast<Index>(std::uint64_t{sections} * k / parts);
    };
    // A part of the sections needs one split more, which the next part need not compute again.
    to_split.range = {part == 0 ? 0 : border(part) + 1, border(part + 1) + std::uint64_t{1}};
    to_pack.range = {border(part), border(part + 1)};
    split_.launch(to_split, arena, stream);
    if (arena.has_block()) side_stream_->follow(stream);
    pack_.launch(to_pack, rows, arena, side_stream_->get());
  }
  if (arena.has_block()) side_stream_->join(stream);
  done("split and pack", arena, stream);
}

template <class Element, class Source>
void AliasTableSplitGpu::build_by(Source source, Index size, const DeviceWeightSummary* summary,
                                  AnyRows rows, DeviceArena& arena, cudaStream_t stream) const {
  using Mass = typename Source::Masses::Mass;
  const Index section_items = rows_per_section(method_, split_, pack_, size);
  Status* const status = status_.data();
  auto items = partition::Items<Element>::take(arena, size, status->counts);
  const partition::PartitionTask<Source, Element> to_partition{source, size, items};
  if (method_.psa_plus) {
    greedy_(to_partition, rows, method_.greedy_min_items.value_or(512), arena, stream);
  } else {
    partition_.launch(to_partition, arena, stream);
  }
  done("partition", arena, stream);

  items = pack::reorder(items, size, pack_.order, section_items, arena, stream);
  const auto masses = pack_source<Element>(source, summary);
  const split::SplitTask<Mass> to_split =
      sum_up<std::remove_const_t<decltype(masses)>, Element, Mass>(masses, size, summary, items,
                                                                   section_items, arena, stream);
  done("prefix sums", arena, stream);

  pack::PackTask<std::remove_const_t<decltype(masses)>, Element> to_pack{
      masses, items, size, section_items, to_split.splits, &status->refusal};
  to_pack.cache = method_.cache;
  if (pack_.refuses_weights && arena.has_block()) {
    WRSGPU_CUDA_CHECK(cudaMemsetAsync(&status->refusal, 0xFF, sizeof(pack::Refusal), stream));
  }
  split_and_pack(to_split, to_pack, rows, arena, stream);
}

template <class Source>
void AliasTableSplitGpu::build_from(Source source, Index size, const DeviceWeightSummary* summary,
                                    AnyRows rows, DeviceArena& arena, cudaStream_t stream) const {
  using Mass = typename Source::Masses::Mass;
  if (method_.elements == pack::ElementKind::index_and_mass) {
    build_by<pack::ItemMass<Mass>>(source, size, summary, rows, arena, stream);
  } else {
    build_by<Index>(source, size, summary, rows, arena, stream);
  }
}

GpuAliasTable::WriteRows AliasTableSplitGpu::launch_sums(WeightsView weights,
                                                         DeviceWeightSummary* summary,
                                                         DeviceArena& arena,
                                                         cudaStream_t stream) const {
  return weights.visit([&]<class T>(std::span<const T> w) -> WriteRows {
    const auto size = static_cast<Index>(w.size());
    if (options().arithmetic == Arithmetic::fixed_point) {
      const DeviceMassTiles tiles = merge::balance_tiles(w, summary, arena, stream).mass_tiles();
      return [=, this](DeviceTable& table, DeviceArena& more) {
        auto* const masses = more.take<std::uint64_t>(size);
        if (more.has_block()) quantise_on_device(w, tiles, summary, masses, stream);
        done("quantise", more, stream);
        build_from(IntegerSource{masses}, size, summary, any_rows(table, method_.narrow_stores),
                   more, stream);
      };
    }
    summarise_on_device(w, summary, arena, stream);
    done("sum", arena, stream);
    return [=, this](DeviceTable& table, DeviceArena& more) {
      build_from(FloatingSource<T>{w.data(), summary}, size, summary,
                 any_rows(table, method_.narrow_stores), more, stream);
    };
  });
}

}  // namespace wrsgpu
