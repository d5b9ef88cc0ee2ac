// Which version of a loop hosts run.
#pragma once

namespace wrsgpu {

/// The best code that the processor has instructions for; that written for AVX2, if a loop has such
/// and the processor these instructions; or what is written for no instruction set, of which
/// wrsgpu/detail/core/target_clones.hpp may have made several. So tests see all that is written.
enum class HostCode { best, avx2, portable };

}  // namespace wrsgpu
