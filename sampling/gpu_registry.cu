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
  std::string known;
  for (const GpuSamplerInfo& sampler : gpu_samplers()) {
    if (sampler.name == name) return sampler;
    known += (known.empty() ? "" : ", ") + sampler.name;
  }
  throw Error("unknown GPU sampler '" + std::string(name) + "' (known: " + known + ")");
}

}  // namespace wrsgpu
