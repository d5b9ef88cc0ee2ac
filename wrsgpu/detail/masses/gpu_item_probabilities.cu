#include "wrsgpu/detail/masses/gpu_item_probabilities.cuh"

#include "wrsgpu/detail/masses/item_probabilities.hpp"
#include "wrsgpu/detail/masses/write_masses.cuh"

namespace wrsgpu {
namespace {

struct ProbabilityOf {
  Index items;
  [[nodiscard]] __device__ float operator()(std::uint64_t mass) const {
    return probability_of_mass(mass, items);
  }
};

}  // namespace

void write_probabilities_on_device(WeightsView weights, const MassTile* tiles,
                                   const DeviceWeightSummary* summary, float* probabilities,
                                   cudaStream_t stream) {
  weights.visit([&](auto w) {
    write_masses_on_device(w, tiles, summary, ProbabilityOf{static_cast<Index>(w.size())},
                           probabilities, stream);
  });
}

}  // namespace wrsgpu
