#include "wrsgpu/detail/core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "wrsgpu/interrupt.hpp"

namespace wrsgpu {
namespace {

thread_local const std::atomic<bool>* interrupt_flag = nullptr;

}  // namespace

InterruptScope::InterruptScope(const std::atomic<bool>& flag) : outer_(interrupt_flag) {
  interrupt_flag = &flag;
}
InterruptScope::~InterruptScope() { interrupt_flag = outer_; }

unsigned hardware_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

void parallel_for(std::uint64_t blocks, unsigned threads,
                  const std::function<void(std::uint64_t)>& body_of_block) {
  const auto body = [&, flag = interrupt_flag](std::uint64_t block) {
    if (flag != nullptr && flag->load(std::memory_order_relaxed)) throw Interrupted("interrupted");
    body_of_block(block);
  };
  // A single block takes microseconds, as does querying the number of CPUs.
  if (threads == 0) threads = blocks <= 1 ? 1 : hardware_threads();
  const auto workers =
      static_cast<unsigned>(std::min<std::uint64_t>({threads, blocks, max_threads}));
  if (workers <= 1) {
    for (std::uint64_t block = 0; block < blocks; ++block) body(block);
    return;
  }
  std::atomic<std::uint64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      for (;;) {
        const std::uint64_t block = next.fetch_add(1, std::memory_order_relaxed);
        if (block >= blocks) return;
        body(block);
      }
    } catch (...) {
      next.store(blocks, std::memory_order_relaxed);  // let the other workers stop early
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> team;
    team.reserve(workers - 1);
    try {
      for (unsigned i = 1; i < workers; ++i) team.emplace_back(work);
    } catch (const std::system_error&) {  // the system has no more threads
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace wrsgpu
