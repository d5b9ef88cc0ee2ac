#include "construction/sampling_algorithm.hpp"

#include <new>
#include <string>

#include "wrsgpu/error.hpp"

namespace wrsgpu {

void SamplingAlgorithm::build(WeightsView weights) {
  try {
    const WeightSummary summary = check(weights);
    do_build(weights, summary);
    size_ = summary.size;
  } catch (const std::bad_alloc&) {
    size_ = 0;
    throw OutOfMemory("build: out of host memory for " + std::to_string(weights.size()) + " items");
  } catch (const OutOfMemory&) {
    size_ = 0;  // the previous structure may have been freed already
    throw;
  }
}

void SamplingAlgorithm::sample(std::span<Index> out, RandomState state) const {
  if (size_ == 0) throw Error("sample: nothing has been built yet; call build() first");
  if (out.empty()) return;
  do_sample(out, state);
}

std::vector<double> SamplingAlgorithm::probabilities() const {
  if (size_ == 0) throw Error("probabilities: nothing has been built yet; call build() first");
  return do_probabilities();
}

WeightSummary SamplingAlgorithm::check(WeightsView weights) const { return summarise(weights, 0); }

}  // namespace wrsgpu
