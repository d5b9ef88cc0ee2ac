#include "verification/brief.hpp"

#include <cstdlib>
#include <string_view>

namespace wrsgpu::verification {

bool is_brief() {
  static const bool brief = [] {
    const char* const value = std::getenv("WRSGPU_BRIEF");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return brief;
}

}  // namespace wrsgpu::verification
