#include "wrsgpu/construction/alias_table_split_gpu.cuh"

#include <algorithm>
#include <type_traits>

#include "wrsgpu/construction/pack/reorder.cuh"
#include "wrsgpu/construction/split/prefix_sums.cuh"
#include "wrsgpu/construction/split/put_in_order.cuh"

namespace wrsgpu {
namespace {

/// Rows per section: what the caller wants, or the pack method, but no more sections than the split
/// method can look for.
[[nodiscard]] Index rows_per_section(const SplitGpuOptions& options, const split::Method& split,
                                     const pack::Method& pack, Index size) {
  if (options.section_items > 0) return options.section_items;
  const auto fewest =
      static_cast<Index>((size + std::uint64_t{split.max_sections} - 1) / split.max_sections);
  return std::max(pack.section_items, fewest);
}

/// What the pack kernels read masses from, besides the elements of the lists.
template <class Element, class Source>
[[nodiscard]] auto pack_source(Source source, const DeviceWeightSummary* summary) {
  if constexpr (std::is_same_v<Element, Index>) {
    return source;
  } else {
    return BucketSource<typename Source::Masses::Mass>{summary};
  }
}

[[nodiscard]] AnyRows any_rows(DeviceTable& table) {
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
  const pack::Method& pack = pack::find_method(method.pack);
  const bool has_masses = method.elements == pack::ElementKind::index_and_mass;
  if (std::find(pack.elements.begin(), pack.elements.end(), method.elements) ==
      pack.elements.end()) {
    return "pack method " + pack.name + " is for lists of " +
           (has_masses ? "indices: it gets masses by itself" : "indices and masses");
  }
  if (method.psa_plus && !has_masses) {
    return "PSA+ needs lists of indices and masses: it leaves items that are partly packed";
  }
  if (method.psa_plus && pack.refuses_weights) {
    return "pack method " + pack.name + " needs all items, PSA+ leaves some";
  }
  if (pack.floating_only && options.arithmetic == Arithmetic::fixed_point) {
    return "pack method " + pack.name +
           " keeps whole masses in the rows, which hold fixed-point masses up to 2^53 only";
  }
  return {};
}

AliasTableSplitGpu::AliasTableSplitGpu(TableOptions options, SplitGpuOptions method)
    : GpuAliasTable(options),
      method_(std::move(method)),
      split_(&split::find_method(method_.split)),
      pack_(&pack::find_method(method_.pack)),
      partition_(&partition::find_method(method_.partition)),
      status_(1) {
  if (const std::string reason = refusal(method_, options); !reason.empty()) throw Error(reason);
}

double AliasTableSplitGpu::greedy_fraction() const {
  if (!method_.psa_plus || size() == 0) return 0;
  Status status{};
  copy_to_host(status_.data(), std::span(&status, 1));
  return 1 - (static_cast<double>(status.counts[0]) + status.counts[1]) / size();
}

void AliasTableSplitGpu::check_outcome() const {
  if (!pack_->refuses_weights) return;
  Status status{};
  copy_to_host(status_.data(), std::span(&status, 1));
  if (status.refusal.section == pack::no_section) return;
  throw Error("argument 'weights': pack method " + pack_->name +
              " cannot pack them, their sections overlap (first at section " +
              std::to_string(status.refusal.section) + "); choose another pack method");
}

void AliasTableSplitGpu::done(std::string_view step, const DeviceArena& arena,
                              cudaStream_t stream) const {
  if (observer_ && arena.has_block()) observer_(step, stream);
}

template <class Element, class Source>
void AliasTableSplitGpu::build_from(Source source, Index size, const DeviceWeightSummary* summary,
                                    AnyRows rows, DeviceArena& arena, cudaStream_t stream) const {
  using Mass = typename Source::Masses::Mass;
  const Index section_items = rows_per_section(method_, *split_, *pack_, size);
  Status* const status = status_.data();
  auto items = partition::Items<Element>::take(arena, size, status->counts);
  const partition::Task<Source, Element> to_partition{source, size, items};
  if (method_.psa_plus) {
    partition::greedy_partition(to_partition, rows, method_.greedy_min_items, arena, stream);
  } else {
    partition_->launch(to_partition, arena, stream);
  }
  done("partition", arena, stream);

  items = pack::reorder(items, size, pack_->order, section_items, arena, stream);
  auto* sums = arena.take<Mass>(size);
  const auto masses = pack_source<Element>(source, summary);
  if (method_.psa_plus) {
    split::bounded_prefix_sums(masses, size, items, sums, arena, stream);
  } else {
    split::cub_prefix_sums(masses, size, items, sums, arena, stream);
  }
  done("prefix sums", arena, stream);

  const double* const bucket = summary == nullptr ? nullptr : &summary->bucket;
  split::Task<Mass> to_split{sums, items.counts, bucket, size, section_items, nullptr};
  to_split.splits = arena.take<split::State<Mass>>(to_split.max_splits());
  split_->launch(to_split, arena, stream);
  split::put_in_order(to_split, arena, stream);
  done("split", arena, stream);

  const pack::Task<std::remove_const_t<decltype(masses)>, Element> to_pack{
      masses, items, size, section_items, to_split.splits, &status->refusal};
  if (pack_->refuses_weights && arena.has_block()) {
    WRSGPU_CUDA_CHECK(cudaMemsetAsync(&status->refusal, 0xFF, sizeof(pack::Refusal), stream));
  }
  pack_->launch(to_pack, rows, arena, stream);
  done("pack", arena, stream);
}

void AliasTableSplitGpu::launch(WeightsView weights, const DeviceWeightSummary* summary,
                                DeviceTable& table, DeviceArena& arena, cudaStream_t stream) const {
  done("sum", arena, stream);
  const AnyRows rows = any_rows(table);
  const bool has_masses = method_.elements == pack::ElementKind::index_and_mass;
  weights.visit([&]<class T>(std::span<const T> w) {
    const auto size = static_cast<Index>(w.size());
    const auto build = [&](auto source) {
      using Mass = typename decltype(source)::Masses::Mass;
      if (has_masses) {
        build_from<pack::ItemMass<Mass>>(source, size, summary, rows, arena, stream);
      } else {
        build_from<Index>(source, size, summary, rows, arena, stream);
      }
    };
    if (options().arithmetic == Arithmetic::fixed_point) {
      auto* masses = arena.take<std::uint64_t>(size);
      quantise_on_device(w, summary, masses, arena, stream);
      done("quantise", arena, stream);
      build(IntegerSource{masses});
    } else {
      build(FloatingSource<T>{w.data(), summary});
    }
  });
}

}  // namespace wrsgpu
