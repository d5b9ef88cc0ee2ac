// Code versions of the host's loops.
#pragma once

namespace wrsgpu {

/// The best code that the processor supports; the AVX2 code, if the loop has it and the processor
/// supports it; or the portable code, which wrsgpu/detail/core/target_clones.hpp may compile in
/// several versions. Lets tests cover all of them.
enum class HostCode { best, avx2, portable };

}  // namespace wrsgpu
