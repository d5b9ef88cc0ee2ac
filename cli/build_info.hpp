// Build configuration; the values come from build_info.cpp.in.
#pragma once

#include <string_view>

namespace wrsgpu::cli {

extern const std::string_view version;
extern const std::string_view build_type;
extern const std::string_view compiler;
/// Toolkit version and architectures, or the reason why CUDA is disabled.
extern const std::string_view cuda;

}  // namespace wrsgpu::cli
