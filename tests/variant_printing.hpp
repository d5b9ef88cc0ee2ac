// How GoogleTest shows the parameters of the suites.
#pragma once

#include <cctype>
#include <ostream>
#include <string>

#include "registry/variants.hpp"
#include "verification/weight_families.hpp"

namespace wrsgpu {

inline void PrintTo(Arithmetic arithmetic, std::ostream* out) { *out << to_string(arithmetic); }
inline void PrintTo(const BuildMethod* method, std::ostream* out) { *out << method->name; }

}  // namespace wrsgpu

namespace wrsgpu::verification {

inline void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }
inline void PrintTo(const WeightFamily* family, std::ostream* out) { *out << family->name; }

/// `name` as a part of a test's name, which may hold letters, digits and underscores.
inline std::string test_name(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

}  // namespace wrsgpu::verification
