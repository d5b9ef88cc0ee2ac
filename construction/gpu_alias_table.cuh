// Base of the alias tables that are built and stored on the GPU.
#pragma once

#include <cuda_runtime_api.h>

#include "construction/alias_table.hpp"
#include "wrsgpu/detail/build/device_table_builder.cuh"

namespace wrsgpu {

/// An alias table in device memory, with the three steps of `DeviceTableBuilder`, so that a caller
/// or a benchmark can time or capture the second one alone.
class GpuAliasTable : public AliasTable {
 public:
  /// Throws `Error` when there is no GPU.
  explicit GpuAliasTable(TableOptions options) : AliasTable(options), builder_(*this, options) {}

  [[nodiscard]] Device device() const final { return Device::cuda; }
  [[nodiscard]] std::size_t bytes() const final { return builder_.bytes(); }
  [[nodiscard]] HostTable to_host() const final { return builder_.to_host(); }

  /// See `DeviceTableBuilder` for all of these.
  [[nodiscard]] std::size_t temporary_bytes(Index size, WeightsView::Type type) const {
    return builder_.temporary_bytes(size, type);
  }
  void assign(const HostTable& table);
  void reserve(Index size, WeightsView::Type type);
  void construct(WeightsView weights, cudaStream_t stream);
  void finish(WeightsView weights, cudaStream_t stream);
  [[nodiscard]] const DeviceTable& table() const { return builder_.table(); }

 protected:
  /// Returns the size only: the builder checks the weights in the pass that sums them.
  [[nodiscard]] WeightSummary check(WeightsView weights) const final;
  void do_build(WeightsView weights, const WeightSummary& summary) final;
  void do_sample(std::span<Index> out, RandomState state) const final;

  /// The method: see `DeviceTableBuilder` for these.
  using WriteRows = DeviceTableBuilder::WriteRows;
  [[nodiscard]] virtual WriteRows launch_sums(WeightsView weights, DeviceWeightSummary* summary,
                                              DeviceArena& arena, cudaStream_t stream) const = 0;
  virtual void launch(WeightsView weights, DeviceTable& table, DeviceWeightSummary* summary,
                      DeviceArena& arena, cudaStream_t stream) const {
    launch_sums(weights, summary, arena, stream)(table, arena);
  }
  virtual void check_outcome() const {}

 private:
  /// Builds by the method of the table that owns it.
  class Builder final : public DeviceTableBuilder {
   public:
    Builder(const GpuAliasTable& owner, TableOptions options)
        : DeviceTableBuilder(options), owner_(owner) {}

   private:
    [[nodiscard]] WriteRows launch_sums(WeightsView weights, DeviceWeightSummary* summary,
                                        DeviceArena& arena, cudaStream_t stream) const override {
      return owner_.launch_sums(weights, summary, arena, stream);
    }
    void launch(WeightsView weights, DeviceTable& table, DeviceWeightSummary* summary,
                DeviceArena& arena, cudaStream_t stream) const override {
      owner_.launch(weights, table, summary, arena, stream);
    }
    void check_outcome() const override { owner_.check_outcome(); }

    const GpuAliasTable& owner_;
  };

  /// Calls `step()`, then sets the size of the table to that of the builder.
  template <class Step>
  void follow(const Step& step);

  Builder builder_;
};

}  // namespace wrsgpu
