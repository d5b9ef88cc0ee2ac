// Base of the GPU methods that map one random word to an item, monotonically.
#pragma once

#include "sampling/gpu_intervals.cuh"
#include "sampling/gpu_sampling_algorithm.cuh"

namespace wrsgpu {

/// Sample k is the item of word `offset + k` of the Philox4x32-10 stream `seed`: the samples of the
/// CPU methods. A larger word never gives a smaller item, which preserves the low discrepancy of
/// quasi-random words (thesis 2.7; sampling/generators/quasi_random.cuh).
///
/// Fixed-point arithmetic only: the device adds doubles in no fixed order, so that rounding could
/// give an item without weight an interval.
class GpuMonotoneMethod : public GpuSamplingAlgorithm {
 public:
  explicit GpuMonotoneMethod(const TableOptions& options);

  /// Sets out[k] to the item of the uniform 64-bit words[k] (both in device memory, of equal
  /// sizes). Throws `Error` before the first build, and if the sizes differ or are 0.
  ///
  /// @note Asynchronous on `stream`.
  void find(std::span<const std::uint64_t> words, std::span<Index> out, cudaStream_t stream) const;

 protected:
  virtual void launch_find(std::span<const std::uint64_t> words, Index* out,
                           cudaStream_t stream) const = 0;
};

/// Base of those that search the intervals.
class GpuIntervalMethod : public GpuMonotoneMethod {
 public:
  using GpuMonotoneMethod::GpuMonotoneMethod;

  [[nodiscard]] std::size_t bytes() const override { return intervals_.bytes(); }

 protected:
  [[nodiscard]] std::vector<double> do_probabilities() const final {
    return intervals_.probabilities();
  }
  void build_on_device(WeightsView weights, const WeightSummary& /*of the size alone*/) override {
    intervals_.build(weights);
  }
  [[nodiscard]] const GpuIntervals& intervals() const { return intervals_; }

 private:
  GpuIntervals intervals_;
};

}  // namespace wrsgpu
