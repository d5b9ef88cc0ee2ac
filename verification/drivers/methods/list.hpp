// Everything that has a name.
#pragma once

namespace wrsgpu::method_driver {

/// Prints methods, samplers and distributions, and what does not go together.
void print_all();

}  // namespace wrsgpu::method_driver
