// Allocations that fail, of memory of the host. Replaces operator new: for one source file of a
// program, which is linked with -Wl,--wrap=aligned_alloc.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

inline std::atomic<bool> only_marked_threads{false};  // whose allocations may fail
inline thread_local bool is_marked = false;
inline std::atomic<long> allocations_left{-1};  // until one fails; -1: none fails
inline std::atomic<bool> all_that_follow{false};
inline std::atomic<bool> was_refused{false};
inline std::atomic<long> refused_host_buffers{0};

inline bool is_refused() {
  if ((only_marked_threads && !is_marked) || allocations_left.load() < 0) return false;
  if (allocations_left.load() > 0) {
    --allocations_left;
    return false;
  }
  if (!all_that_follow) allocations_left = -1;
  was_refused = true;
  return true;
}

// `HostBuffer` calls this function: the linker's --wrap replaces it, with names that the linker
// prescribes.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
extern "C" void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  if (!is_refused()) return __real_aligned_alloc(alignment, bytes);
  ++refused_host_buffers;
  return nullptr;
}
// NOLINTEND(readability-identifier-naming)

// Not inline: if g++ sees malloc and free in both, it warns about a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = is_refused() ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto multiple = static_cast<std::size_t>(alignment);
  const std::size_t rounded = (bytes + multiple - 1) / multiple * multiple;
  void* const memory = is_refused() ? nullptr : __real_aligned_alloc(multiple, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
