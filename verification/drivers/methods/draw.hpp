// Draws in chunks, so that any number of samples needs little memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "method_choice.hpp"
#include "verification/goodness_of_fit.hpp"

namespace wrsgpu::method_driver {

/// Draws `samples` samples and passes them to `use` in chunks, in order, with a progress bar. They
/// equal those of one long draw if sample k of the sampler is a function of the seed and of k; with
/// samplers that draw by sections, and with stateful generators, each chunk is a separate draw.
void draw(const BuiltMethod& method, std::uint64_t samples, RandomState state,
          const std::function<void(std::span<const Index>)>& use);

/// Counts the samples of each item. Throws `Error` for a sample that is not an item.
[[nodiscard]] verification::Counts draw_counts(const BuiltMethod& method, std::uint64_t samples,
                                               RandomState state);

}  // namespace wrsgpu::method_driver
