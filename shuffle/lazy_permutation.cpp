#include "wrsgpu/shuffle/lazy_permutation.hpp"

#include <fmt/format.h>

#include "wrsgpu/core/error.hpp"

namespace wrsgpu::shuffle {

void require_size(std::uint64_t size, const char* what) {
  if (size == 0 || size > max_keys) {
    throw Error(fmt::format("{} is {}; it must be between 1 and 2^40", what, size));
  }
}

}  // namespace wrsgpu::shuffle
