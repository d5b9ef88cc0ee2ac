#include "construction/split/partial_p_ary.cuh"

namespace wrsgpu::split {
namespace {

constexpr int p = 128;

/// With another threshold than p / 8, for comparison (thesis 4.4.2).
template <unsigned divisor>
SplitMethod with_threshold() {
  return {.name = "partial_p_ary_p_over_" + std::to_string(divisor),
          .source = "thesis 4.4.2",
          .summary = "partial_p_ary; binary search from p/" + std::to_string(divisor) + " on",
          .launch = launch_partial_p_ary<p, p / divisor>,
          .competitive = false};
}

}  // namespace

SplitMethod partial_p_ary_method() {
  return {.name = "partial_p_ary",
          .source = "thesis 3.1.2",
          .summary = "128 splits by a block: partial p-ary search, then binary search",
          .launch = launch_partial_p_ary<p>};
}
SplitMethod partial_p_ary_p_over_2_method() { return with_threshold<2>(); }
SplitMethod partial_p_ary_p_over_4_method() { return with_threshold<4>(); }
SplitMethod partial_p_ary_p_over_16_method() { return with_threshold<16>(); }
SplitMethod partial_p_ary_p_over_32_method() { return with_threshold<32>(); }

}  // namespace wrsgpu::split
