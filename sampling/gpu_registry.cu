#include "wrsgpu/core/find_by_name.hpp"
#include "wrsgpu/sampling/baseline_gpu_sampler.cuh"
#include "wrsgpu/sampling/gpu_sampler.cuh"

namespace wrsgpu {
namespace {

template <class S>
std::unique_ptr<GpuSampler> make_gpu_sampler() {
  return std::make_unique<S>();
}

}  // namespace

const std::vector<GpuSamplerInfo>& gpu_samplers() {
  static const std::vector<GpuSamplerInfo> all{
      {.name = "baseline",
       .source = "thesis 3.4.1",
       .summary = "Walker's sampler, one Philox word a sample",
       .make = make_gpu_sampler<BaselineGpuSampler>},
  };
  return all;
}

const GpuSamplerInfo& find_gpu_sampler(std::string_view name) {
  return find_by_name(gpu_samplers(), name, "GPU sampler");
}

}  // namespace wrsgpu
