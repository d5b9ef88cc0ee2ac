#include "registry/samplers.hpp"

#include "cpu_reference/direct_sampler.hpp"
#include "cpu_reference/expected_sampler.hpp"
#include "wrsgpu/detail/core/find_by_name.hpp"
#include "wrsgpu/detail/sampling/batched_sampler.hpp"

namespace wrsgpu {

const std::vector<SamplerInfo>& samplers() {
  static const std::vector<SamplerInfo> all{
      {.name = "direct",
       .source = "thesis 3.4.1",
       .summary = "Walker's sampler, a plain loop; the samples of direct on a GPU",
       .make = make_sampler<DirectSampler>},
      {.name = "batched",
       .source = "wrsgpu",
       .summary = "the samples of direct in batches, rows prefetched",
       .make = make_sampler<BatchedSampler>},
      {.name = "lazy",
       .source = "wrsgpu",
       .summary = "direct by the name that it has in records before version 0.2",
       .make = make_sampler<DirectSampler>},
      {.name = "expected",
       .source = "thesis 4.1",
       .summary = "every item as often as expected; not random",
       .random = false,
       .make = [](unsigned /*threads*/) -> std::unique_ptr<Sampler> {
         return std::make_unique<ExpectedSampler>();
       }},
  };
  return all;
}

const SamplerInfo& find_sampler(std::string_view name) {
  return find_by_name(samplers(), name, in_this_build("CPU sampler"));
}

}  // namespace wrsgpu
