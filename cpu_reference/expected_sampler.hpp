// The thesis's `SamplerExpected` (4.1, Figure 4.5): the content of a perfect sample.
#pragma once

#include "wrsgpu/detail/sampling/sampler.hpp"

namespace wrsgpu {

/// Not random: fills `out` with each item as often as expected among out.size() draws, in ascending
/// order, for comparison with random samplers. Expected counts are computed from the masses in the
/// table, not from the weights, and rounded by largest remainder so that they add up to out.size():
/// each is rounded down, and the items with the largest fractions (the first of equal ones) get one
/// more. The state is not used, and a longer output does not begin with a shorter one. Needs 24
/// bytes per item besides the table.
class ExpectedSampler final : public Sampler {
 private:
  void draw(const HostTable& table, std::span<Index> out, RandomState state) const override;
};

}  // namespace wrsgpu
