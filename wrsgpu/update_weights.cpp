#include "wrsgpu/update_weights.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

namespace wrsgpu {
namespace {

template <class T>
void set_weights(std::span<T> weights, std::span<const Index> indices, std::span<const T> values) {
  detail::require_value_for_each(indices.size(), values.size());
  for (std::size_t j = 0; j < indices.size(); ++j) {
    if (indices[j] < weights.size() && values[j] >= 0 && std::isfinite(values[j])) continue;
    detail::throw_bad_update(j, indices[j], weights.size(), static_cast<double>(values[j]),
                             std::numeric_limits<T>::max_digits10);
  }
  for (std::size_t j = 0; j < indices.size(); ++j) weights[indices[j]] = values[j];
}

}  // namespace

void update_weights(std::span<float> weights, std::span<const Index> indices,
                    std::span<const float> values) {
  set_weights(weights, indices, values);
}
void update_weights(std::span<double> weights, std::span<const Index> indices,
                    std::span<const double> values) {
  set_weights(weights, indices, values);
}

namespace detail {

void require_value_for_each(std::uint64_t indices, std::uint64_t values) {
  if (indices == values) return;
  throw Error("argument 'values' has " + std::to_string(values) + " elements; there are " +
              std::to_string(indices) + " indices");
}

void throw_bad_update(std::uint64_t number, Index index, std::uint64_t items, double value,
                      int digits) {
  if (index >= items) {
    throw Error("argument 'indices': index " + std::to_string(number) + " is " +
                std::to_string(index) + "; there are " + std::to_string(items) + " weights");
  }
  const char* what = std::isnan(value)   ? "is not a number"
                     : std::isinf(value) ? "is infinite"
                                         : "is negative";
  std::ostringstream message;
  message.precision(digits);
  message << "argument 'values': value " << number << " " << what << " (" << value << ")";
  throw Error(message.str());
}

void rethrow_of_update(const Error& error) {
  constexpr std::string_view of_weights = "argument 'weights': ";
  const std::string message = error.what();
  if (!message.starts_with(of_weights)) throw;
  throw Error("argument 'values': with them " + message.substr(of_weights.size()));
}

}  // namespace detail

}  // namespace wrsgpu
