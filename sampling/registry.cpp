#include "wrsgpu/sampling/registry.hpp"

#include "wrsgpu/core/error.hpp"
#include "wrsgpu/core/find_by_name.hpp"
#include "wrsgpu/cpu_reference/batched_sampler.hpp"
#include "wrsgpu/cpu_reference/direct_sampler.hpp"
#include "wrsgpu/cpu_reference/expected_sampler.hpp"
#include "wrsgpu/cpu_reference/lazy_sampler.hpp"

namespace wrsgpu {
namespace {

template <class S>
std::unique_ptr<Sampler> make_sampler(unsigned threads) {
  return std::make_unique<S>(threads);
}

}  // namespace

const std::vector<SamplerInfo>& samplers() {
  static const std::vector<SamplerInfo> all{
      {.name = "direct",
       .source = "thesis 3.4.1",
       .summary = "Walker's sampler, a plain loop; the samples that baseline draws on a GPU",
       .make = make_sampler<DirectSampler>},
      {.name = "batched",
       .source = "wrsgpu",
       .summary = "the same samples in batches, rows prefetched",
       .make = make_sampler<BatchedSampler>},
      {.name = "lazy",
       .source = "wrsgpu",
       .summary = "the samples that direct draws on a GPU",
       .make = make_sampler<LazySampler>},
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
  return find_by_name(samplers(), name, "sampler");
}

}  // namespace wrsgpu
