// Suites of all methods list the GPU's only where there is one; this says so where there is none.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "registry/methods.hpp"
#include "registry/variants.hpp"

namespace wrsgpu::verification {

/// The whole of a test: skips it, with the number of methods that are left out.
inline void skip_where_gpu_methods_are_left_out() {
  const std::string why = why_unavailable(Device::cuda);
  const auto count =
      std::count_if(methods().begin(), methods().end(),
                    [](const BuildMethod& method) { return method.device == Device::cuda; });
  if (!why.empty()) {
    GTEST_SKIP() << count << " GPU methods of this build are not tested: they need a GPU (" << why
                 << ")";
  }
  EXPECT_GT(count, 0);
}

}  // namespace wrsgpu::verification
