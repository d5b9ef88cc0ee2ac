// The thesis's construction on the GPU: partition, prefix sums, split, pack (thesis 4.1).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "construction/gpu_alias_table.cuh"
#include "construction/pack/methods.cuh"
#include "construction/partition/methods.cuh"
#include "construction/split/methods.cuh"
#include "wrsgpu/detail/core/side_stream.cuh"

namespace wrsgpu {

/// How the prefix sums of light and heavy masses are computed (thesis 4.8.3): by one scan, by one
/// scan for each kind, or by one for each kind on two streams.
enum class PrefixSums { together, one_by_one, two_streams };

/// Selects the methods to combine, by their names in the registries of the namespaces `partition`,
/// `split` and `pack`.
struct SplitGpuOptions {
  std::string split = "partial_p_ary";
  std::string pack = "shared_memory";
  pack::ElementKind elements = pack::ElementKind::index_and_mass;
  /// PSA+ (thesis 3.3): packs greedily while it partitions, and packs the remaining items like PSA.
  bool psa_plus = false;
  /// "cub" by default; must not be set for PSA+, which has its own.
  std::optional<std::string> partition = std::nullopt;
  /// Rows per section; 0 for the pack method's preferred number.
  Index section_items = 0;
  /// PSA+ leaves tiles (4,096 items) with fewer light or fewer heavy items than this to PSA; 512 by
  /// default. Rejected without PSA+.
  std::optional<Index> greedy_min_items = std::nullopt;

  // Variants of thesis 4.8, each measured by the experiment `optimizations`.
  PrefixSums prefix_sums = PrefixSums::together;
  /// Number of parts of split and pack; a part is packed on a second stream while the next one is
  /// split.
  unsigned interleaved_parts = 1;
  Cache cache = Cache::no_preference;
  /// Stores wide rows in two accesses of 64 bits instead of one of 128.
  bool narrow_stores = false;
};

/// Name of the combination in the registry and in benchmarks: "<split>_<pack>[_masses][_psa_plus]".
[[nodiscard]] std::string name_of(const SplitGpuOptions& method);

/// Instances of the method templates other than those in the registries, for tuning to a device
/// (thesis 4.8.4). Empty fields mean the registry's.
struct SplitGpuInstances {
  decltype(split::SplitMethod::launch) split = nullptr;
  decltype(pack::PackMethod::launch) pack = nullptr;
  decltype(&partition::greedy_partition) greedy = nullptr;
};

/// The reason that these methods cannot be combined, or an empty string.
[[nodiscard]] std::string refusal(const SplitGpuOptions& method, const TableOptions& options);

/// Alias table built on the GPU by splitting. In fixed-point arithmetic the table is bitwise
/// reproducible; without PSA+ and with lists in index order it equals that of the sequential sweep,
/// for all methods. In floating-point arithmetic without PSA+, the last bits can differ from run to
/// run, because CUB's scan adds in no fixed order.
class AliasTableSplitGpu final : public GpuAliasTable {
 public:
  /// Throws `Error` for unknown names and invalid combinations, with the reason.
  AliasTableSplitGpu(TableOptions options, SplitGpuOptions method,
                     const SplitGpuInstances& instances = {});

  [[nodiscard]] const SplitGpuOptions& method() const { return method_; }

  /// The fraction of the items whose rows PSA+ wrote greedily in the last construction; 0 without
  /// PSA+. Must be called after the stream has completed, before or after `finish`.
  [[nodiscard]] double greedy_fraction() const;

  /// Called with the name of each step after its kernels have been launched, for profiling.
  using StepObserver = std::function<void(std::string_view step, cudaStream_t stream)>;
  void observe_steps(StepObserver observer) { observer_ = std::move(observer); }

 private:
  /// Results of the kernels for the host (device memory).
  struct Status {
    Index counts[2];  ///< light and heavy items that were not packed greedily
    pack::Refusal refusal;
  };

  [[nodiscard]] WriteRows launch_sums(WeightsView weights, DeviceWeightSummary* summary,
                                      DeviceArena& arena, cudaStream_t stream) const override;
  void check_outcome() const override;
  template <class Source>
  void build_from(Source source, Index size, const DeviceWeightSummary* summary, AnyRows rows,
                  DeviceArena& arena, cudaStream_t stream) const;
  template <class Element, class Source>
  void build_by(Source source, Index size, const DeviceWeightSummary* summary, AnyRows rows,
                DeviceArena& arena, cudaStream_t stream) const;
  template <class Source, class Element, class Mass>
  split::SplitTask<Mass> sum_up(Source source, Index size, const DeviceWeightSummary* summary,
                                partition::Items<Element> items, Index section_items,
                                DeviceArena& arena, cudaStream_t stream) const;
  template <class Mass, class Task>
  void split_and_pack(split::SplitTask<Mass> to_split, Task to_pack, AnyRows rows,
                      DeviceArena& arena, cudaStream_t stream) const;
  void done(std::string_view step, const DeviceArena& arena, cudaStream_t stream) const;

  SplitGpuOptions method_;
  split::SplitMethod split_;
  pack::PackMethod pack_;
  partition::PartitionMethod partition_;
  decltype(&partition::greedy_partition) greedy_;
  mutable DeviceBuffer<Status> status_;
  std::unique_ptr<SideStream> side_stream_;  // only where one is used
  StepObserver observer_;
};

}  // namespace wrsgpu
