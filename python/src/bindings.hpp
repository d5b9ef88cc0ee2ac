// What the module `_core` is made of.
#pragma once

#include <nanobind/nanobind.h>

#include "wrsgpu/sampler_options.hpp"

namespace wrsgpu::python {

namespace nb = nanobind;
using namespace nb::literals;

/// Options from the arguments that Python passes. `rounds` of Philox is 7 or 10.
[[nodiscard]] inline WeightedSamplerOptions sampler_options(bool any_order, int rounds,
                                                            unsigned threads,
                                                            bool keep_weights = false) {
  return {.order = any_order ? SampleOrder::any : SampleOrder::random,
          .generator = rounds == 7 ? Generator::philox7 : Generator::philox,
          .keep_weights = keep_weights,
          .threads = threads};
}

void bind_host_sampler(nb::module_& module);
void bind_permutation(nb::module_& module);
void bind_choose(nb::module_& module);
void bind_segments(nb::module_& module);
void bind_sharded(nb::module_& module);
// With CUDA:
void bind_gpu_sampler(nb::module_& module);
void bind_gpu_functions(nb::module_& module);
void bind_gpu_segments(nb::module_& module);
void bind_gpu_sharded(nb::module_& module);

}  // namespace wrsgpu::python
