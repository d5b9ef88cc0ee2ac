// Shorter suites, for tools that slow down every kernel by a factor of a hundred.
#pragma once

#include <utility>

namespace wrsgpu::verification {

/// True if the environment variable WRSGPU_BRIEF is 1: `scripts/sanitize_gpu.sh` sets it, since the
/// whole suite would take days under some tools of compute-sanitizer.
[[nodiscard]] bool is_brief();

/// `all`, or only `few` of its values in brief mode.
template <class Values>
[[nodiscard]] Values all_or_few(Values all, Values few) {
  return is_brief() ? std::move(few) : std::move(all);
}

}  // namespace wrsgpu::verification
