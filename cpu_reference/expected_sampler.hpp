// The thesis's `SamplerExpected` (4.1, Figure 4.5): what a perfect sample would hold.
#pragma once

#include "wrsgpu/detail/sampling/sampler.hpp"

namespace wrsgpu {

/// Not random: fills `out` with every item as often as it is expected among out.size() draws, in
/// the order of the items, for comparison with what the random samplers draw. Expected counts come
/// from the table's masses, not from the weights. They are rounded by largest remainder so that
/// they add up to out.size(): each is rounded down, and the items with the largest fractions (the
/// first of equal ones) get one more. The state is not used, and a longer output does not begin
/// with the shorter one. Needs 24 bytes an item besides the table.
class ExpectedSampler final : public Sampler {
 private:
  void draw(const HostTable& table, std::span<Index> out, RandomState state) const override;
};

}  // namespace wrsgpu
