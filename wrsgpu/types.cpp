#include "wrsgpu/types.hpp"

#include <array>
#include <utility>

#include "wrsgpu/detail/core/enum_names.hpp"

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

}  // namespace

std::string_view to_string(Device device) { return name_of_value(device_names, device); }
std::string_view to_string(Arithmetic arithmetic) {
  return name_of_value(arithmetic_names, arithmetic);
}
std::string_view to_string(Layout layout) { return name_of_value(layout_names, layout); }

Arithmetic parse_arithmetic(std::string_view name) {
  return value_of_name(arithmetic_names, name, "arithmetic");
}
Layout parse_layout(std::string_view name) { return value_of_name(layout_names, name, "layout"); }

}  // namespace wrsgpu
