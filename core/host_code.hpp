// Which of two versions of a loop hosts run.
#pragma once

namespace wrsgpu {

/// The best code that the processor has instructions for, or that of all processors, so that tests
/// see both.
enum class HostCode { best, portable };

}  // namespace wrsgpu
