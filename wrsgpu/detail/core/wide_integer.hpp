// The 128-bit integer that ISO C++ lacks, in the one place that needs a compiler extension.
#pragma once

namespace wrsgpu {

/// An extension of g++, clang and nvcc; `-Wpedantic` warns where it is spelled out.
__extension__ using WideInteger = unsigned __int128;

}  // namespace wrsgpu
