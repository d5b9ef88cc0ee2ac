// Peak memory of a computation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace wrsgpu::experiments {

/// Runs `work`, which returns the bytes of what it has made, in a forked process and returns the
/// peak of its resident memory above what was resident before and what it made. Accurate to about
/// half a MiB (pages, thread stacks). Nothing where the system does not tell, or when the
/// work fails. The calling process must have no other threads running.
[[nodiscard]] std::optional<std::int64_t> peak_extra_bytes(
    const std::function<std::size_t()>& work);

}  // namespace wrsgpu::experiments
