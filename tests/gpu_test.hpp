// What every GPU test begins with.
#pragma once

#include <gtest/gtest.h>

#include "wrsgpu/detail/core/cuda_device.hpp"

namespace wrsgpu {

/// Skips its tests, saying why, where there is no GPU.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_cuda_device(); !reason.empty()) {
      GTEST_SKIP() << "needs a GPU: " << reason;
    }
  }
};

}  // namespace wrsgpu
