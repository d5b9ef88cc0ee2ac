#include "cpu_reference/scan_binary.hpp"

namespace wrsgpu {

Index ScanBinary::find(std::uint64_t word) const {
  return visit([&](const auto& all) { return all.bisect(all.position(word)); });
}

}  // namespace wrsgpu
