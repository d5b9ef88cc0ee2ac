#include "wrsgpu/detail/core/host_buffer.hpp"

#include <cstdlib>
#include <string>

#include "wrsgpu/detail/core/checked_bytes.hpp"
#include "wrsgpu/error.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace wrsgpu::detail {
namespace {
constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{1} << 21;
}  // namespace

void* allocate_host(std::size_t count, std::size_t element_bytes) {
  const std::size_t bytes = checked_bytes(count, element_bytes);
  const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : cache_line;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) {
    throw OutOfMemory("out of memory: " + std::to_string(bytes) + " bytes of host memory refused");
  }
#ifdef __linux__
  // Best effort: without huge pages the program is only slower.
  if (alignment == huge_page) static_cast<void>(madvise(memory, rounded, MADV_HUGEPAGE));
#endif
  return memory;
}

void free_host(void* memory) noexcept { std::free(memory); }

}  // namespace wrsgpu::detail
