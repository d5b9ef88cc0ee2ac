// Long work on the host, which Ctrl-C ends.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>

#include "wrsgpu/interrupt.hpp"

namespace wrsgpu::python {

/// Runs `work` without the interpreter's lock. If it is long, Python's signal handlers run
/// meanwhile: when one raises an exception, the work is ended and the exception passed on.
///
/// @param size the number of elements that the work reads or writes
template <class Work>
void run_interruptibly(std::uint64_t size, const Work& work) {
  constexpr std::uint64_t is_long = 1 << 20;  // some milliseconds, against 50 us for a thread
  const nanobind::gil_scoped_release release;
  if (size < is_long) {
    work();
    return;
  }
  std::atomic<bool> stop = false;
  std::future<void> done = std::async(std::launch::async, [&] {
    const InterruptScope scope(stop);
    work();
  });
  while (done.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    const nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() == 0) continue;
    const nanobind::python_error raised;
    stop = true;
    {
      const nanobind::gil_scoped_release wait;
      done.wait();
    }
    throw raised;
  }
  done.get();
}

}  // namespace wrsgpu::python
