#include "cpu_reference/scan_linear.hpp"

namespace wrsgpu {

Index ScanLinear::find(std::uint64_t word) const {
  return visit([&](const auto& all) { return all.find_from(0, all.position(word)); });
}

}  // namespace wrsgpu
