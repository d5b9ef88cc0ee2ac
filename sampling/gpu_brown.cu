#include "sampling/gpu_brown.cuh"

#include "construction/alias_table_merge_gpu.cuh"
#include "cpu_reference/brown.hpp"
#include "sampling/gpu_monotone_kernels.cuh"

namespace wrsgpu {
namespace {

struct FromBrown {
  BrownView arrays;
  [[nodiscard]] __device__ Index operator()(std::uint64_t word) const { return arrays.find(word); }
};

/// One thread per row.
__global__ void split_rows(CompactRows rows, BrownWriter writer) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows.size()) return;
  const auto row = static_cast<Index>(i);
  writer.store(row, rows.load(row));
}

}  // namespace

GpuBrown::GpuBrown(const TableOptions& options) : GpuSamplingAlgorithm(options) {
  require_brown_options(options);
}

void GpuBrown::build_on_device(WeightsView weights, const WeightSummary& summary) {
  AliasTableMergeGpu table({Arithmetic::fixed_point, Layout::compact_rows, 0});
  table.build(weights);
  // The items are allocated last: where they have this size, so have the thresholds.
  if (items_.size() != 2 * std::size_t{summary.size}) {
    items_ = {};
    thresholds_ = {};
    thresholds_ = DeviceBuffer<Index>(summary.size);
    items_ = DeviceBuffer<Index>(2 * std::size_t{summary.size});
  }
  split_rows<<<blocks_for(summary.size, monotone_threads), monotone_threads>>>(
      table.table().compact_rows(), {thresholds_.data(), items_.data()});
  check_launch("split_rows");
  // Before the table is freed.
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

std::vector<double> GpuBrown::do_probabilities() const {
  std::vector<Index> thresholds(thresholds_.size());
  std::vector<Index> items(items_.size());
  copy_to_host(thresholds_.data(), std::span(thresholds));
  copy_to_host(items_.data(), std::span(items));
  return brown_probabilities(thresholds, items);
}

void GpuBrown::launch(const AnyOutput& output, std::uint64_t samples, RandomState state,
                      cudaStream_t stream) const {
  launch_draw_by_words(
      FromBrown{{thresholds_.data(), items_.data(), static_cast<Index>(thresholds_.size())}},
      output, samples, state, stream);
}

}  // namespace wrsgpu
