#include "registry/gpu_samplers.cuh"

#include "wrsgpu/detail/core/find_by_name.hpp"

namespace wrsgpu {

// Each is in the file of its name in sampling/, or in library_gpu_samplers.cu.
[[nodiscard]] GpuSamplerInfo baseline_gpu_sampler();
[[nodiscard]] GpuSamplerInfo cached_gpu_sampler();
[[nodiscard]] GpuSamplerInfo cached_limited_gpu_sampler();  // cached_gpu_sampler.cu
[[nodiscard]] GpuSamplerInfo shared_memory_gpu_sampler();
[[nodiscard]] GpuSamplerInfo direct_gpu_sampler();
[[nodiscard]] GpuSamplerInfo direct_packed_gpu_sampler();
[[nodiscard]] GpuSamplerInfo direct_short_gpu_sampler();
[[nodiscard]] GpuSamplerInfo direct_sectioned_gpu_sampler();
[[nodiscard]] GpuSamplerInfo small_table_gpu_sampler();
[[nodiscard]] GpuSamplerInfo sectioned_gpu_sampler();
[[nodiscard]] GpuSamplerInfo auto_gpu_sampler();
[[nodiscard]] GpuSamplerInfo expected_gpu_sampler();

const std::vector<GpuSamplerInfo>& gpu_samplers() {
  static const std::vector<GpuSamplerInfo> all{
      baseline_gpu_sampler(),          //
      cached_gpu_sampler(),            //
      cached_limited_gpu_sampler(),    //
      shared_memory_gpu_sampler(),     //
      direct_gpu_sampler(),            //
      direct_packed_gpu_sampler(),     //
      direct_short_gpu_sampler(),      //
      direct_sectioned_gpu_sampler(),  //
      small_table_gpu_sampler(),       //
      sectioned_gpu_sampler(),         //
      auto_gpu_sampler(),              //
      expected_gpu_sampler(),          //
  };
  return all;
}

const GpuSamplerInfo& find_gpu_sampler(std::string_view name) {
  return find_by_name(gpu_samplers(), name, "GPU sampler");
}

}  // namespace wrsgpu
