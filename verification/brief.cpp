#include "wrsgpu/verification/brief.hpp"

#include <cstdlib>

namespace wrsgpu::verification {

bool is_brief() {
  static const bool brief = std::getenv("WRSGPU_BRIEF") != nullptr;
  return brief;
}

}  // namespace wrsgpu::verification
