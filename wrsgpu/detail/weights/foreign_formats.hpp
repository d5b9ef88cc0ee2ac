// Files that hold weights in a form that is not read here.
#pragma once

#include "wrsgpu/detail/weights/input.hpp"

namespace wrsgpu::weights {

/// Throws `Error` that names the format and a command that helps when `input` begins as a
/// compressed file, an archive, UTF-16 text or another known format does.
void refuse_foreign_formats(Input& input);

}  // namespace wrsgpu::weights
