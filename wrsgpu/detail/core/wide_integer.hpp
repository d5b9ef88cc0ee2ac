// The 128-bit integer that ISO C++ lacks, in the one place that needs the compiler's leave.
#pragma once

namespace wrsgpu {

/// g++, clang and nvcc have it as an extension, of which `-Wpedantic` warns where it is spelled.
__extension__ using WideInteger = unsigned __int128;

}  // namespace wrsgpu
