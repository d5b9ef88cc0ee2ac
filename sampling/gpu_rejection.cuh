// Rejection sampling of Bringmann and Larsen on the GPU (thesis 2.8 and 5.3.2).
#pragma once

#include <cstdint>
#include <string_view>

#include "sampling/gpu_sampling_algorithm.cuh"
#include "wrsgpu/detail/core/device_buffer.cuh"

namespace wrsgpu {

/// How the item of a cell is found.
enum class CellSearch {
  array,          ///< the list of cells as an array, 4 bytes per cell
  binary,         ///< binary search in the items' last cells, 8 bytes per item
  partial_p_ary,  ///< the threads of a block sort their cells and search them together
};

struct GpuRejectionOptions {
  CellSearch search = CellSearch::array;
  /// Maximum number of cells tried for a sample, of which the last is taken even if it rejects; 0
  /// for no limit. With a limit, threads never wait for each other, but the samples are biased:
  /// with rejection probability r < 1/2, a fraction r^attempts of them (less than 2^-attempts) is
  /// distributed like rejected cells. Items of weight zero are drawn, too.
  std::uint32_t attempts = 0;
};

/// The cells of `Rejection` on the CPU (cpu_reference/rejection.hpp) and, without a limit on the
/// attempts, its samples. The threads of a warp wait for the one with most rejections.
class GpuRejection final : public GpuSamplingAlgorithm {
 public:
  explicit GpuRejection(const TableOptions& options, const GpuRejectionOptions& how = {})
      : GpuSamplingAlgorithm(options), how_(how) {}

  [[nodiscard]] std::size_t bytes() const override {
    return first_share_.bytes() + ends_.bytes() + items_.bytes();
  }

 private:
  void build_on_device(WeightsView weights, const WeightSummary& summary) override;
  /// With a limit on the attempts, the probabilities of the biased samples.
  [[nodiscard]] std::vector<double> do_probabilities() const override;
  void launch(const AnyOutput& output, std::uint64_t samples, RandomState state,
              cudaStream_t stream) const override;

  GpuRejectionOptions how_;
  DeviceBuffer<std::uint64_t> first_share_;  // as on the CPU
  DeviceBuffer<std::uint64_t> ends_;         // the cell after each item's last one; not for array
  DeviceBuffer<Index> items_;                // of each cell, for array
  std::uint64_t cells_ = 0;
};

}  // namespace wrsgpu
