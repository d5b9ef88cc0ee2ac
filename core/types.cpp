#include "wrsgpu/core/types.hpp"

#include <array>
#include <string>
#include <utility>

#include "wrsgpu/core/error.hpp"

namespace wrsgpu {
namespace {

constexpr std::array<std::pair<Device, std::string_view>, 2> device_names{{
    {Device::cpu, "cpu"},
    {Device::cuda, "cuda"},
}};
constexpr std::array<std::pair<Arithmetic, std::string_view>, 2> arithmetic_names{{
    {Arithmetic::floating, "floating"},
    {Arithmetic::fixed_point, "fixed_point"},
}};
constexpr std::array<std::pair<Layout, std::string_view>, 3> layout_names{{
    {Layout::wide_rows, "wide_rows"},
    {Layout::struct_of_arrays, "struct_of_arrays"},
    {Layout::compact_rows, "compact_rows"},
}};

template <class Names, class Value>
std::string_view name_of(const Names& names, Value value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  throw Error("to_string: value " + std::to_string(static_cast<int>(value)) + " has no name");
}

template <class Names>
auto value_of(const Names& names, std::string_view wanted, const char* what) {
  std::string known_names;
  for (const auto& [value, name] : names) {
    if (name == wanted) return value;
    known_names += known_names.empty() ? "" : ", ";
    known_names += name;
  }
  throw Error(std::string("unknown ") + what + " '" + std::string(wanted) +
              "' (known: " + known_names + ")");
}

}  // namespace

std::string_view to_string(Device device) { return name_of(device_names, device); }
std::string_view to_string(Arithmetic arithmetic) { return name_of(arithmetic_names, arithmetic); }
std::string_view to_string(Layout layout) { return name_of(layout_names, layout); }

Arithmetic parse_arithmetic(std::string_view name) {
  return value_of(arithmetic_names, name, "arithmetic");
}
Layout parse_layout(std::string_view name) { return value_of(layout_names, name, "layout"); }

}  // namespace wrsgpu
