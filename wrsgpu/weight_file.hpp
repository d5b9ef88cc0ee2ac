// Weights from a file of any kind that is read.
#pragma once

#include <filesystem>

#include "wrsgpu/detail/weights/owned_weights.hpp"
#include "wrsgpu/detail/weights/text.hpp"

namespace wrsgpu::weights {

/// Reads a .npy file (one that is named so, or begins so) as `read_npy` does, anything else as
/// `read_text` does with `format`. The path "-" means standard input. Throws their `Error`s, and
/// one for a column asked of a .npy file.
[[nodiscard]] OwnedWeights read_weights(const std::filesystem::path& path,
                                        const TextFormat& format = {});

}  // namespace wrsgpu::weights
