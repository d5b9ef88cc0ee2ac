// Ending long work on the host early, as upon Ctrl-C.
#pragma once

#include <atomic>

#include "wrsgpu/error.hpp"

namespace wrsgpu {

/// The `Error` thrown by work that an `InterruptScope` ended.
class Interrupted : public Error {
 public:
  using Error::Error;
};

/// While an instance lives, setting its flag ends builds, draws and permutations on the host that
/// its thread starts: they throw `Interrupted` within about a millisecond for each thread that
/// works. A sampler whose `rebuild` is interrupted keeps its table or has none; the output of a
/// draw is incomplete. Scopes can be nested; the innermost applies.
class InterruptScope {
 public:
  /// @param flag any thread or signal handler may set it; must outlive the instance
  explicit InterruptScope(const std::atomic<bool>& flag);
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  ~InterruptScope();

 private:
  const std::atomic<bool>* outer_;
};

}  // namespace wrsgpu
