// Build configuration; the values come from build_info.cpp.in.
#pragma once

#include <string_view>

namespace wrsgpu::cli {

extern const std::string_view version;
extern const std::string_view build_type;
extern const std::string_view compiler;
/// The toolkit's version and the architectures, or why there is no CUDA.
extern const std::string_view cuda;

}  // namespace wrsgpu::cli
