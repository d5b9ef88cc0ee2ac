#include "wrsgpu/detail/shuffle/lazy_permutation.hpp"

#include <string>

#include "wrsgpu/error.hpp"

namespace wrsgpu::shuffle {

void require_size(std::uint64_t size, const char* what) {
  if (size == 0 || size > max_keys) {
    throw Error(std::string(what) + " is " + std::to_string(size) +
                "; it must be between 1 and 2^40");
  }
}

}  // namespace wrsgpu::shuffle
