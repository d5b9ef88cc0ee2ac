#include "wrsgpu/any_weights.hpp"

#include "wrsgpu/error.hpp"

namespace wrsgpu::detail {

void throw_inexact_weight(std::uint64_t index, const std::string& weight) {
  throw Error("argument 'weights': weight " + std::to_string(index) + " is " + weight +
              ", which is not exactly representable as a double; convert the weights to double to "
              "round them");
}

}  // namespace wrsgpu::detail
