// Everything that has a name.
#pragma once

namespace wrsgpu::method_driver {

/// Prints methods, samplers and distributions, and the unsupported combinations.
void print_all();

}  // namespace wrsgpu::method_driver
