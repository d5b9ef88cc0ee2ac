// The random state of work on a stream.
#pragma once

#include "wrsgpu/random_state.hpp"

namespace wrsgpu::random {

/// Seed and offset, given by value or, if `on_device` is not null, in device memory, where they are
/// read when the work runs.
struct RandomSource {
  RandomState value;
  const RandomState* on_device = nullptr;

  [[nodiscard]] __device__ RandomState get() const {
    return on_device != nullptr ? *on_device : value;
  }
};

}  // namespace wrsgpu::random
