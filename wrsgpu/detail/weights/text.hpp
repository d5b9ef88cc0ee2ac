// Reader of weights in text files.
#pragma once

#include "wrsgpu/detail/weights/input.hpp"
#include "wrsgpu/weight_file.hpp"

namespace wrsgpu::weights {

/// Reads a text as `read_weight_file` does.
[[nodiscard]] WeightFile read_text(Input& input, const WeightFileOptions& options);

}  // namespace wrsgpu::weights
