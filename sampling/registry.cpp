#include "wrsgpu/sampling/registry.hpp"

#include "wrsgpu/core/find_by_name.hpp"

namespace wrsgpu {

// Each is in the file of its name, in cpu_reference/.
[[nodiscard]] SamplerInfo direct_sampler();
[[nodiscard]] SamplerInfo batched_sampler();
[[nodiscard]] SamplerInfo lazy_sampler();
[[nodiscard]] SamplerInfo expected_sampler();

const std::vector<SamplerInfo>& samplers() {
  static const std::vector<SamplerInfo> all{
      direct_sampler(),    //
      batched_sampler(),   //
      lazy_sampler(),      //
      expected_sampler(),  //
  };
  return all;
}

const SamplerInfo& find_sampler(std::string_view name) {
  return find_by_name(samplers(), name, in_this_build("CPU sampler"));
}

}  // namespace wrsgpu
