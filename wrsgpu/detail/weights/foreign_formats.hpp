// Files that hold weights in an unsupported format.
#pragma once

#include "wrsgpu/detail/weights/input.hpp"

namespace wrsgpu::weights {

/// Throws `Error` that names the format and a command that converts it, if `input` begins like a
/// compressed file, an archive, UTF-16 text or another known format.
void refuse_foreign_formats(Input& input);

}  // namespace wrsgpu::weights
