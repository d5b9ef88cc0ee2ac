// Which version of a loop hosts run.
#pragma once

namespace wrsgpu {

/// The best code that the processor has instructions for; that for AVX2, where there is one and the
/// processor has these; or that of all processors. So tests see all.
enum class HostCode { best, avx2, portable };

}  // namespace wrsgpu
