// Fork-join loops over blocks of work on std::thread.
//
// Why not a task library: results must not depend on the number of threads, so the caller cuts the
// work into blocks and only the thread that runs a block varies; and ThreadSanitizer understands
// std::thread without an instrumented runtime, which keeps the TSan preset meaningful. Only
// shuffles run on oneTBB (cpu_reference/shuffles.hpp), as those of the shuffling paper do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace wrsgpu {

/// Number of hardware threads, at least 1.
[[nodiscard]] unsigned hardware_threads();

/// Upper limit on the number of threads.
inline constexpr unsigned max_threads = 1024;

/// Runs `body(block)` for every block in [0, blocks), on up to `threads` threads (0 means all
/// hardware threads; 1, or a single block, runs on the caller). Blocks are handed out in order.
/// Returns when all are done; the first exception thrown by a body is rethrown here. If the system
/// cannot start a thread, those already running do the work.
///
/// @throws Interrupted before the next block if the caller's `InterruptScope` ends the work
void parallel_for(std::uint64_t blocks, unsigned threads,
                  const std::function<void(std::uint64_t block)>& body);

/// Working memory of threads, each its own, for one loop after the other: the system gives each
/// page only once. Not initialised.
template <class Memory>
class ThreadMemory {
 public:
  /// `parallel_for` of `body(block, memory)`.
  template <class Body>
  void parallel_for(std::uint64_t blocks, unsigned threads, const Body& body) {
    wrsgpu::parallel_for(blocks, threads, [&](std::uint64_t block) {
      std::unique_ptr<Memory> memory;
      {
        const std::lock_guard lock(mutex_);
        if (!unused_.empty()) {
          memory = std::move(unused_.back());
          unused_.pop_back();
        }
      }
      if (!memory) memory = std::make_unique_for_overwrite<Memory>();
      body(block, *memory);
      const std::lock_guard lock(mutex_);
      unused_.push_back(std::move(memory));
    });
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Memory>> unused_;
};

/// A half-open range of items.
struct Range {
  std::uint64_t begin;
  std::uint64_t end;
};

/// The `part`-th of `parts` near-equal consecutive pieces of [0, size).
[[nodiscard]] constexpr Range slice(std::uint64_t size, std::uint64_t part, std::uint64_t parts) {
  const std::uint64_t quotient = size / parts;
  const std::uint64_t remainder = size % parts;
  const auto start = [&](std::uint64_t p) {
    return p * quotient + (p < remainder ? p : remainder);
  };
  return {start(part), start(part + 1)};
}

}  // namespace wrsgpu
