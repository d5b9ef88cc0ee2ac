// Building where a method may refuse the weights.
#pragma once

#include <gtest/gtest.h>

#include "registry/methods.hpp"
#include "wrsgpu/error.hpp"

namespace wrsgpu::verification {

/// Builds, and says whether that was done: only a method that may refuse weights does not have to.
inline bool builds(SamplingAlgorithm& algorithm, WeightsView weights, const BuildMethod& method) {
  try {
    algorithm.build(weights);
    return true;
  } catch (const Error& error) {
    EXPECT_TRUE(method.refuses_weights) << error.what();
    return false;
  }
}

}  // namespace wrsgpu::verification
