#include "wrsgpu/detail/masses/device_weights.cuh"

#include <cmath>
#include <limits>
#include <string>

#include "wrsgpu/detail/core/cuda_check.cuh"
#include "wrsgpu/error.hpp"

namespace wrsgpu {

DeviceWeightSummary copy_summary(const DeviceWeightSummary* summary, cudaStream_t stream) {
  DeviceWeightSummary result{};
  WRSGPU_CUDA_CHECK(
      cudaMemcpyAsync(&result, summary, sizeof result, cudaMemcpyDeviceToHost, stream));
  WRSGPU_CUDA_CHECK(cudaStreamSynchronize(stream));
  return result;
}

WeightSummary read_summary(WeightsView weights, const DeviceWeightSummary* summary,
                           cudaStream_t stream) {
  const DeviceWeightSummary result = copy_summary(summary, stream);
  if (result.summary.size == 0) {
    throw Error("argument 'weights' has " + std::to_string(weights.size()) +
                " items, and their construction has not run; launch the graph that captured it");
  }
  if (result.summary.size != weights.size()) {
    throw Error("argument 'weights' has " + std::to_string(weights.size()) +
                " items, and what ran last was of " + std::to_string(result.summary.size) +
                "; launch the graph that captured the last construction, and none of another "
                "number of weights");
  }
  if (result.valid) return result.summary;
  if (result.first_invalid >= weights.size() && result.summary.largest == 0) {
    throw_all_zero(weights.size());
  }
  weights.visit([&]<class T>(std::span<const T> w) {
    T invalid = static_cast<T>(result.summary.largest);
    if (result.first_invalid < w.size()) {
      WRSGPU_CUDA_CHECK(cudaMemcpy(&invalid, w.data() + result.first_invalid, sizeof invalid,
                                   cudaMemcpyDeviceToHost));
      if (invalid >= 0 && std::isfinite(invalid)) {
        throw Error("argument 'weights': weight " + std::to_string(result.first_invalid) +
                    " was negative, infinite or not a number, and has changed since, or a graph "
                    "read other weights");
      }
    }
    throw_bad_weight(result.first_invalid, w.size(), static_cast<double>(invalid),
                     std::numeric_limits<T>::max_digits10);
  });
  throw Error("argument 'weights' is invalid");  // not reached: the visitor throws
}

}  // namespace wrsgpu
