// Drawing in pieces, so that any number of samples needs little memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "method_choice.hpp"

namespace wrsgpu::method_driver {

/// Draws `samples` samples and hands them to `use` piece by piece, in order, with a progress bar.
/// They are those of one long draw with samplers whose sample k is a function of the seed and of k;
/// of those that draw by sections, and of generators with a state, each piece is a draw of its own.
void draw(const BuiltMethod& method, std::uint64_t samples, RandomState state,
          const std::function<void(std::span<const Index>)>& use);

/// How often each item is drawn.
[[nodiscard]] std::vector<std::uint64_t> draw_counts(const BuiltMethod& method,
                                                     std::uint64_t samples, RandomState state);

}  // namespace wrsgpu::method_driver
